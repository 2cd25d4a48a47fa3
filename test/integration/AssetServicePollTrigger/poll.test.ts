import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ledgerKey, openLedger } from '../../../lib/ledger';
import { AssetServicePollTrigger } from '../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../simulator';
import { createPollNode, type PollNodeOptions } from '../../support/pollNode';
import { waitFor } from '../../support/wait';

const EVENTS = '/webhooks/v1/webhook-events';
const folder = mkdtempSync(join(tmpdir(), 'asset-service-poll-'));
const ledger = () => openLedger({ log: () => undefined });
let simulator: Simulator;

const start = async (options: SimulatorOptions = {}) => {
	simulator = await startSimulator(options);
};
const pollNode = (options: Partial<PollNodeOptions> = {}) => {
	const { baseUrl, authUrl, audience, clientId, clientSecret } = simulator;
	const workflowId = randomUUID();
	const node = createPollNode({
		trigger: new AssetServicePollTrigger(),
		credential: { baseUrl, authUrl, audience, clientId, clientSecret },
		workflowId,
		...options,
	});
	return { ...node, workflowId, ids: () => node.started.map(({ id }) => id) };
};
const record = async (count: number, type = 'ocpp.message') => {
	const ids: string[] = [];
	for (let n = 0; n < count; n += 1) {
		ids.push((await simulator.emit({ type }, { deliver: false })).event.id);
	}
	return ids;
};
const until = async (what: string, isSo: () => boolean) => {
	await waitFor(() => (isSo() ? true : undefined), { what, everyMs: 5 });
};
/** A poll leaves the events to the one before it as long as that one is starting them. */
const pollUntil = async (poll: () => Promise<unknown>, what: string, isSo: () => boolean) => {
	await waitFor(
		async () => {
			await poll();
			return isSo() ? true : undefined;
		},
		{ what, everyMs: 20 },
	);
};

beforeAll(() => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = join(folder, 'ledger.sqlite');
});
afterEach(async () => {
	await simulator.stop();
});
afterAll(async () => {
	await (await ledger()).close();
	rmSync(folder, { recursive: true, force: true });
});

describe('a poll', () => {
	it.each(['newestFirst', 'oldestFirst'] as const)(
		'starts nothing for what was there at publication, then each new event once, oldest first (%s)',
		async (listOrder) => {
			await start({ events: 7, listOrder });
			const node = pollNode({ parameters: { limit: 3 } });
			const poll = node.activation('activate');
			await poll();
			const fresh = await record(5);
			await poll();
			await until('five runs', () => node.ids().length === 5);
			expect(node.ids()).toEqual(fresh);
			await poll();
			await poll();
			expect(node.ids()).toEqual(fresh);
		},
	);

	it('gives each event the shape of a delivered one', async () => {
		await start();
		const node = pollNode();
		const poll = node.activation('activate');
		await poll();
		const { event } = await simulator.emit({ data: { a: 1 } }, { deliver: false });
		await poll();
		await until('a run', () => node.started.length === 1);
		expect(node.started).toEqual([event]);
	});

	it('starts everything that is still listed when it is set to', async () => {
		await start({ events: 60 });
		const node = pollNode({ parameters: { startFrom: 'retained', limit: 10 } });
		await node.activation('activate')();
		await until('all runs', () => node.ids().length === 60);
		expect(new Set(node.ids()).size).toBe(60);
		expect(node.started.map(({ createdAt }) => createdAt)).toEqual(
			node.started.map(({ createdAt }) => createdAt).sort(),
		);
	});

	it('catches up after a restart', async () => {
		await start();
		const node = pollNode();
		await node.activation('activate')();
		const missed = await record(12);
		await node.activation('init')();
		await until('twelve runs', () => node.ids().length === 12);
		expect(node.ids()).toEqual(missed);
	});

	it('goes on where it was when the workflow was unpublished and is published again', async () => {
		await start({ events: 2 });
		const node = pollNode();
		await node.activation('activate')();
		const missed = await record(3);
		await node.activation('activate')();
		await until('three runs', () => node.ids().length === 3);
		expect(node.ids()).toEqual(missed);
	});

	it('begins anew when "Start From" was changed, and keeps apart what has run', async () => {
		await start({ events: 4 });
		const now = pollNode();
		await now.activation('activate')();
		const [ran = ''] = await record(1);
		await now.activation('init')();
		await until('a run', () => now.ids().length === 1);
		await (await ledger()).begin([ledgerKey(now.workflowId, ran)], '1', 60_000);

		const retained = pollNode({
			workflowId: now.workflowId,
			parameters: { startFrom: 'retained' },
		});
		await retained.activation('activate')();
		await until('four runs', () => retained.ids().length === 4);
		expect(retained.ids()).not.toContain(ran);

		const missed = await record(2);
		const again = pollNode({ workflowId: now.workflowId });
		await again.activation('activate')();
		await again.activation('init')();
		expect(again.ids()).toEqual([]);
		const fresh = await record(1);
		await pollUntil(again.activation('init'), 'a run', () => again.ids().length === 1);
		expect(again.ids()).toEqual(fresh);
		expect(again.ids()).not.toContain(missed[0]);
	});

	it('starts what was listed before a page that fails, shows the failure, and goes on with the next poll', async () => {
		await start({ events: 30 });
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
		const file = new DatabaseSync(join(folder, 'ledger.sqlite'));
		file.exec(`UPDATE entry SET due = due - ${16 * 60_000}`);
		file.close();
		await pollUntil(poll, 'the lost event', () => node.ids().length > 1);
		expect(node.ids()).toEqual([...later, lost]);
	});

	it('leaves alone what a webhook brought, or is bringing', async () => {
		await start();
		const node = pollNode();
		const poll = node.activation('activate');
		await poll();
		const [brought = '', coming = '', missed = ''] = await record(3);
		const claim = await (await ledger()).claim(ledgerKey(node.workflowId, brought), 60_000);
		if (claim.state === 'claimed') await (await ledger()).commit(claim.claim, 60_000);
		await (await ledger()).claim(ledgerKey(node.workflowId, coming), 60_000);
		await poll();
		await until('a run', () => node.ids().length === 1);
		expect(node.ids()).toEqual([missed]);
	});

	it('starts wanted types only', async () => {
		await start();
		const node = pollNode({ parameters: { eventTypes: ['asset.*'] } });
		const poll = node.activation('activate');
		await poll();
		await record(2, 'ocpp.message');
		const wanted = await record(2, 'asset.connectivity');
		await poll();
		await until('two runs', () => node.ids().length === 2);
		expect(node.ids()).toEqual(wanted);
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
		await start();
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
