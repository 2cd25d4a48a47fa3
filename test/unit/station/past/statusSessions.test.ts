/** Get Status lists a session as running only if nothing that the station has said since it began shows otherwise. */
import fc from 'fast-check';
import { sessionEvents } from '../sessionText';
import { message, type StationEvent, time } from '../stationWorld';
import { type PastOptions, sessions, status } from './pastWorld';

/** The status of a connector of OCPP 1.6, as `1`, or of OCPP 2.0.1, as `1/2`. */
function said(at: string, place: string, word: string): StationEvent {
	const [first, second] = place.split('/').map(Number);
	const payload =
		second === undefined
			? { connectorId: first, errorCode: 'NoError', status: word }
			: { evseId: first, connectorId: second, connectorStatus: word };
	return message(at, 's1', ['StatusNotification', payload]);
}

/** What an EVSE says of itself, or a connector of it that does not say which. */
const notified = (at: string, name: 'EVSE' | 'Connector', evse: number, actualValue: string) =>
	message(at, 's1', [
		'NotifyEvent',
		{
			seqNo: 0,
			eventData: [
				{
					component: { name, evse: { id: evse } },
					variable: { name: 'AvailabilityState' },
					actualValue,
				},
			],
		},
	]);

/** Histories for each version. */
const RUNS = Number(process.env['RUNS'] ?? 100);

const boot = (at: string) => message(at, 's1', ['BootNotification', { reason: 'PowerUp' }]);

/** The transactions that are listed as running. */
async function running(events: readonly StationEvent[], options: PastOptions = {}) {
	const { now = time('12:00') } = options;
	const created = events.filter(({ createdAt }) => Date.parse(createdAt) <= now);
	const [item] = await status(created, { assets: ['s1'], ...options });
	const listed = item?.['sessions'] as readonly Readonly<Record<string, unknown>>[];
	return listed.map(({ transactionId }) => transactionId);
}

const STARTED_16 = sessionEvents('08:00 start 1 1000 tx=25 | 08:20 meter 1 2000 tx=25');
const STARTED_201 = sessionEvents('08:00 started A 1/1 1000 | 08:20 updated A 2000');
const LOST_STOP = [
	...STARTED_16,
	...[said('08:00:05', '1', 'Charging'), said('08:45', '1', 'Finishing')],
	said('08:50', '1', 'Available'),
];

it('lists no session of a connector that became available, though its stop is lost', async () => {
	expect(await running(LOST_STOP, { now: time('08:49') })).toEqual(['25']);
	expect(await running(LOST_STOP, { now: time('09:30') })).toEqual([]);
	const booted = [...LOST_STOP, boot('11:00'), said('11:00:10', '1', 'Available')];
	expect(await running(booted)).toEqual([]);
	// It began before another vehicle came, whose start is lost too.
	expect(await running([...LOST_STOP, said('10:00', '1', 'Charging')])).toEqual([]);
});

it('leaves open in Get Sessions what no message of the session has ended', async () => {
	expect(await sessions(LOST_STOP, { from: time('08:00'), includeOpen: true })).toMatchObject([
		{ transactionId: '25', state: 'open', stoppedAt: null },
	]);
});

it.each([
	[
		'OCPP 1.6',
		`07:00 start 1 1000 tx=1 | 07:30 stop 1 2000 | 08:00 start 1 2000 at=03:00 tx=2
		08:30 meter 1 3000 at=03:30 tx=2`,
		'10:00 stop 2 4000 at=05:00',
		['1', '2'],
	],
	[
		'OCPP 2.0.1',
		`07:00 started A 1/1 1000 | 07:30 ended A 2000 | 08:00 started B 1/1 2000 at=03:00
		08:30 updated B 3000 at=03:30`,
		'10:00 ended B 4000 at=05:00',
		['A', 'B'],
	],
])(
	'lists a session whose clock was set back after the one before had ended, %s',
	async (_name, begun, end, [first, second]) => {
		const events = sessionEvents(begun);
		const period = { from: time('06:30'), lookBackMs: 0 };
		const over = { transactionId: first, minutes: 30, energyKwh: 1 };
		expect(await running(events, { now: time('09:00') })).toEqual([second]);
		const open = { transactionId: second, state: 'open', stoppedAt: null };
		const asked = { ...period, now: time('09:00'), to: time('09:00'), includeOpen: true };
		expect(await sessions(events, asked)).toMatchObject([over, open]);
		const ended = [...events, ...sessionEvents(end)];
		expect(await running(ended)).toEqual([]);
		expect(await sessions(ended, period)).toMatchObject([
			over,
			{ transactionId: second, minutes: 120, energyKwh: 2, reason: 'Local' },
		]);
	},
);

