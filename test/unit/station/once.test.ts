/** Each incident is reported once: by executions that fail, and by processes that poll at once. */
import { ledgerKey } from '../../../lib/ledger';
import { OCPP16, OCPP201 } from './stations';
import { back, lost, MINUTE, stationWorld, time } from './stationWorld';

const storm = () => [lost('09:00', 's1'), lost('09:00', 's2'), lost('09:00', 's3')];

describe('an execution that', () => {
	it('n8n could not store starts with the next poll', async () => {
		const world = stationWorld();
		world.events = storm();
		await world.pollFrom('08:59', '09:05');
		world.fate = async () => 'unstored';
		await world.pollFrom('09:06', '09:07');
		expect(world.items()).toEqual([]);
		world.fate = async () => 'succeeded';
		await world.pollFrom('09:08', '09:10');
		expect(world.executions.map(({ at, items }) => [at, items.length])).toEqual([
			['11-23 09:08', 3],
		]);
	});

	it('fails is reported again as the same batch once, then one by one', async () => {
		const world = stationWorld({ acknowledge: 'succeeded' });
		world.events = storm();
		world.fate = async () => (world.executions.length < 2 ? 'failed' : 'succeeded');
		await world.pollFrom('08:59', '09:59');
		expect(world.executions.map(({ items }) => items.length)).toEqual([3, 3, 1, 1, 1]);
	});

	it('had begun by a poll, and gave its items back since that could not be made durable, is repeated', async () => {
		const world = stationWorld();
		world.events = [lost('09:00')];
		let keys: string[] = [];
		world.fate = async (items) => {
			keys = items.map(({ id }) => ledgerKey(world.workflowId, String(id)));
			return undefined;
		};
		await world.pollFrom('08:59', '09:06');
		world.now = time('09:06:50');
		await world.ledger.begin(keys, { run: 'run', acknowledge: 'stored', retentionMs: 1e10 });
		await world.pollFrom('09:07', '09:07');
		world.now = time('09:07:20');
		await world.ledger.giveBack(keys, 'run');
		world.fate = async () => 'succeeded';
		await world.pollFrom('09:08', '09:10');
		expect(world.executions.map(({ at, items }) => [at, items[0]?.['state']])).toEqual([
			['11-23 09:08', 'opened'],
		]);
	});

	it('says that an incident is resolved never overtakes the one that says that it opened', async () => {
		const world = stationWorld({ batchSize: 1 });
		world.events = [lost('09:00'), back('09:10')];
		await world.pollFrom('08:59', '08:59');
		await world.pollFrom('09:30', '09:32');
		expect(world.executions.map(({ at, items }) => [at, items[0]?.['state']])).toEqual([
			['11-23 09:30', 'opened'],
			['11-23 09:31', 'resolved'],
		]);
	});
});

it('two processes that poll at once tell an incident once', async () => {
	const world = stationWorld();
	world.events = storm();
	await world.pollFrom('08:59', '09:05');
	world.now = time('09:06');
	const other = world.openLedger();
	await Promise.all([world.poll(), world.poll({ ledger: other })]);
	await world.poll();
	expect(world.ids()).toHaveLength(3);
	expect(new Set(world.ids()).size).toBe(3);
});

it('an incident of a station that is removed, or that is no longer watched, resolves', async () => {
	const world = stationWorld();
	world.events = [lost('09:00'), lost('09:00', 's2')];
	await world.pollFrom('08:59', '09:07');
	world.assets = ['s2'];
	await world.pollFrom('09:08', '11:30');
	expect(world.items().at(-1)).toMatchObject({ endedBy: 'removed', station: { id: 's1' } });
	world.settings = { ...world.settings, kind: 'sessionEnded' };
	await world.pollFrom('11:31', '11:33');
	expect(world.items().at(-1)).toMatchObject({ endedBy: 'settings', station: { id: 's2' } });
	expect(world.items()).toHaveLength(4);
});

it('a flood of made-up stations opens a hundred incidents, and a listed station is still reported', async () => {
	const world = stationWorld();
	const made = Array.from({ length: 5_000 }, (_unused, n) => lost('09:00', `made-up-${n}`));
	world.events = [...made, lost('09:00', 's4')];
	await world.pollFrom('08:59', '09:07');
	const stations = world.executions[0]?.items.map(({ station }) => (station as { id: string }).id);
	expect(stations).toHaveLength(101);
	expect(stations).toContain('s4');
	expect(world.warnings).toEqual([
		'4,900 incidents not reported: too many are of stations that are not in the asset list. Check that the API client may list all assets',
	]);
	const bytes = [...world.store.records.values()].reduce((sum, text) => sum + text.length, 0);
	expect(bytes).toBeLessThan(4 * 1024 * 1024);
});

it('an incident that is over, and not yet resolved, is not written in each poll', async () => {
	const world = stationWorld({ settings: { kind: 'connectorFault', resolveAfterMs: 60 * MINUTE } });
	world.events = [OCPP16.status('08:00', 'Faulted'), OCPP16.status('08:20', 'Available')];
	await world.pollFrom('08:30', '08:31');
	const swap = jest.spyOn(world.ledger, 'swapRecord');
	await world.pollFrom('08:32', '08:40');
	expect(swap.mock.calls.filter(([key]) => !key.endsWith(':head'))).toEqual([]);
});

it('messages that cannot be read change nothing and are counted', async () => {
	const world = stationWorld({ settings: { kind: 'connectorStatus', forMs: 0 } });
	world.events = [OCPP16.status('09:00', 'Finishing'), OCPP201.status('09:00', 'Reserved')];
	for (const { record } of world.events) {
		const { payload } = record['payload'] as { payload: Record<string, unknown> };
		delete payload['status'];
		payload['connectorStatus'] = {};
	}
	const warn = jest.fn();
	await world.pollFrom('08:59', '09:02', { warn });
	expect(world.items()).toEqual([]);
	// Polls that read them again count none.
	expect(warn.mock.calls).toEqual(
		[2, 0, 0].map((fresh) => ['left out 2 messages that cannot be read', 'unreadable', fresh]),
	);
});

/** Some minutes after 08:40, also of the next day. */
const clockAt = (minutes: number) =>
	new Date(time('08:40') + minutes * MINUTE).toISOString().slice(5, 16).replace('T', ' ');

describe('what ended during a long pause is reported, however much it is:', () => {
	it('incidents of a connector', async () => {
		const settings = { kind: 'connectorStatus', forMs: 5 * MINUTE, resolveAfterMs: 0 } as const;
		const world = stationWorld({ settings });
		await world.pollFrom('08:30', '08:32');
		for (let n = 0; n < 40; n++) {
			world.events.push(
				OCPP16.status(clockAt(8 * n), 'Finishing'),
				OCPP16.status(clockAt(8 * n + 6), 'Available'),
			);
		}
		await world.pollFrom('14:20', '14:25');
		expect(world.items()).toHaveLength(80);
	});

	it.each([OCPP16, OCPP201])('sessions of a station ($name)', async (version) => {
		const settings = { kind: 'sessionEnded', catchUpMs: 24 * 60 * MINUTE } as const;
		const world = stationWorld({ settings });
		await world.pollFrom('08:30', '08:32');
		for (let n = 0; n < 100; n++) {
			const [start, stop] = [clockAt(10 * n), clockAt(10 * n + 8)];
			const [fromWh, toWh] = [1_000 * (n + 1), 1_000 * (n + 2)];
			world.events.push(...version.session({ start, stop, fromWh, toWh }));
		}
		await world.pollFrom('11-24 03:00', '11-24 03:02');
		expect(world.items()).toHaveLength(100);
	});
});
