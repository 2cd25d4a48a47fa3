/** What the records of a Station Trigger hold is read only if all of it is as this version writes it. */
import { watchedSettings } from '../../../lib/station';
import { type Head, headFormat } from '../../../lib/station/common/head';
import { type ShardState, toStoredShard } from '../../../lib/station/common/state';
import { placesFormat } from '../../../lib/station/knownPlaces';
import { shardIn, shardText } from '../../../lib/station/shards';
import { recordIn, recordText } from '../../support/records';
import { DEFAULTS, time } from './stationWorld';

const DETAIL = { status: 's', error: 'e', vendor: 'v', info: 'i' };
const FAULT = {
	...{ t: 1, id: 'f', connector: '1/1', began: '1', until: 2, d: DETAIL },
	...{ errors: ['e'], vendors: ['v'], opens: 'e' },
};
const INCIDENT = {
	...{
		id: 'inc',
		since: 1,
		begun: 2,
		until: 2,
		after: 0,
		closedUntil: 2,
		connector: '1',
		d: DETAIL,
	},
	...{ reported: 'closed' as const, from: 'a', to: 'b', boot: true, count: 1, faults: [FAULT] },
	...{ errors: ['e'], vendors: ['v'], listed: true, missing: 3 },
};
const MOMENT = { t: 1, at: 2, raw: 3, last: 4 };
const REGISTERS = (['begin', 'end', 'start', 'stop'] as const).map((c, n) => ({
	...{ t: 1, d: 2, wh: 3, n, c, l: 'Outlet', gap: 4 },
}));
/** They say no more than this, and are stored shorter. */
const SHORT_REGISTERS = [
	{ t: 1, wh: 3 },
	{ t: 1, wh: 3, d: 2 },
	{ t: 1, wh: 3, n: 4 },
	{ t: 1, wh: 3, d: 2, n: 4, c: 'begin' as const },
];
const SHORT_STOP = { t: 4, id: 'ab', tx: '7', told: true };
const STATE: ShardState = {
	...{ kind: 'connectorFault', generation: 1, cut: 2, written: 3 },
	stations: new Map([
		[
			's1',
			{
				lines: {
					'2': { reports: [{ t: 1, id: 'ar', key: '' }] },
					'1': {
						reports: [
							{ t: 1, id: 'r', key: 'k', c: 'c', w: 3, v: false, m: true, quiet: true, d: DETAIL },
						],
						cut: 1,
					},
				},
				boots: [
					{ t: 1, id: 'b', m: 'm', r: true },
					{ t: 1, id: 'a', as: 'asked' },
					{ t: 1, id: 'c', as: 'refused', m: 'm' },
				],
				faults: [FAULT],
				incidents: {
					'1': INCIDENT,
					'2': { ...INCIDENT, reported: 'opened' },
					'3': { ...INCIDENT, reported: 'muted' },
				},
				sessions: {
					starts: [
						{
							...{ ...MOMENT, id: 'a', connector: '1', wh: 1, readings: REGISTERS, tx: '7' },
							...{ messages: ['m'], tag: 'T', name: '8', over: 5, unended: true, unsure: true },
							next: { t: 6, at: 7 },
						},
						{ t: 2, at: 2, id: 'ab', readings: SHORT_REGISTERS, messages: [] },
					],
					stops: [
						{
							...{ ...MOMENT, id: 'ac', tx: '7', connector: '1', wh: 2, reason: 'Local' },
							...{ readings: REGISTERS, tag: 'T', told: true, found: true },
							named: [{ connector: '1', t: 1, at: 2 }],
						},
						{ ...SHORT_STOP, at: 4 },
						{ ...SHORT_STOP, at: 3, wh: 2, found: true },
					],
					named: [{ t: 1, last: 2, message: 'm', tx: '7', refused: true }],
					metered: [
						{
							...{
								t: 1,
								tx: '7',
								connector: '1',
								readings: REGISTERS,
								said: [{ t: 1, wh: -1, u: true }],
							},
							who: [{ at: 2, name: 'T' }],
						},
					],
					answered: 1,
					told: [
						{ t: 60_000, start: 'abcde', stop: '.....' },
						{ t: time('09:00'), start: '.....', stop: 'a-b_c' },
					],
				},
			},
		],
	]),
	toTell: [{ id: 'inc.opened', t: 1, assetId: 's1', item: {} }],
};

const HEAD = {
	...{ as: 'a', publishedAt: 1, polls: 2, generation: 3, polledAt: 4, toldUntil: 5 },
	...{ past: { from: 6, upTo: 7 }, unlisted: { day: 8, count: 9 } },
	position: {
		...{ knownUpTo: 1, newestAt: 2, order: 'newestFirst', isBehind: true },
		looks: [{ at: 3, from: 1, after: 'a' }],
		stretches: [{ after: 'a', by: 1, backTo: 2, upTo: 3, kind: 'look', lookTo: 4 }],
		trail: [{ id: 'a', at: 1 }],
	},
};

const PLACES = { generation: 1, written: 2, stations: [['s1', { '1/1': 1 }]] };

/** Copies in each of which one value, at whatever depth, is of another type. */
function* damaged(value: unknown): Generator {
	if (typeof value !== 'object' || value === null) {
		yield typeof value === 'string' ? 0 : 'text';
		return;
	}
	yield 'text';
	for (const [name, part] of Object.entries(value)) {
		for (const other of damaged(part)) {
			yield Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other };
		}
	}
}

it.each([
	[
		'a shard',
		recordIn(shardText(STATE)) as Record<string, unknown>,
		(value: unknown) => {
			const state = shardIn(recordText(value));
			return state && toStoredShard(state);
		},
	],
	['the head', HEAD, (value: unknown) => headFormat.read(headFormat.write(value as Head))],
	[
		'the places of stations',
		PLACES,
		(value: unknown) => placesFormat.read(placesFormat.write(value as never)),
	],
	['a publication', { ...DEFAULTS, includeIdTag: true }, watchedSettings],
])('%s: not if anything in it is of another type', (_name, whole, read) => {
	expect(read(whole)).toEqual(whole);
	const copies = [...damaged(whole)];
	expect(copies.length).toBeGreaterThan(Object.keys(whole).length);
	for (const copy of copies) expect([copy, read(copy)]).toEqual([copy, undefined]);
});

it.each(['stationOffline', 'connectorStatus', 'connectorFault', 'sessionEnded'] as const)(
	'a shard and a publication of %s',
	(kind) => {
		expect(shardIn(shardText({ ...STATE, kind }))).toEqual({ ...STATE, kind });
		for (const scope of ['code', 'connector', 'station'] as const) {
			const settings = { ...DEFAULTS, kind, scope };
			expect(watchedSettings({ ...settings, later: 1 })).toStrictEqual(settings);
		}
		const other = `${kind} of another version`;
		expect(shardIn(shardText({ ...STATE, kind: other as never }))).toBeUndefined();
		expect(watchedSettings({ ...DEFAULTS, kind: other })).toBeUndefined();
	},
);
