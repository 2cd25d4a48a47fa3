import { ledgerKey } from '../../../lib/ledger';
import { withDatabase } from '../../support/sqlite';
import { gate, waitFor } from '../../support/wait';
import {
	EVENTS,
	ledger,
	ledgerPath,
	pollNode,
	pollUntil,
	published,
	record,
	start,
	until,
	useWorldOfItsOwn,
} from './polls';

useWorldOfItsOwn();

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

describe('a poll', () => {
	it('starts events listed before a failing page, shows the failure, and continues with the next poll', async () => {
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

	it('restarts an event that n8n stored three hours ago and lost, behind all events that have run since', async () => {
		const simulator = await start();
		let runs = true;
		const node = pollNode({ parameters: { limit: 5 }, runs: () => runs });
		const poll = node.activation('activate');
		await simulator.emit({ createdAt: hoursAgo(5) }, { deliver: false });
		await poll();
		runs = false;
		const { event } = await simulator.emit({ createdAt: hoursAgo(3) }, { deliver: false });
		await pollUntil(poll, 'n8n to store it', () => node.runs.length === 1);
		const state = async () =>
			(await (await ledger()).look(ledgerKey(node.workflowId, event.id))).state;
		await waitFor(async () => (await state()) === 'stored', { what: 'the commit' });
		runs = true;
		const later = await record(30);
		await pollUntil(poll, 'the later events', () => node.ids().length === 30);
		await poll();
		expect(node.ids()).toEqual(later);
		// The grace is over.
		withDatabase(ledgerPath, (file) => {
			file.exec(`UPDATE entry SET due = due - ${16 * 60_000}`);
		});
		await pollUntil(poll, 'the lost event', () => node.ids().length > 30);
		expect(node.ids()).toEqual([...later, event.id]);
	});

	it('releases an event that n8n could not store, and starts it with the next poll, in order', async () => {
		await start();
		let failing = true;
		const { node, poll } = await published({
			run: async () => {
				if (failing) throw new Error('database is locked');
			},
		});
		const fresh = await record(3);
		await poll();
		const free = async () =>
			(await (await ledger()).look(ledgerKey(node.workflowId, fresh[0] ?? ''))).state === 'free';
		await waitFor(free, { what: 'a release' });
		expect(node.ids()).toEqual([]);
		failing = false;
		await pollUntil(poll, 'three runs', () => node.ids().length === 3);
		expect(node.ids()).toEqual(fresh);
	});

	it('reports to n8n what is wrong, without the client secret, and recovers', async () => {
		const simulator = await start();
		const { node, poll } = await published();
		simulator.faults.add({ path: EVENTS, status: 403, times: 1 });
		const error: unknown = await poll().catch((thrown: unknown) => thrown);
		expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '403' });
		expect(JSON.stringify(error)).not.toContain(simulator.clientSecret);
		const fresh = await record(1);
		await poll();
		await until('a run', () => node.ids().length === 1);
		expect(node.ids()).toEqual(fresh);
	});

	it('does not wait for slow executions, and settles each in the ledger when it has ended', async () => {
		await start();
		const { opened: released, open: release } = gate();
		const { node, poll } = await published({
			run: () => released,
		});
		const [id = ''] = await record(1);
		await poll();
		const key = ledgerKey(node.workflowId, id);
		await waitFor(async () => (await (await ledger()).look(key)).state === 'pending', {
			what: 'the claim',
		});
		release();
		await waitFor(async () => (await (await ledger()).look(key)).state === 'begun', {
			what: 'the run to begin',
		});
		expect(node.ids()).toEqual([id]);
	});
});
