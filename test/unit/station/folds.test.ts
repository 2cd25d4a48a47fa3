/**
 * The state of a shard by itself, without polls, pages and a ledger: whatever the order and the batches in which events are
 * read, stretch by stretch from the newest to the oldest, the same is decided, and it is what Get Incidents returns of the
 * past. `RUNS` sets the number of stories: 200 in `nightly.yml`.
 */
import fc from 'fast-check';
import { eventFromList } from '../../../lib/event';
import type { StationSettings } from '../../../lib/station';
import type { ReportEntry } from '../../../lib/station/common/state';
import { type EventFacts, readFacts } from '../../../lib/station/facts';
import { BareMessages } from '../../../lib/station/fold/signs';
import { nextPlaces, type PlacesAfter } from '../../../lib/station/knownPlaces';
import { incidentsIn } from '../../../lib/station/past/ask';
import { WANTS_OF } from '../../../lib/station/past/read';
import { nextShard, type ShardAfter, shardText } from '../../../lib/station/shards';
import { casesOf } from '../../support/cases';
import { askPast } from './past/pastWorld';
import { back, DEFAULTS, message, MINUTE, type StationEvent } from './stationWorld';
import {
	connections,
	FROM,
	type Happening,
	happenings,
	KINDS,
	LATE_MINUTES,
	type Story,
	type Version,
} from './stories';

const RUNS = casesOf({ few: 1, all: 8 });
const SEED = process.env['SEED'];
const SLOW_MS = RUNS * 1_000 + 60_000;
const SETTLED_MINUTES = 480;
const TIED_MS = 5 * MINUTE;
/** By then all that happens is listed, and everything is over. */
const OVER_AT = FROM + 160 * MINUTE;

const CASES = KINDS.flatMap(([name, story, settings]) =>
	(['OCPP 1.6', 'OCPP 2.0.1', 'updated'] as const)
		.filter((version) => version !== 'updated' || settings.kind !== undefined)
		.map((version) => [name, version, story, settings] as const),
);

interface Read extends EventFacts {
	readonly listedAt: number;
}

function told(content: readonly Happening[], story: Story, version: Version, isLate: boolean) {
	return content.flatMap((happening, n) =>
		story(happening, n, version).map((event, part) => {
			const lateMs = isLate ? ((happening.lateMinutes * (part + 1)) % LATE_MINUTES) * MINUTE : 0;
			return { ...event, listedAt: event.listedAt + lateMs };
		}),
	);
}

/** The last events say that all is well. */
function eventsOf(...content: Parameters<typeof told>) {
	const [, , version] = content;
	return [...told(...content), ...['s1', 's2'].flatMap((asset) => allWell(asset, version))];
}

function allWell(asset: string, version: Version): StationEvent[] {
	if (version === 'OCPP 1.6') {
		return [1, 2].map((connectorId) =>
			message(OVER_AT + connectorId, asset, [
				'StatusNotification',
				{ connectorId, status: 'Available', errorCode: 'NoError' },
			]),
		);
	}
	const places = [{ id: 1 }, { id: 1, connectorId: 1 }, { id: 1, connectorId: 2 }];
	const eventData = places.flatMap((evse) => [
		...['EVSE', 'Connector'].map((name) => ({
			...{ component: { name, evse }, variable: { name: 'AvailabilityState' } },
			actualValue: 'Available',
		})),
		...[0, 1, 2].map((lock) => ({
			...{ component: { name: `Lock${lock}`, evse }, variable: { name: 'Problem' } },
			actualValue: 'false',
		})),
	]);
	return [message(OVER_AT, asset, ['NotifyEvent', { eventData }])];
}

function readAll(events: readonly StationEvent[], settings: StationSettings): Read[] {
	return events.flatMap(({ id, record, listedAt }) => {
		const read = readFacts(eventFromList(record, id), Infinity, settings);
		return typeof read === 'object' && 'facts' in read ? [{ ...read, listedAt }] : [];
	});
}

interface Way {
	/** The minutes between polls, in turn. */
	readonly pauses: readonly number[];
	/** In how many stretches a poll's range is read, one per poll and the newest first, in turn. */
	readonly stretches: readonly number[];
	readonly isReversed: boolean;
	/** Each poll decides about all again, as after a restart: otherwise only about what may have changed since the poll before. */
	readonly isForgetful: boolean;
}

