/**
 * Reads the list back over a period, for one question or several, and keeps what the events say about each station, as far as a
 * question needs it: facts and never events. Of the messages that only show that a station is connected, which are most, two
 * columns are kept.
 */
import { type Listed, walk } from '../../follow';
import type { ApiClient } from '../../service';
import { PackageError } from '../../shared/errors';
import {
	BOOT_MS,
	GRACE_MS,
	HOUR_MS,
	type Kind,
	RESPONSE_MS,
	SESSION_WAIT_MS,
	STRAGGLER_MS,
	type StationSettings,
} from '../common/settings';
import {
	type ConnectionSettings,
	type EventFacts,
	type Fact,
	LeftOut,
	readFacts,
	type Sent,
} from '../facts';
import { Calls, isOfStation } from '../fold/signs';

export interface Period {
	/** In Unix milliseconds. */
	readonly from: number;
	/** Now by default, by the service's clock, which is also the latest. */
	readonly to?: number | undefined;
}

/** What decides how much is read. */
interface ReadRange extends Period {
	readonly wants: Wants;
	/** How far back before the period the list is read, to find the state at its beginning. In milliseconds. */
	readonly lookBackMs: number;
	/** Of incidents: whether one is over is certain that long after its end. In milliseconds. */
	readonly resolveAfterMs?: number;
	/** A station that says nothing for longer is silent. In milliseconds. */
	readonly silentAfterMs?: number;
}

interface PastReading extends ReadRange {
	readonly client: Pick<ApiClient, 'list'>;
	readonly words: ConnectionSettings;
	readonly maxEvents: number;
	/** What to do if there are more events than that. */
	readonly hint?: string;
	/** Called before each request but the first; false ends the reading, and so does `maxEvents`, without an error. */
	readonly mayRequest?: () => boolean;
	readonly now?: number;
}

export interface Past {
	readonly facts: {
		readonly stations: ReadonlyMap<string, StationFacts>;
		readonly leftOut: LeftOut;
	};
	readonly from: number;
	readonly to: number;
	/** By the service's clock, in Unix milliseconds. */
	readonly serviceNow: number;
	/** Everything in the period is known up to here. */
	readonly watermark: number;
	/** Everything is known up to here, which can be after the period. */
	readonly knownUpTo: number;
	/** A station that is heard by then is. */
	readonly heardUpTo: number;
	/** How far back the list was read. */
	readonly readBackTo: number;
	/** When the oldest event of the list was created; undefined if it was not read so far. */
	readonly oldestAt: number | undefined;
	/** A station that says nothing for longer is silent. In milliseconds. */
	readonly silentAfterMs: number;
	readonly events: number;
}

/** Which facts a question needs. */
export interface Wants {
	/** Whether stations are connected. */
	readonly connections?: boolean;
	/** Statuses and problems. */
	readonly states?: boolean;
	readonly sessions?: boolean;
	/** Whether a station is silent, which the list shows only if it is read for longer than a station may say nothing. */
	readonly silence?: boolean;
}

/** What a question about incidents of this kind needs. */
export const WANTS_OF: Readonly<Record<Kind, Wants>> = {
	stationOffline: { connections: true },
	// The time after a boot pauses while the station is offline.
	connectorStatus: { connections: true, states: true },
	connectorFault: { connections: true, states: true },
	sessionEnded: { sessions: true },
};

/** Signs of life. */
interface Signs {
	readonly times: number[];
	readonly ids: string[];
}

export interface StationFacts {
	readonly connections: EventFacts[];
	readonly states: EventFacts[];
	readonly sessions: EventFacts[];
	readonly signs: Signs;
}

/** Messages that follow each other in the list, as far as the signs of life among them are still to be found. */
class Messages {
	readonly calls = new Calls();
	readonly responses: { readonly read: EventFacts; readonly sent: Sent }[] = [];
	count = 0;
}

/** So many messages later, a call to which a response belongs has been read. */
const MESSAGES_TOGETHER = 5_000;

const PLACES: Readonly<Record<Exclude<Fact['about'], 'sent'>, keyof Omit<StationFacts, 'signs'>>> =
	{
		connection: 'connections',
		status: 'states',
		problem: 'states',
		boot: 'states',
		bootAsked: 'states',
		bootRefused: 'states',
		use: 'states',
		start: 'sessions',
		startResponse: 'sessions',
		metered: 'sessions',
		stop: 'sessions',
		transaction: 'sessions',
	};

class PastFacts {
	readonly stations = new Map<string, StationFacts>();
	readonly leftOut = new LeftOut();
	readonly #wants: Wants;
	readonly #words: ConnectionSettings;
	/** Each event has texts of its own, also for what is the same. */
	readonly #assetIds = new Map<string, string>();
	#before = new Messages();
	#waiting = new Messages();
	#current = new Messages();

