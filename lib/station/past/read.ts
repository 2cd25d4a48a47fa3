/**
 * Reads the list back over a period, for one question or several, and keeps what the events say about each station, as far as a
 * question needs it: facts and never events. Of the messages that only show that a station is connected, which are most, the time
 * and the ID are kept.
 */
import { type Listed, walk } from '../../follow';
import type { ApiClient } from '../../service';
import { PackageError } from '../../shared/errors';
import {
	certainAfter,
	GRACE_MS,
	HOUR_MS,
	type Kind,
	RESPONSE_MS,
	SESSION_WAIT_MS,
} from '../common/settings';
import {
	type ConnectionSettings,
	type ConnectorStatus,
	type EventFacts,
	type Fact,
	LeftOut,
	type Problem,
	readFacts,
	type Sent,
} from '../facts';
import { Calls, isOfStation } from '../fold/signs';
import { type Log, LogWriter, ABOUT } from './log';
import type { Span } from './spans';

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
	readonly facts: Pick<PastFacts, 'stations' | 'leftOut'>;
	/** Facts of other times do not count. */
	readonly seen: Span;
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

/** What a decision about a station needs, besides its facts. */
export type PastPeriod = Omit<Past, 'facts' | 'seen' | 'events'>;

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

/** Messages that follow each other in the list, as far as the signs of life among them are still to be found. */
class Messages {
	readonly calls = new Calls();
	readonly responses: { readonly read: EventFacts; readonly sent: Sent }[] = [];
	count = 0;
}

/** So many messages later, a call to which a response belongs has been read. */
const MESSAGES_TOGETHER = 5_000;

class PastFacts {
	readonly stations = new Map<string, Log>();
	readonly leftOut = new LeftOut();
	readonly #wants: Wants;
	readonly #watched: Parameters<typeof readFacts>[2];
	readonly #logs = new Map<string, LogWriter>();
	#before = new Messages();
	#waiting = new Messages();
	#current = new Messages();

	constructor(wants: Wants, words: ConnectionSettings) {
		this.#wants = wants;
		const { connections = false, states = false, sessions = false } = wants;
		const isPast = connections || states;
		this.#watched = {
			...words,
			kind: !isPast ? 'sessionEnded' : sessions ? 'past' : 'pastStates',
		};
	}

	/**
	 * `now`: the time by the service's clock, in Unix milliseconds. Of what is `near` the time that is read, only calls count:
	 * they show who sent the responses in it.
	 */
	add({ event, at }: Listed, now: number, isNear = false): void {
		const reading = readFacts(event, now, this.#watched, at);
		if (isNear) {
			if (typeof reading === 'object' && 'facts' in reading) this.#current.calls.add(reading);
			return;
		}
		const read = this.leftOut.without(reading, event.id);
		if (read !== undefined) this.#keep(read);
	}

	/** Called once all events are read. */
	end(): void {
		this.#turn();
		this.#turn();
		for (const [assetId, log] of this.#logs) this.stations.set(assetId, log.end());
		this.#logs.clear();
	}

	#keep(read: EventFacts): void {
		const facts = read.facts.filter(
			(fact) => fact.about !== 'sent' && this.#wants[ABOUT[fact.about]] === true,
		);
		const isWanted = this.#wants.connections === true;
		const sent = isWanted ? read.facts.find((fact) => fact.about === 'sent') : undefined;
		const isSign = sent?.by === 'station';
		if (sent !== undefined) this.#see(read, sent);
		if (facts.length > 0 || isSign) this.#add(read, facts, isSign);
	}

	/** Which responses are the station's shows only when the calls around them are read. */
	#see(read: EventFacts, sent: Sent): void {
		const current = this.#current;
		current.calls.add(read);
		if (sent.by === undefined) current.responses.push({ read, sent });
		current.count += 1;
		if (current.count >= MESSAGES_TOGETHER) this.#turn();
	}

	/** Keeps the signs of life among the responses that wait: the calls around them are read. */
	#turn(): void {
		const among = [this.#before.calls, this.#waiting.calls, this.#current.calls];
		for (const { read, sent } of this.#waiting.responses) {
			if (isOfStation(sent, read, () => among)) this.#add(read, [], true);
		}
		[this.#before, this.#waiting, this.#current] = [this.#waiting, this.#current, new Messages()];
	}

	#add({ assetId, at, eventId }: EventFacts, facts: readonly Fact[], isSign: boolean): void {
		const log = this.#logs.get(assetId) ?? new LogWriter();
		this.#logs.set(assetId, log);
		log.add({ at, eventId, facts: facts.map(withoutTime) }, isSign);
	}
}

/** Messages that repeat a state then say the same. Its time by the station's clock is for others. */
function withoutTime(fact: Fact): Fact {
	if (fact.about !== 'status' && fact.about !== 'problem') return fact;
	const { stationTime: _time, ...said }: ConnectorStatus | Problem = fact;
	return said;
}

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
			client,
			pageSize: PAGE_SIZE,
			backTo: backTo - RESPONSE_MS,
			now,
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
		facts,
		seen: { from: backTo, to: upTo },
		serviceNow,
		events,
		silentAfterMs,
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
	return {
		...past,
		seen: { from: backTo, to: upTo },
		readBackTo: backTo,
		...oldestIn(past.oldestAt, backTo),
		...end,
	};
}

/** Heartbeats each 24 hours are usual. */
export const SILENT_AFTER_MS = 26 * HOUR_MS;

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
