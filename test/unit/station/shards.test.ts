/** What a shard keeps, and what it leaves out: one poll of it, without a list and a ledger. */
import { eventFromList } from '../../../lib/event';
import type { StationSettings } from '../../../lib/station';
import type { Incident, ReportEntry, ShardState } from '../../../lib/station/common/state';
import { type EventFacts, readFacts } from '../../../lib/station/facts';
import { BareMessages } from '../../../lib/station/fold/signs';
import { nextShard, shardIn, shardOf, shardText } from '../../../lib/station/shards';
import { back, DEFAULTS, lost, message, MINUTE, type StationEvent, time } from './stationWorld';

const AT = time('09:00');
const MOST_BYTES = 128 * 1024;

type Step = Parameters<typeof nextShard>[1];

/** `listed`: the asset list; undefined if it could not be read. */
const stepOf = (
	events: readonly StationEvent[],
	listed: readonly string[] | undefined,
	{ settings, ...more }: Partial<Step> & { readonly settings?: Partial<StationSettings> } = {},
): Step => ({
	events: events.flatMap(({ id, record }): EventFacts[] => {
		const read = readFacts(eventFromList(record, id), Infinity, DEFAULTS);
		return typeof read === 'object' && 'facts' in read ? [read] : [];
	}),
	moment: {
		...{ workflowId: 'w', nodeId: 'n', generation: 1, settings: { ...DEFAULTS, ...settings } },
		...{ watermark: AT + 10 * MINUTE, horizon: Infinity, publishedAt: -Infinity },
		listing: listed && { at: AT, has: (id) => listed.includes(id) },
	},
	...{ settled: new Set(), unlistedLeft: 1_000, unreadUpTo: [], pastUpTo: -Infinity, ...more },
});

const named = (count: number, name = 'made-up') =>
	Array.from({ length: count }, (_unused, n) => `${name}-${n}`);
const stepAt = (watermark: number, ...of: Parameters<typeof stepOf>): Step => {
	const { moment, ...step } = stepOf(...of);
	return { ...step, moment: { ...moment, watermark } };
};
const bytesOf = (text = '') => Buffer.byteLength(text);
const shardOfText = (text: string | undefined): ShardState => {
	const state = shardIn(text);
	if (state === undefined) throw new Error('no state');
	return state;
};
const stationsOf = (text: string | undefined) => [...shardOfText(text).stations.keys()];
const told = (entries: readonly ReportEntry[]) =>
	entries.map(({ assetId, item }) => `${assetId} ${String(item['state'])}`);
const entriesOf = (count: number): ReportEntry[] =>
	named(count, 'inc').map((id, n) => ({
		...{ id, t: AT + n, assetId: 's1' },
		item: { state: n % 2 ? 'resolved' : 'opened', info: '-'.repeat(200) },
	}));
const emptyState: ShardState = {
	...{ kind: 'stationOffline', generation: 1, cut: 0, stations: new Map(), toTell: [] },
};

describe('the text of a shard', () => {
	const d = { error: 'OtherError', vendor: '0x2C' };
	const opening = { t: AT - 1, id: 'whevt_🔌2', connector: '1', d };
	const codes = { errors: ['OtherError'], vendors: ['0x2C'] };
	const incident = {
		...{ id: 'inc', since: AT - 1, reported: 'opened' as const, connector: '1', d },
		...{ from: 'whevt_🔌2', count: 2 },
	};
	const other = { ...opening, t: AT + 5, id: 'whevt_🔌3', opens: 'b' };
	const stateWith = (faults: NonNullable<Incident['faults']>, more = {}): ShardState => ({
		...{ ...emptyState, kind: 'connectorFault', cut: AT },
		stations: new Map([
			[
				's1',
				{
					lines: {
						'1': {
							reports: [
								{ t: AT - 1, id: 'whevt_🔌2', key: 'Faulted', w: 3, d },
								{ t: AT - 7, id: 'whevt_🔌10', key: '' },
								{ t: AT + 7, id: 'whevt_🔋11', key: '', w: 1 },
								{ t: AT + 8, id: 'whevt_🔋12', key: '', n: 1 },
							],
						},
						'2': { reports: [{ t: AT, id: 'whevt_', key: '' }], cut: AT - 9 },
					},
					incidents: { a: { ...incident, ...more, faults } },
				},
			],
		]),
	});

	it.each([
		[[{ ...opening, opens: 'a' }], {}],
		[[{ ...opening, until: AT + 3, d, opens: 'a' }, other], {}],
		[[{ ...opening, ...codes, opens: 'a' }], codes],
		[[{ ...opening, ...codes, opens: 'a' }], {}],
		[[opening], codes],
		[[opening], { connector: undefined }],
		[[{ ...opening, opens: '' }], { d: undefined }],
	])('has all of the state: %j of %j', (faults, more) => {
		const state = stateWith(faults, more);
		expect(shardIn(shardText(state))).toEqual(state);
	});

	it('says once what the fault that opens an incident and its incident have in common', () => {
		const text = shardText(stateWith([{ ...opening, ...codes, opens: 'a' }], codes));
		expect(text).toContain('"faults":[["a"]]');
		expect(text.split('0x2C')).toHaveLength(4);
		expect(text).toContain('"2":{"reports":[[0,""]]');
	});

	it('can be read with whole times and IDs, as they were stored before', () => {
		const text = shardText({ ...emptyState, cut: AT });
		const lines = { '1': [[AT, 'whevt_1', 1]] };
		const before = text
			.replace(/"ids":"[^"]*",/, '')
			.replace('"stations":[]', `"stations":${JSON.stringify([['s1', { lines }]])}`);
		expect(Object.fromEntries(shardOfText(before).stations)).toEqual({
			s1: { lines: { '1': { reports: [{ t: AT, id: 'whevt_1', key: '', w: 1 }] } } },
		});
	});
});