/** Each poll reads contiguously from the newest event back to the oldest that is not read, and two minutes more. */
function play(events: readonly Read[], settings: StationSettings, way: Way): ReportEntry[] {
	const told = new Map<string, ReportEntry>();
	const read = new Set<string>();
	let text: string | undefined;
	let known: PlacesAfter['next'];
	let watermark = FROM - MINUTE;
	let readUntil = watermark;
	let decidedAt: number | undefined;
	let kept: ShardAfter['state'];
	/** What is being read, the newest first: its rest is unread. */
	const unread: Read[][] = [];
	for (let at = FROM, n = 0; at <= FROM + SETTLED_MINUTES * MINUTE; n++) {
		at += (way.pauses[n % way.pauses.length] ?? 1) * MINUTE;
		if (unread.length === 0) {
			const listed = events.filter(({ listedAt }) => listedAt <= at);
			const from = Math.min(
				at,
				...listed.filter(({ eventId }) => !read.has(eventId)).map((one) => one.at),
			);
			const range = listed.filter((one) => one.at >= from - 2 * MINUTE).sort((a, b) => b.at - a.at);
			const size = Math.ceil(range.length / (way.stretches[n % way.stretches.length] ?? 1));
			// A response is read with its call.
			for (let first = 0; first < range.length;) {
				let end = first + size;
				while ((range[end - 1]?.at ?? NaN) - (range[end]?.at ?? NaN) <= 1) end++;
				unread.push(range.slice(first, end));
				first = end;
			}
			// What is listed from now on is newer than the poll that listed it, or late: the next range has it.
			readUntil = at - MINUTE;
		}
		const batch = unread.shift() ?? [];
		if (unread.length === 0) watermark = readUntil;
		const end = unread[0]?.[0]?.at;
		for (const { eventId } of batch) read.add(eventId);
		const moment = {
			...{ workflowId: 'w', nodeId: 'n', generation: 1, settings, publishedAt: -Infinity },
			...{
				watermark,
				horizon: unread.length === 0 ? Infinity : watermark + MINUTE,
				listing: undefined,
			},
		};
		const said = way.isReversed ? batch : batch.toReversed();
		const { places, next = known } = nextPlaces(known, said, moment);
		known = next;
		const bare = new BareMessages();
		const step = {
			...(unread.length === 0 && { bare }),
			...{ events: unread.length === 0 ? said.filter((one) => !bare.add(one)) : said, places },
			...{ moment, settled: new Set(told.keys()), unlistedLeft: 0 },
			...{ unreadUpTo: end === undefined ? [] : [end], pastUpTo: -Infinity, decidedAt },
		};
		const after = nextShard(text, step, kept);
		text = after.text ?? text;
		if (!way.isForgetful) {
			decidedAt = watermark;
			kept = after.state;
			// A poll continues with it as with the text.
			if (kept !== undefined && text !== undefined) expect(shardText(kept)).toBe(text);
		}
		for (const entry of after.toTell) {
			told.set(entry.id, told.get(entry.id) ?? entry);
		}
	}
	return [...told.values()];
}

/** Created at one of a few times, and listed when it was. */
function tied(event: StationEvent): StationEvent {
	const at = Date.parse(event.createdAt);
	const createdAt = new Date(at - (at % TIED_MS)).toISOString();
	return { ...event, createdAt, record: { ...event.record, createdAt } };
}

/** The places, or EVSEs, of what is open. */
function openPlaces(entries: readonly ReportEntry[]): string[] {
	const ids = new Set(entries.map(({ id }) => id));
	return entries.flatMap(({ assetId, item }) => {
		const { state, incident, connector, status } = item;
		if (state !== 'opened' || ids.has(`${String(incident)}.resolved`)) return [];
		return [[assetId, String(connector).split('/')[0], status].join(' ')];
	});
}

/** What Get Incidents finds in the same events, once all is over. */
async function pastOf(
	events: readonly StationEvent[],
	settings: StationSettings,
): Promise<ReportEntry[]> {
	const period = { from: FROM - MINUTE, now: FROM + SETTLED_MINUTES * MINUTE };
	const { past } = await askPast(events, WANTS_OF[settings.kind], period);
	const owner = { workflowId: 'w', nodeId: 'n' };
	const found = await incidentsIn({ past, owner, assetIds: undefined }, settings);
	return found.flatMap(({ entries }) => [...entries]);
}

