import { ledgerKey, newAttempt } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { SqliteStore } from '../../../lib/ledger/sqlite/store';
import { passTimeInSqlite } from '../../support/n8n/ledgerClock';
import { withDatabase } from '../../support/sqlite';
import { waitFor } from '../../support/wait';
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

const MINUTE = 60_000;

describe('a poll', () => {
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
});

describe('an event that must succeed', () => {
	it('starts again when it is due after a failure, in at most six executions, and then by a delivery', async () => {
		await start();
		let runs = 0;
		const { node, poll } = await published({
			parameters: { acknowledge: 'succeeded' },
			async next() {
				runs += 1;
				throw new Error('a node failed');
			},
		});
		const [id = ''] = await record(1);
		const look = async () => await (await ledger()).look(ledgerKey(node.workflowId, id));
		const untilFailed = async (attempts: number) => {
			await waitFor(
				async () => {
					await poll();
					const account = await look();
					return account.state === 'failed' && account.attempts === attempts;
				},
				{ what: `attempt ${attempts} to fail`, everyMs: 20 },
			);
		};
		for (const [n, minutes] of [1, 5, 30, 120, 360].entries()) {
			await untilFailed(n + 1);
			passTimeInSqlite(ledgerPath, (minutes - 1) * MINUTE + MINUTE / 2);
			await poll();
			await poll();
			expect(runs).toBe(n + 1);
			passTimeInSqlite(ledgerPath, MINUTE);
		}
		await untilFailed(6);
		passTimeInSqlite(ledgerPath, 24 * 60 * MINUTE);
		for (let polls = 0; polls < 3; polls++) await poll();
		expect(runs).toBe(6);
		expect(await (await ledger()).claim(ledgerKey(node.workflowId, id))).toMatchObject({
			...{ state: 'claimed', attempts: 6 },
		});
	});

	it('starts again after its process has died, and is done when that execution succeeds', async () => {
		await start();
		const parameters = { acknowledge: 'succeeded' };
		const { node, poll } = await published({ parameters, runs: () => false });
		const [id = ''] = await record(1);
		await pollUntil(poll, 'n8n to store it', () => node.runs.length === 1);
		const key = ledgerKey(node.workflowId, id);
		const died = new EventLedger({ store: new SqliteStore({ path: ledgerPath }) });
		const run = newAttempt('another');
		await died.begin([key], { run, acknowledge: 'succeeded', retentionMs: 60 * MINUTE });
		await died.end(run, 'lost');
		await died.close();
		passTimeInSqlite(ledgerPath, MINUTE);
		const again = pollNode({ workflowId: node.workflowId, parameters });
		await pollUntil(again.activation('init'), 'another start', () => again.ids().length === 1);
		expect(await (await ledger()).look(key)).toMatchObject({ state: 'done', attempts: 2 });
	});
});

describe('a ledger restored from a backup', () => {
	/** Returns what restores it. */
	const backUp = () => {
		const tables = ['entry', 'record'];
		withDatabase(ledgerPath, (file) => {
			for (const table of tables) file.exec(`CREATE TABLE old_${table} AS SELECT * FROM ${table}`);
		});
		return () => {
			withDatabase(ledgerPath, (file) => {
				for (const table of tables) {
					file.exec(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM old_${table}`);
				}
			});
		};
	};

	it('starts nothing by itself that has run since, warns, and goes on with what is new', async () => {
		await start({ events: 2 });
		const { node, poll } = await published();
		const before = await record(2);
		await pollUntil(poll, 'two runs', () => node.ids().length === 2);
		await poll();
		const restore = backUp();
		const since = await record(2);
		await pollUntil(poll, 'four runs', () => node.ids().length === 4);
		await poll();
		restore();

		// After a restart of n8n.
		const { workflowId } = node;
		const restarted = pollNode({ workflowId, staticData: node.saved() });
		const later = await record(2);
		const pollAgain = restarted.activation('init');
		await pollUntil(pollAgain, 'the new events', () => restarted.ids().length >= 2);
		await pollAgain();
		expect(restarted.ids()).toEqual(later);
		expect(node.ids()).toEqual([...before, ...since]);
		expect(restarted.warnings).toEqual([
			expect.stringContaining('the event ledger was replaced or lost its data'),
		]);
	});
});