it('a station stays in the shard that holds its state, and stations are spread evenly', () => {
	const ids = ['', 's1', 's2', 'asset_42', 'CP-0001', 'Ladesäule', '🔌', 'a🔌b', '充電'];
	expect(ids.map(shardOf)).toEqual([50, 19, 52, 42, 29, 1, 17, 46, 43]);
	const counts = Map.groupBy(named(6_400), shardOf);
	expect([...counts.keys()].sort((a, b) => a - b)).toEqual([...Array(64).keys()]);
	for (const { length } of counts.values()) expect(length).toBeGreaterThan(50);
});

it('a station may have the name of what each object has', () => {
	const names = ['constructor', '__proto__', 's1'];
	const lines = { ['__proto__']: { reports: [{ t: AT, id: 'whevt_1', key: '' }] } };
	const state = { ...emptyState, stations: new Map(names.map((name) => [name, { lines }])) };
	expect(shardOfText(shardText(state))).toEqual(state);
});

it('a poll of an earlier publication changes nothing', () => {
	const text = shardText({ ...emptyState, generation: 2, toTell: entriesOf(1) });
	expect(nextShard(text, stepOf([lost(AT, 's1')], ['s1']))).toEqual({
		...{ text: undefined, toTell: [], unlisted: 0, tooMany: 0, dropped: 0 },
	});
});

it('opens only as many incidents of stations that are not listed as are left, and each listed one', () => {
	// Names of fields that each object has.
	const ids = ['constructor', 'a', 'b', 'toString', 's1'];
	const events = ids.map((id) => lost(AT, id));
	const after = nextShard(undefined, stepOf(events, ['s1'], { unlistedLeft: 3 }));
	expect(told(after.toTell)).toEqual(
		['constructor', 'a', 'b', 's1'].map((assetId) => `${assetId} opened`),
	);
	expect(after).toMatchObject({ unlisted: 3, tooMany: 1, dropped: 0 });
	const unread = nextShard(undefined, stepOf(events, undefined, { unlistedLeft: 0 }));
	expect(told(unread.toTell)).toEqual(ids.map((assetId) => `${assetId} opened`));
	expect(unread).toMatchObject({ unlisted: 0, tooMany: 0 });
});

it('drops what is reported, and what resolved where that is not wanted', () => {
	const toTell = entriesOf(4);
	const text = shardText({ ...emptyState, toTell: [...toTell] });
	const settled = new Set(['inc-0', 'inc-1']);
	const after = nextShard(text, stepOf([], [], { settled }));
	expect(after.toTell).toEqual(toTell.slice(2));
	expect(shardOfText(after.text).toTell).toEqual(toTell.slice(2));
	const opened = nextShard(text, stepOf([], [], { settled, settings: { reportResolved: false } }));
	expect(opened.toTell).toEqual(toTell.slice(2, 3));
});