it.each([
	['before it', said('07:59', '1', 'Available')],
	['at its time', said('08:00', '1', 'Available')],
	['before its last reading', said('08:10', '1', 'Available')],
	['at another connector', said('08:50', '2', 'Available')],
	['of the station', said('08:50', '0', 'Available')],
])('still lists a session after a status %s', async (_name, event) => {
	const others = [said('07:00', '1', 'Available'), said('07:00', '2', 'Available')];
	expect(await running([...others, ...STARTED_16, event])).toEqual(['25']);
});

it('takes none of two statuses of the same time for certain', async () => {
	const both = [said('08:50', '1', 'Available'), said('08:50', '1', 'Charging')];
	expect(await running([...STARTED_16, ...both])).toEqual(['25']);
	expect(await running([...STARTED_16, ...both.reverse()])).toEqual(['25']);
});

it('lists a session again once a reading names it', async () => {
	const later = sessionEvents('09:20 meter 1 5000 tx=25');
	expect(await running([...LOST_STOP, ...later])).toEqual(['25']);
	const over = said('09:30', '1', 'Available');
	expect(await running([...LOST_STOP, ...later, over])).toEqual([]);
});

it('does not take a reading that names no session for one of a session that seems over', async () => {
	const aligned = sessionEvents('09:00 meter 1 2500 | 10:00 meter 1 2500 tx=-1');
	expect(await running([...LOST_STOP, ...aligned])).toEqual([]);
});

it('knows a session whose start has no response by what its readings name', async () => {
	const unanswered = sessionEvents('08:00 start 1 1000 | 08:20 meter 1 2000 tx=25');
	const free = said('08:50', '1', 'Available');
	expect(await running([...unanswered, free])).toEqual([]);
	const later = sessionEvents('09:20 meter 1 5000 tx=25');
	expect(await running([...unanswered, free, ...later])).toEqual(['25']);
});

it.each([
	['without an ID', 'tx 0 ConcurrentTx'],
	['with an ID that nothing else names', 'tx 26 ConcurrentTx'],
	['with the ID of the session', 'tx 25 ConcurrentTx'],
])('keeps a session while the service refuses another start there %s', async (_name, response) => {
	const refused = sessionEvents(
		`08:30 start 1 2500 | 08:30 ${response} | 08:40 meter 1 3000 | 08:50 meter 1 3500`,
	);
	expect(await running([...STARTED_16, ...refused])).toEqual(['25']);
	const ended = sessionEvents('09:00 stop 25 4000');
	expect(await running([...STARTED_16, ...refused, ...ended])).toEqual([]);
});

it('lists a session that the service refused, once readings name it', async () => {
	const refused = sessionEvents('08:30 start 1 2500 | 08:30 tx 26 Invalid');
	expect(await running([...STARTED_16, ...refused])).toEqual(['25']);
	const named = sessionEvents('08:40 meter 1 3000 tx=26');
	expect(await running([...STARTED_16, ...refused, ...named])).toEqual(['26']);
	const ended = sessionEvents('09:00 stop 26 4000');
	const all = [...STARTED_16, ...refused, ...named, ...ended];
	expect(await running(all, { now: time('09:30') })).toEqual([]);
});

it('does not take a reading of the same ID at another connector for one of it', async () => {
	const later = sessionEvents('09:20 meter 2 5000 tx=25');
	expect(await running([...LOST_STOP, ...later])).toEqual([]);
});

it('keeps a session while nothing is known of its connector after a boot: it may be resumed', async () => {
	const booted = [
		...[said('07:00', '1', 'Available'), said('07:00', '2', 'Available'), ...STARTED_16],
		...[said('08:00:05', '1', 'Charging'), boot('09:00'), said('09:00:10', '2', 'Available')],
	];
	expect(await status(booted, { assets: ['s1'] })).toMatchObject([
		{ connectors: [{ status: null }, { status: 'Available' }], sessions: [{ minutes: 240 }] },
	]);
});