/** Without what depends on when it is decided. */
const shown = (entries: readonly ReportEntry[]) =>
	entries
		.map(({ item, assetId }) => {
			if (item['state'] !== 'opened') return JSON.stringify({ assetId, ...item });
			const { id, since, connector, status } = item;
			return JSON.stringify({ assetId, id, since, connector, status });
		})
		.sort();

/** Incidents without an end, or without a beginning. */
function unpaired(entries: readonly ReportEntry[]): unknown[] {
	const ids = new Set(entries.map(({ id }) => id));
	return entries.filter(({ item }) => {
		const other = item['state'] === 'opened' ? 'resolved' : 'opened';
		return !ids.has(`${String(item['incident'])}.${other}`);
	});
}

/** Two incidents of one part at the same time, by the codes with which they opened. */
function overlapping(entries: readonly ReportEntry[], { kind, scope }: StationSettings): unknown[] {
	const opened = new Map(entries.map((entry) => [entry.id, entry.item]));
	const resolved = entries.filter(({ item }) => item['state'] === 'resolved');
	const byPart = Object.groupBy(resolved, ({ assetId, item }) => {
		const { connector, status, errorCode, vendorErrorCode } =
			opened.get(`${String(item['incident'])}.opened`) ?? item;
		const code =
			kind === 'connectorStatus' ? status : scope === 'code' && [errorCode, vendorErrorCode];
		return JSON.stringify([assetId, connector, code]);
	});
	const sinceOf = ({ item }: ReportEntry) => Date.parse(String(item['since']));
	return Object.values(byPart).flatMap((items = []) => {
		const sorted = items.toSorted((a, b) => sinceOf(a) - sinceOf(b));
		return sorted.slice(1).flatMap((entry, n) => {
			const until = Date.parse(String(sorted[n]?.item['until']));
			return until <= sinceOf(entry) ? [] : [[sorted[n]?.item, entry.item]];
		});
	});
}

const ways = fc.record({
	pauses: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 6 }),
	stretches: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
	isReversed: fc.boolean(),
	isForgetful: fc.boolean(),
});
const OFTEN: Way = { pauses: [2], stretches: [1], isReversed: false, isForgetful: false };
const parameters = {
	...{ numRuns: RUNS, endOnFailure: process.env['RUNS'] === undefined },
	...(SEED !== undefined && { seed: Number(SEED) }),
};

