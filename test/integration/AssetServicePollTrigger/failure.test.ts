import { DatabaseSync } from 'node:sqlite';
import { ledgerKey } from '../../../lib/ledger';
import { waitFor } from '../../support/wait';
import {
	EVENTS,
	ledger,
	ledgerPath,
	pollNode,
	pollUntil,
	record,
	start,
	until,
	useWorldOfItsOwn,
} from './polls';

useWorldOfItsOwn();

describe('a poll', () => {
	it('starts what was listed before a page that fails, shows the failure, and goes on with the next poll', async () => {
		const simulator = await start({ events: 30 });
		const node = pollNode({ parameters: { startFrom: 'retained', limit: 10 } });
		const poll = node.activation('activate');
		simulator.faults.add({ path: EVENTS, queryParameter: 'startingAfter', status: 400 });
		await expect(poll()).rejects.toMatchObject({ httpCode: '400' });
		await until('the first page', () => node.ids().length === 10);
		simulator.faults.clear();
		await pollUntil(poll, 'all runs', () => node.ids().length === 30);
		expect(new Set(node.ids()).size).toBe(30);
	});

	it('starts an event again that was stored and never began, however far back it is by now', async () => {
		await start();
		const node = pollNode();
		const poll = node.activation('activate');
		await poll();
		const [lost = ''] = await record(1);
		const claim = await (await ledger()).claim(ledgerKey(node.workflowId, lost), 60_000);
		if (claim.state !== 'claimed') throw new Error('The event is not free');
		await (await ledger()).commit(claim.claim, 60 * 60_000);
		const later = await record(1);
		await poll();
		await until('a run', () => node.ids().length === 1);
		expect(node.ids()).toEqual(later);
		await (await ledger()).begin([ledgerKey(node.workflowId, later[0] ?? '')], '1', 60 * 60_000);
		// The grace is over.
		const file = new DatabaseSync(ledgerPath);
		file.exec(`UPDATE entry SET due = due - ${16 * 60_000}`);
		file.close();
		await pollUntil(poll, 'the lost event', () => node.ids().length > 1);
		expect(node.ids()).toEqual([...later, lost]);
	});

	it('gives an event back that n8n could not store, and starts it with the next poll, in order', async () => {
		await start();
		let failing = true;
		const node = pollNode({
			run: async () => {
				if (failing) throw new Error('database is locked');
			},
		});
		const poll = node.activation('activate');
		await poll();
		const fresh = await record(3);
		await poll();
		const free = async () =>
			(await (await ledger()).look(ledgerKey(node.workflowId, fresh[0] ?? ''))) === 'free';
		await waitFor(async () => ((await free()) ? true : undefined), { what: 'a release' });
		expect(node.ids()).toEqual([]);
		failing = false;
		await pollUntil(poll, 'three runs', () => node.ids().length === 3);
		expect(node.ids()).toEqual(fresh);
	});

	it('tells n8n what is wrong, without the client secret, and recovers', async () => {
		const simulator = await start();
		const node = pollNode();
		const poll = node.activation('activate');
		await poll();
		simulator.faults.add({ path: EVENTS, status: 403, times: 1 });
		const error: unknown = await poll().catch((thrown: unknown) => thrown);
		expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '403' });
		expect(JSON.stringify(error)).not.toContain(simulator.clientSecret);
		const fresh = await record(1);
		await poll();
		await until('a run', () => node.ids().length === 1);
		expect(node.ids()).toEqual(fresh);
	});

	it('does not wait for slow runs, and commits each when it has ended', async () => {
		await start();
		let release: () => void = () => undefined;
		const released = new Promise<void>((resolve) => {
			release = resolve;
		});
		const node = pollNode({
			run: async () => {
				await released;
			},
		});
		const poll = node.activation('activate');
		await poll();
		const [id = ''] = await record(1);
		await poll();
		const key = ledgerKey(node.workflowId, id);
		await waitFor(
			async () => ((await (await ledger()).look(key)) === 'pending' ? true : undefined),
			{
				what: 'the claim',
			},
		);
		release();
		await waitFor(
			async () => ((await (await ledger()).look(key)) === 'stored' ? true : undefined),
			{
				what: 'the commit',
			},
		);
		expect(node.ids()).toEqual([id]);
	});
});