it('is written again after a week if it holds something, and otherwise not', () => {
	const WEEK = 7 * 24 * 60 * MINUTE;
	const written = AT + 10 * MINUTE;
	const held = shardText({ ...emptyState, written, cut: 5, toTell: entriesOf(1) });
	expect(nextShard(held, stepAt(written + WEEK - 1, [], [])).text).toBeUndefined();
	const { text } = nextShard(held, stepAt(written + WEEK, [], []));
	expect(shardOfText(text)).toEqual({
		...shardOfText(held),
		...{ written: written + WEEK, cut: written + WEEK - 80 * MINUTE },
	});
	const empty = shardText({ ...emptyState, written });
	expect(nextShard(empty, stepAt(written + WEEK, [], [])).text).toBeUndefined();
	expect(nextShard(undefined, stepAt(written, [], [])).text).toBeUndefined();
});

it('decides at the watermark of the process that has read furthest, and never earlier', () => {
	const after = (minutes: number, events: readonly StationEvent[], text?: string) =>
		nextShard(text, stepAt(AT + minutes * MINUTE, events, ['s1', 's2']));
	const ahead = after(180, [lost(AT + 170 * MINUTE, 's1')]);
	const { cut, written } = shardOfText(ahead.text);
	expect([cut, written]).toEqual([AT + 100 * MINUTE, AT + 180 * MINUTE]);
	const late = lost(AT + 150 * MINUTE, 's2');
	const behind = after(100, [late], ahead.text);
	expect(behind.toTell.map(({ item }) => item['minutes'])).toEqual([10, 30]);
	expect(shardOfText(behind.text).cut).toBe(cut);
	// After the loss of the ledger nothing is decided.
	expect(shardOfText(after(-AT / MINUTE, [late]).text).cut).toBe(0);
});

it('resolves the incidents of a station that two lists lack, ten minutes apart', () => {
	let { text } = nextShard(undefined, stepOf([lost(AT, 's1')], ['s1']));
	const toldWith = (minutes: number, listed: readonly string[]) => {
		const { moment, ...step } = stepOf([], listed, { settled: new Set([opened?.id ?? '']) });
		const listing = { at: AT + minutes * MINUTE, has: (id: string) => listed.includes(id) };
		const after = nextShard(text, { ...step, moment: { ...moment, listing } });
		text = after.text ?? text;
		return after.toTell.map(({ item }) => [item['endedBy'], item['minutes']]);
	};
	const [opened] = shardOfText(text).toTell;
	expect(toldWith(20, [])).toEqual([]);
	expect(toldWith(25, ['s1'])).toEqual([]);
	expect(toldWith(30, [])).toEqual([]);
	expect(toldWith(39.99, [])).toEqual([]);
	expect(toldWith(40, [])).toEqual([['removed', 40]]);
});

it('forgets a station that is back an hour later, unless older events are still to be read', () => {
	const step = stepOf([lost(AT, 's1'), back(AT + MINUTE, 's1')], undefined);
	const { text } = nextShard(undefined, step);
	expect(stationsOf(text)).toEqual(['s1']);
	const at = AT + 180 * MINUTE;
	const later = (unreadUpTo: readonly number[]) =>
		nextShard(text, stepAt(at, [lost(at, 's2')], undefined, { unreadUpTo }));
	expect(stationsOf(later([]).text)).toEqual(['s2']);
	expect(stationsOf(later([AT - MINUTE]).text)).toEqual(['s1', 's2']);
});

it.each([
	['has lost its connection in the same poll', [lost(AT, 's1')], undefined],
	['had lost it before', [], nextShard(undefined, stepOf([lost(AT, 's1')], ['s1'])).text],
])('a message that says nothing else is of use to a station that %s', (_name, events, text) => {
	const bare = new BareMessages();
	const heartbeats = ['s1', 's2'].map((id) => message(AT + 6 * MINUTE, id, ['Heartbeat', {}]));
	for (const read of stepOf([...heartbeats, back(AT, 's3')], undefined).events)
		expect([read.assetId, bare.add(read)]).toEqual([read.assetId, read.assetId !== 's3']);
	const next = (step: Step) => nextShard(text, step);
	const after = next({ ...stepOf(events, ['s1']), bare });
	expect(stationsOf(after.text)).toEqual(['s1']);
	expect(told(after.toTell)).toEqual(['s1 opened', 's1 resolved']);
	expect(after).toEqual(next(stepOf([...events, ...heartbeats], ['s1'])));
});