/** Found by the property below: the kind of state, what happens (second, station 1 or 2, connector, what), and the way it is read. */
const FOUND = [
	[
		'the second of two signs of life is read before the lost connection',
		'stationOffline',
		[
			[7, 1, 1, 3],
			[0, 2, 1, 0],
			[7, 1, 1, 3],
			[0, 1, 1, 0],
		],
		{ pauses: [1, 1], stretches: [2, 1] },
	],
	[
		'the report of a connector is forgotten before that of its EVSE',
		'connectorFault, station, 1',
		[
			[1379, 1, 1, 2],
			[0, 1, 1, 0],
			[0, 1, 2, 0],
			[505, 1, 1, 2],
			...[0, 0, 0].map((second) => [second, 2, 1, 0] as const),
			[1623, 1, 1, 0],
		],
		{ pauses: [14, 4, 28], stretches: [1] },
	],
	[
		'an EVSE is faulted again once it is known to be the place of the problem of its connector',
		'connectorFault, connector, 1',
		[
			[153, 2, 1, 2],
			[546, 2, 2, 2],
			[1077, 2, 1, 0],
			[599, 2, 2, 0],
			[1097, 2, 1, 2],
		],
		{ pauses: [400] },
	],
	[
		'the only connector of a faulted EVSE is known after the time in which faults count',
		'connectorFault, station, 3',
		[
			[1054, 1, 2, 2],
			[5, 1, 1, 2],
			[2, 1, 1, 2],
			[3003, 1, 2, 2],
		],
		{ pauses: [400] },
	],
	[
		'a fault of an EVSE has no code, and the problem of its connector has one',
		'connectorFault, station, 1',
		[
			[2226, 1, 1, 2],
			[3037, 1, 1, 2],
			[5101, 1, 1, 0],
			...[0, 0, 0, 0].map((second) => [second, 2, 1, 0] as const),
		],
		{ pauses: [12, 1], stretches: [1] },
	],
	[
		'the connection after a boot that is back is read before the lost one',
		'connectorFault, code, 1',
		[
			[4875, 2, 1, 0],
			[4028, 2, 1, 1],
			[1596, 2, 1, 2],
			[0, 2, 1, 0],
			[0, 2, 1, 0],
			[4560, 2, 1, 0],
		],
		{ pauses: [2, 15], isReversed: true },
	],
	[
		'the end of another code is read before a problem, and with its end',
		'connectorFault, connector, 1',
		[
			[3386, 1, 1, 0],
			[0, 2, 1, 0],
			[3674, 1, 1, 0],
			[1838, 1, 1, 2],
			[0, 2, 1, 0],
		],
		{ pauses: [26, 10], stretches: [2] },
	],
	[
		'the problem of a connector comes before another one is known to be the only one of a faulted EVSE',
		'connectorFault, station, an hour',
		[
			[125, 1, 1, 2],
			[0, 2, 1, 0],
			[4403, 1, 1, 2],
			[0, 2, 1, 0],
			[1054, 1, 2, 2],
		],
		{ pauses: [1, 2] },
	],
	[
		'a faulted EVSE and the problem of its connector are found to be of one place',
		'connectorFault, station, an hour',
		[
			[125, 1, 1, 2],
			[0, 2, 1, 0],
			[4403, 1, 2, 2],
			[0, 2, 1, 0],
			[1054, 1, 2, 2],
		],
		{ pauses: [1, 2] },
	],
	[
		'the fault of an EVSE is over before its only connector is known, which has a problem',
		'connectorFault, station, 3',
		[
			[1549, 2, 1, 0],
			[277, 2, 1, 2],
			[246, 2, 1, 2],
			[1398, 2, 2, 2],
			[2043, 2, 1, 2],
		],
		{ pauses: [1, 10] },
	],
	[
		'the fault of an EVSE is over after its only connector is known, which has a problem',
		'connectorFault, station, 3',
		[
			[2065, 2, 1, 0],
			[277, 2, 1, 2],
			[246, 2, 1, 2],
			[1398, 2, 2, 2],
			[2043, 2, 1, 2],
		],
		{ pauses: [1, 10] },
	],
	[
		'an EVSE is faulted once it has two connectors, while the first of them is',
		'connectorFault, station, 1',
		[
			[4941, 1, 1, 0],
			[651, 1, 2, 0],
			[0, 1, 1, 2],
			[3129, 1, 1, 2],
			...[0, 0, 0, 0].map((second) => [second, 2, 1, 0] as const),
		],
		{ pauses: [1, 10], stretches: [1] },
	],
	[
		'a problem comes while a boot may have ended the fault of its EVSE',
		'connectorFault, connector, 1',
		[
			[2041, 2, 1, 0],
			[4014, 1, 1, 1],
			[4134, 1, 1, 2],
			[4015, 1, 1, 0],
			[0, 2, 1, 0],
			[1921, 2, 1, 0],
			[1577, 1, 1, 2],
			[0, 2, 1, 0],
		],
		{ pauses: [11, 12], stretches: [2] },
	],
] as const;

it.each(FOUND)('decides the same, though %s', (_what, kind, content, way) => {
	const [, , story, changes] =
		CASES.find(([name, version]) => name === kind && /2/.test(version)) ?? [];
	const settings = { ...DEFAULTS, ...changes };
	const happened = content.map(([second, station, connector, what]): Happening => {
		const isFirst = station === 1;
		return { second, isFirst, connector, what, lateMinutes: 0, isAgain: false };
	});
	const events = readAll(eventsOf(happened, story ?? connections, 'OCPP 2.0.1', false), settings);
	const told = play(events, settings, { ...OFTEN, ...way });
	expect(shown(told)).toEqual(shown(play(events, settings, OFTEN)));
});

/** Of the kind of state in a version: what happens at station 2 (second, connector, what, minutes until it is listed). */
const FOUND_LATE = [
	[
		'a second connector shows that the state of the first one was that of their EVSE',
		'connectorStatus, OCPP 2.0.1',
		[
			[4821, 1, 3, 0],
			[4365, 1, 3, 0],
			[4123, 2, 0, 24],
			...[0, 0, 0].map((second) => [second, 1, 0, 0] as const),
			[4375, 1, 0, 0],
		],
	],
	[
		'a second connector shows that after an incident of the EVSE, which is found to have lasted',
		'connectorStatus, updated',
		[
			[4821, 1, 3, 0],
			[4361, 1, 3, 20],
			[4123, 2, 0, 24],
			...[0, 0].map((second) => [second, 1, 0, 0] as const),
			[4, 1, 3, 0],
			[4375, 1, 0, 0],
		],
	],
] as const;