	constructor(wants: Wants, words: ConnectionSettings) {
		this.#wants = wants;
		this.#words = words;
	}

	/**
	 * `now`: the time by the service's clock, in Unix milliseconds. Of what is `near` the time that is read, only calls count:
	 * they show who sent the responses in it.
	 */
	add({ event }: Listed, now: number, isNear = false): void {
		const { connections = false, states = false } = this.#wants;
		const kind = connections || states ? 'past' : 'sessionEnded';
		const reading = readFacts(event, now, { ...this.#words, kind });
		if (isNear) {
			if (typeof reading === 'object' && 'facts' in reading) this.#current.calls.add(reading);
			return;
		}
		const read = this.leftOut.without(reading, event.id);
		if (read === undefined) return;
		const assetId = this.#assetIds.get(read.assetId) ?? read.assetId;
		this.#assetIds.set(assetId, assetId);
		this.#keep({ ...read, assetId });
	}

	/** Called once all events are read. */
	end(): void {
		this.#turn();
		this.#turn();
	}

	#keep(read: EventFacts): void {
		for (const about of ['connections', 'states', 'sessions'] as const) {
			if (this.#wants[about] !== true) continue;
			const facts = read.facts.filter(
				(fact) => fact.about !== 'sent' && PLACES[fact.about] === about,
			);
			if (facts.length === 0) continue;
			const { assetId, at, eventId } = read;
			this.#of(assetId)[about].push({ assetId, at, eventId, facts });
		}
		if (this.#wants.connections !== true) return;
		for (const sent of read.facts) if (sent.about === 'sent') this.#keepSign(read, sent);
	}

	#keepSign(read: EventFacts, sent: Sent): void {
		const current = this.#current;
		current.calls.add(read);
		if (sent.by === undefined) current.responses.push({ read, sent });
		else if (sent.by === 'station') this.#sign(read);
		current.count += 1;
		if (current.count >= MESSAGES_TOGETHER) this.#turn();
	}

	/** Keeps the signs of life among the responses that wait: the calls around them are read. */
	#turn(): void {
		const among = [this.#before.calls, this.#waiting.calls, this.#current.calls];
		for (const { read, sent } of this.#waiting.responses) {
			if (isOfStation(sent, read, () => among)) this.#sign(read);
		}
		[this.#before, this.#waiting, this.#current] = [this.#waiting, this.#current, new Messages()];
	}

	#sign({ assetId, at, eventId }: EventFacts): void {
		const { times, ids } = this.#of(assetId).signs;
		times.push(at);
		ids.push(eventId);
	}

	#of(assetId: string): StationFacts {
		const known = this.stations.get(assetId);
		if (known !== undefined) return known;
		const none = { connections: [], states: [], sessions: [], signs: { times: [], ids: [] } };
		this.stations.set(assetId, none);
		return none;
	}
}

/** What was read of a part of the time. */
const within = (
	{ connections, states, sessions, signs }: StationFacts,
	isIn: (at: number) => boolean,
): StationFacts => ({
	connections: connections.filter(({ at }) => isIn(at)),
	states: states.filter(({ at }) => isIn(at)),
	sessions: sessions.filter(({ at }) => isIn(at)),
	signs: {
		times: signs.times.filter((at) => isIn(at)),
		ids: signs.ids.filter((_id, n) => isIn(signs.times[n] ?? 0)),
	},
});

const isEmpty = ({ connections, states, sessions, signs }: StationFacts): boolean =>
	[connections, states, sessions, signs.times].every(({ length }) => length === 0);

/** As many as the service allows. */
const PAGE_SIZE = 100;

/** The question asks for more events than it may read. */
export class TooManyEventsError extends PackageError {
	constructor(reading: PastReading, events: number, reached: number | undefined) {
		const [from, start] = [reading.from, rangeOf(reading).backTo].map(isoOf);
		const how = reached === undefined ? '' : `, which reach to ${isoOf(reached)}`;
		super(
			`Stopped after ${events.toLocaleString('en')} events${how}: the period begins at ${from} and is read from ${start}`,
			{
				hint:
					reading.hint ??
					"Choose a shorter or later period with 'Created After', lower 'Look Back (Hours)', or raise 'Max Events' in the options.",
			},
		);
	}
}

/** `2026-11-03T14:00Z` */
const isoOf = (time: number): string => `${new Date(time).toISOString().slice(0, 16)}Z`;

/** @throws the client's error, and `TooManyEventsError`, which says how far it got, if the period has more than it may read. */
export async function readPast(reading: PastReading): Promise<Past> {
	const { client, wants, words, maxEvents, mayRequest } = reading;
	const { now = Date.now(), silentAfterMs = SILENT_AFTER_MS } = reading;
	const { backTo, upTo } = rangeOf(reading);
	const facts = new PastFacts(wants, words);
	let [events, isRefused, oldest] = [0, false, Infinity];
	let reached: number | undefined;
	const walked = await walk(
		{
			...{ client, pageSize: PAGE_SIZE, backTo: backTo - RESPONSE_MS, now },
			// In a list that begins with the oldest event, what ends later is not needed.
			...(reading.to !== undefined && { upTo: upTo + RESPONSE_MS + GRACE_MS }),
			mayRequest: () => {
				isRefused ||= events >= maxEvents || mayRequest?.() === false;
				return !isRefused;
			},
		},
		async (page, serviceNow) => {
			events += page.length;
			for (const listed of page) {
				const { at } = listed;
				reached = at ?? reached;
				if (at !== undefined) oldest = Math.min(oldest, at);
				const isIn = at === undefined || (backTo <= at && at < upTo);
				facts.add(listed, serviceNow, !isIn);
			}
			return undefined;
		},
	);
	const { serviceNow, failure, isWhole, isAtEnd, order } = walked;
	if (failure !== undefined) throw failure;
	if (!isWhole && mayRequest === undefined) throw new TooManyEventsError(reading, events, reached);
	facts.end();
	return {
		...{ facts: { stations: facts.stations, leftOut: facts.leftOut } },
		...{ serviceNow, events, silentAfterMs },
		readBackTo: isWhole ? backTo : Math.max(backTo, Math.min(walked.readBackTo, serviceNow)),
		...oldestIn(
			isAtEnd || order === 'oldestFirst' ? Math.min(oldest, serviceNow) : undefined,
			backTo,
		),
		...endOf(reading, serviceNow),
	};
}

/** One that is not in what is read says nothing of it. */
const oldestIn = (oldestAt: number | undefined, backTo: number): Pick<Past, 'oldestAt'> => ({
	oldestAt: oldestAt === undefined || oldestAt < backTo ? undefined : oldestAt,
});

function endOf(
	reading: ReadRange,
	serviceNow: number,
): Pick<Past, 'from' | 'to' | 'watermark' | 'knownUpTo' | 'heardUpTo'> {
	const { upTo } = rangeOf(reading);
	const to = Math.min(reading.to ?? Infinity, serviceNow);
	const knownUpTo = Math.min(upTo, serviceNow - GRACE_MS);
	const heardUpTo = Math.min(upTo, serviceNow);
	return { from: reading.from, to, watermark: Math.min(to, knownUpTo), knownUpTo, heardUpTo };
}

/** Whether all was read that a reading of its own would have read. */
export function covers(past: Past, reading: ReadRange): boolean {
	const { backTo, upTo } = rangeOf(reading);
	return past.readBackTo <= backTo && Math.min(upTo, past.serviceNow) <= past.heardUpTo;
}

/** What a reading of its own would have read. */
export function during(past: Past, reading: ReadRange): Past {
	const { backTo, upTo } = rangeOf(reading);
	const end = endOf(reading, past.serviceNow);
	if (backTo === past.readBackTo && end.heardUpTo === past.heardUpTo) return { ...past, ...end };
	const stations = new Map<string, StationFacts>();
	for (const [assetId, facts] of past.facts.stations) {
		const own = within(facts, (at) => backTo <= at && at < upTo);
		if (!isEmpty(own)) stations.set(assetId, own);
	}
	return {
		...{ ...past, facts: { ...past.facts, stations }, readBackTo: backTo },
		...{ ...oldestIn(past.oldestAt, backTo), ...end },
	};
}

/** Heartbeats each 24 hours are usual. */
export const SILENT_AFTER_MS = 26 * HOUR_MS;

/** What an incident is, is certain that long after its end: whether it comes back, and whether a boot or a straggler ended it. */
export const certainAfter = ({ resolveAfterMs }: Pick<StationSettings, 'resolveAfterMs'>): number =>
	resolveAfterMs + BOOT_MS + STRAGGLER_MS;

/** What is to be read for a question. */
function rangeOf({
	from,
	to = Infinity,
	wants,
	lookBackMs,
	resolveAfterMs = 0,
	silentAfterMs = SILENT_AFTER_MS,
}: ReadRange): { backTo: number; upTo: number } {
	const quietMs = wants.silence === true ? silentAfterMs + GRACE_MS : 0;
	return {
		backTo: from - Math.max(lookBackMs, quietMs),
		upTo: to + Math.max(certainAfter({ resolveAfterMs }), quietMs, SESSION_WAIT_MS),
	};
}