describe('of stations that are not listed', () => {
	const ids = named(130);
	const soon = (events: readonly StationEvent[], listed?: readonly string[]) =>
		stepAt(AT + MINUTE, events, listed);
	/** The state of one that is not listed either, and that has an incident. */
	const known = nextShard(
		undefined,
		stepAt(AT - 10 * MINUTE, [lost(AT - 20 * MINUTE, 'known')], []),
	).text;
	// Those around the hundredth are of the same time.
	const made = ids.map((id, n) => lost(AT + (n === 29 ? 30 : n), id));

	it('the newest hundred stay, and all that are listed', () => {
		const after = nextShard(undefined, soon([lost(AT - 1, 's1'), ...made], ['s1']));
		const left = new Set(['s1', 'made-up-29', ...ids.slice(31)]);
		expect([after.dropped, new Set(stationsOf(after.text))]).toEqual([30, left]);
	});

	it('one stays that has another event among the newest, and one that is known and has an incident', () => {
		const again = [back(AT + 200, 'made-up-0'), ...made, lost(AT - 1, 'known')];
		const after = nextShard(known, soon(again, []));
		const left = new Set(['known', 'made-up-0', ...ids.slice(32)]);
		expect([after.dropped, new Set(stationsOf(after.text))]).toEqual([31, left]);
	});

	it('all stay where the list could not be read, and those are not counted that are too late', () => {
		const all = nextShard(undefined, soon(made));
		expect([all.dropped, stationsOf(all.text)]).toEqual([0, ids]);
		const text = shardText({ ...emptyState, cut: AT + 1_000, written: AT });
		expect(nextShard(text, soon(made, []))).toMatchObject({ text: undefined, dropped: 0 });
	});
});

describe('a state that is too large', () => {
	it('keeps listed stations before others, those with an incident before others, and the newest', () => {
		const early = (id: string, n: number) => lost(AT - n, id);
		const late = (id: string, n: number) => lost(AT + 8 * MINUTE - n, id);
		const events = [
			...[...named(5, 'with').map(early), ...named(5, 'open').map(early)],
			...[...named(5, 'made').map(late), ...named(20, 'listed').map(late)],
		];
		const { stations } = shardOfText(nextShard(undefined, stepAt(AT, events, undefined)).text);
		/** Six kilobytes for each station. */
		const long = (id: string) => id.padEnd(6_000, '-');
		const isListed = (id: string) => /^(listed|open)/.test(id);
		const left = (names: readonly string[]) => {
			const some = names.map((id) => [long(id), stations.get(id) ?? {}] as const);
			const text = shardText({ ...emptyState, stations: new Map(some) });
			const after = nextShard(text, stepOf([], names.filter(isListed).map(long)));
			const kept = stationsOf(after.text).map((id) => id.replace(/-+$/, ''));
			expect(bytesOf(after.text)).toBeLessThanOrEqual(MOST_BYTES);
			expect(bytesOf(after.text)).toBeGreaterThan(MOST_BYTES - 6_500);
			expect(after.dropped).toBe(names.length - kept.length);
			return kept.sort();
		};
		const all = [...stations.keys()];
		const [open, listed] = [named(5, 'open'), named(5, 'listed')];
		expect(left(all)).toEqual([...listed, ...open]);
		// The items of those with incidents stay, too.
		expect(left(all.filter((id) => !/^listed-([3-9]|1\d)/.test(id)))).toEqual([
			...[...listed.slice(0, 3), ...open],
			...['with-0', 'with-1'],
		]);
	});

	it('keeps the first thousand items, and fewer if they are too large', () => {
		const small = entriesOf(1_003).map((entry) => ({ ...entry, item: {} }));
		const text = (toTell: readonly ReportEntry[]) =>
			shardText({ ...emptyState, toTell: [...toTell] });
		const thousand = nextShard(text(small), stepOf([], []));
		expect([thousand.dropped, thousand.toTell]).toEqual([3, small.slice(0, 1_000)]);
		const large = entriesOf(900);
		const after = nextShard(text(large), stepOf([], []));
		expect(after.toTell).toEqual(large.slice(0, after.toTell.length));
		expect(after.dropped).toBe(900 - after.toTell.length);
		expect(shardOfText(after.text).toTell).toEqual(after.toTell);
		expect(bytesOf(after.text)).toBeLessThanOrEqual(MOST_BYTES);
		expect(bytesOf(after.text)).toBeGreaterThan(MOST_BYTES - 350);
	});
});