it.each(FOUND_LATE)('makes no second incident and ends each, though %s', (_what, kind, content) => {
	const [, version, story, changes] =
		CASES.find(([name, version]) => `${name}, ${version}` === kind) ?? [];
	const settings = { ...DEFAULTS, ...changes };
	const happened = content.map(([second, connector, what, lateMinutes]): Happening => ({
		...{ second, connector, what, lateMinutes },
		...{ isFirst: false, isAgain: false },
	}));
	const events = eventsOf(happened, story ?? connections, version ?? 'OCPP 2.0.1', true);
	const told = play(readAll(events, settings), settings, { ...OFTEN, pauses: [15, 1, 7] });
	expect(told.length).toBeGreaterThan(0);
	expect([unpaired(told), overlapping(told, settings)]).toEqual([[], []]);
});

it('decides what Get Incidents finds in the past, though a connector is named while a boot may have ended the fault of its EVSE', async () => {
	const [, , story = connections, changes] =
		CASES.find(([name, version]) => name === 'connectorFault, code, 1' && /2/.test(version)) ?? [];
	const settings = { ...DEFAULTS, ...changes };
	const content: Happening[] = [
		{ second: 430, isFirst: true, connector: 2, what: 2, lateMinutes: 0, isAgain: true },
		{ second: 9, isFirst: true, connector: 1, what: 2, lateMinutes: 0, isAgain: true },
		{ second: 559, isFirst: true, connector: 2, what: 2, lateMinutes: 0, isAgain: false },
		{ second: 1175, isFirst: true, connector: 2, what: 3, lateMinutes: 0, isAgain: true },
	];
	const events = content.flatMap((happening, n) => story(happening, n, 'OCPP 2.0.1'));
	const told = play(readAll(events, settings), settings, OFTEN);
	expect(told.length).toBeGreaterThan(0);
	expect(shown(await pastOf(events, settings))).toEqual(shown(told));
});

describe.each(CASES)('%s, %s', (_name, version, story, changes) => {
	const settings = { ...DEFAULTS, ...changes };
	const isOffline = settings.kind === 'stationOffline';
	const all = (content: readonly Happening[], isLate: boolean) => {
		const events = eventsOf(content, story, version, isLate);
		const ends = isOffline ? ['s1', 's2'].map((asset) => back(OVER_AT, asset)) : [];
		return readAll([...events, ...ends], settings);
	};

	it(
		'decides the same, in any order and in any batches',
		() => {
			fc.assert(
				fc.property(happenings, ways, (content, way) => {
					const events = all(content, false);
					const told = play(events, settings, way);
					expect(shown(told)).toEqual(shown(play(events, settings, OFTEN)));
					expect(unpaired(told)).toEqual([]);
				}),
				parameters,
			);
		},
		SLOW_MS,
	);

	it(
		'decides what Get Incidents finds in the past, also of incidents that last',
		async () => {
			await fc.assert(
				fc.asyncProperty(happenings, async (content) => {
					const events = content.flatMap((happening, n) => story(happening, n, version));
					const told = play(readAll(events, settings), settings, OFTEN);
					expect(shown(await pastOf(events, settings))).toEqual(shown(told));
				}),
				parameters,
			);
		},
		SLOW_MS,
	);

	it(
		'makes no second incident of a late event, and ends each',
		() => {
			fc.assert(
				fc.property(happenings, ways, (content, way) => {
					const told = play(all(content, true), settings, way);
					expect(unpaired(told)).toEqual([]);
					expect(overlapping(told, settings)).toEqual([]);
				}),
				parameters,
			);
		},
		SLOW_MS,
	);

	// By what was known, faults can have come more often.
	if (settings.times > 1) return;
	it(
		'leaves open only what Get Incidents finds open, though states of one time are listed one after the other',
		async () => {
			await fc.assert(
				fc.asyncProperty(happenings, ways, async (content, way) => {
					const events = told(content, story, version, true).map(tied);
					const open = openPlaces(play(readAll(events, settings), settings, way));
					const past = openPlaces(await pastOf(events, settings));
					expect(open.filter((place) => !past.includes(place))).toEqual([]);
				}),
				parameters,
			);
		},
		SLOW_MS,
	);
});