describe('OCPP 2.0.1', () => {
	const free = said('09:00', '1/1', 'Available');

	it('goes by what came after the last message of the transaction, with or without a reading', async () => {
		expect(await running([...STARTED_201, free], { now: time('09:30') })).toEqual([]);
		const later = sessionEvents('09:20 updated A');
		expect(await running([...STARTED_201, free, ...later])).toEqual(['A']);
		const next = sessionEvents('10:00 started B 1/1 3000');
		expect(await running([...STARTED_201, free, ...next])).toEqual(['B']);
	});

	it('does not take what the meter of the EVSE says for a reading of the transaction', async () => {
		const aligned = sessionEvents('10:00 evse 1 2500');
		expect(await running([...STARTED_201, free, ...aligned])).toEqual([]);
	});

	it('takes an EVSE and its only connector for one place', async () => {
		const ofEvse = sessionEvents('08:00 started A 1/ 1000');
		const occupied = said('08:00:05', '1/1', 'Occupied');
		expect(await running([...ofEvse, occupied])).toEqual(['A']);
		expect(await running([...ofEvse, occupied, free])).toEqual([]);
		const own = notified('09:00', 'EVSE', 1, 'Available');
		for (const started of [ofEvse, STARTED_201]) {
			expect(await running([...started, own])).toEqual([]);
			expect(await running([...started, occupied, own])).toEqual([]);
			const only = notified('09:00', 'Connector', 1, 'Available');
			expect(await running([...started, occupied, only])).toEqual([]);
			expect(await running([...started, occupied, said('09:00', '2/1', 'Available')])).toEqual([
				'A',
			]);
		}
	});

	it('knows that an EVSE is free once each of its connectors is', async () => {
		const ofEvse = [
			...[said('07:00', '1/1', 'Available'), said('07:00', '1/2', 'Available')],
			...sessionEvents('08:00 started A 1/ 1000'),
		];
		expect(await running(ofEvse)).toEqual(['A']);
		expect(await running([...ofEvse, free])).toEqual(['A']);
		expect(await running([...ofEvse, free, said('09:00', '1/2', 'Available')])).toEqual([]);
		expect(await running([...STARTED_201, said('09:00', '1/2', 'Available')])).toEqual(['A']);
	});

	it('knows of a transaction without a place that it is over once all places are free', async () => {
		const nowhere = [
			...[said('07:00', '1/1', 'Available'), said('07:00', '2/1', 'Available')],
			...sessionEvents('08:00 started A 1000'),
		];
		expect(await running([...nowhere, free])).toEqual(['A']);
		expect(await running([...nowhere, free, said('09:00', '2/1', 'Available')])).toEqual([]);
	});
});

describe.each([
	['OCPP 1.6', '1', '2', STARTED_16.slice(0, -1), 'meter 1 2000 tx=25', 'meter 1 2000', '25'],
	['OCPP 2.0.1', '1/1', '2/1', STARTED_201.slice(0, -1), 'updated A 2000', 'evse 1 2000', 'A'],
])('any order of messages (%s)', (_version, own, other, started, names, namesNone, id) => {
	const words = [own, other].flatMap((place) =>
		['Available', 'Unavailable', 'Faulted'].map((word) => ({ place, word })),
	);
	const happening = fc.oneof(
		fc.constantFrom(...words),
		fc.constant({ place: own, word: 'Available' }),
		fc.constant({ place: '', word: names }),
		fc.constant({ place: '', word: namesNone }),
		fc.constant({ place: '', word: 'boot' }),
	);

	it('a session is running unless its own connector was available after all that names it', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(happening, { maxLength: 12 }),
				fc.boolean(),
				async (all, isOldestFirst) => {
					const clock = (n: number) => `09:${String(n + 10)}`;
					const events = all.map(({ place, word }, n) => {
						if (place !== '') return [said(clock(n), place, word)];
						return word === 'boot' ? [boot(clock(n))] : sessionEvents(`${clock(n)} ${word}`);
					});
					const last = all.findLast(
						({ place, word }) => word === names || (place === own && word === 'Available'),
					);
					const isRunning = last?.word !== 'Available';
					const found = await running([...started, ...events.flat()], { isOldestFirst });
					expect(found).toEqual(isRunning ? [id] : []);
				},
			),
			{ numRuns: RUNS },
		);
	});
});
