/** The results of the jobs that read the event list, for rows in any order and with any copies. */
import { at, type Json, run, SEEDS, shuffled } from './codeNode';

/** In another order, some of them twice. */
const disordered = (rows: readonly Json[], seed: number) =>
	shuffled([...rows, ...rows.filter((_row, n) => n % 2 === 0).map((row) => ({ ...row }))], seed);

describe('Decide of the offline alarm', () => {
	const row = (event: string, minutesAgo: number, status: string, assetId = 'asset') => ({
		...{ event, assetId, at: at(minutesAgo), status },
	});
	const rows = [
		row('a', 60, 'DISCONNECTED'),
		row('b', 58, 'DISCONNECTED'),
		row('c', 40, 'CONNECTED'),
		row('d', 30, 'DISCONNECTED'),
		row('e', 28, 'CONNECTED'),
		row('f', 10, 'DISCONNECTED'),
		row('x', 50, 'CONNECTED', 'other'),
	];
	const decide = (id: string, input: readonly Json[]) =>
		run('offline-alarm.json', 'Decide', input, {
			Settings: [{ id, offlineMinutes: 5, data: { asset: { id: 'asset' } } }],
		});
	const outage = { offlineSince: at(60), backAt: at(40), offlineMinutes: 20, assetId: 'asset' };

	it.each<[string, Json[]]>([
		['a', [{ notice: 'offline', ...outage }]],
		['b', []],
		['c', [{ notice: 'recovered', ...outage }]],
		['d', []],
		['e', []],
		[
			'f',
			[
				{
					...{ notice: 'offline', assetId: 'asset' },
					...{ offlineSince: at(10), backAt: null, offlineMinutes: null },
				},
			],
		],
	])('comes to the same for the event %s', (id, expected) => {
		for (const seed of SEEDS) expect(decide(id, disordered(rows, seed))).toEqual(expected);
	});
});

describe('New faults of fault to reset', () => {
	const row = (event: string, minutesAgo: number, errorCode: string, connectorId = 1) => ({
		...{ event, assetId: 'asset', at: at(minutesAgo), errorCode, connectorId },
	});
	const rows = [
		row('a', 100, 'OtherError'),
		row('b', 30, 'OtherError'),
		row('c', 20, 'OtherError'),
		row('d', 10, 'InternalError'),
		row('e', 5, 'NoError', 2),
	];
	const find = (id: string, input: readonly Json[], listed: Json = {}) =>
		run('fault-to-reset.json', 'New faults', input, {
			Settings: [
				{
					...{ id, createdAt: at(1), quietMinutes: 60, resetFor: 'InternalError, OtherError' },
					data: { asset: { id: 'asset' }, payload: {} },
				},
			],
			'List events': [listed],
		});

	it.each<[string, Json[]]>([
		['a', [{ errorCode: 'OtherError', reset: false }]],
		['b', [{ errorCode: 'OtherError', reset: true }]],
		['c', []],
		['d', [{ errorCode: 'InternalError', reset: false }]],
		['e', [{ errorCode: 'NoError', connectorId: 2, reset: false }]],
	])('comes to the same for the event %s', (id, expected) => {
		for (const seed of SEEDS) expect(find(id, disordered(rows, seed))).toMatchObject(expected);
		expect(find(id, rows)).toHaveLength(expected.length);
	});

	it('sends the notice but no reset when no event can be listed', () => {
		expect(find('b', rows, { error: 'down' })).toMatchObject([{ reset: false }]);
	});
});

describe.each([
	['offline-alarm.json', 'Decide'],
	['fault-to-reset.json', 'New faults'],
	['sessions-to-table.json', 'Join start and stop'],
])('Add names of %s', (file, source) => {
	const known = { [source]: [{ assetId: 'one' }, { assetId: 'two' }] };

	it('names the stations that are listed, and keeps the ID of others', () => {
		const assets = [{ id: 'one', name: 'Gare du Nord 2' }, { id: 'two' }];
		expect(run(file, 'Add names', assets, known)).toEqual([
			{ assetId: 'one', station: 'Gare du Nord 2' },
			{ assetId: 'two', station: 'two' },
		]);
	});

	it('keeps the IDs when no asset can be listed', () => {
		expect(run(file, 'Add names', [{ error: 'down' }], known)).toMatchObject([
			{ station: 'one' },
			{ station: 'two' },
		]);
	});
});
