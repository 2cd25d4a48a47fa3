/**
 * Reads the list back over a period, for one question or several, and keeps what the events say about each station, as far as a
 * question needs it: facts and never events. Of the messages that only show that a station is connected, which are most, two
 * columns are kept.
 */
import { type Listed, walk } from '../../follow';
import type { ApiClient } from '../../service';
import { PackageError } from '../../shared/errors';
import { GRACE_MS, type Kind, SESSION_WAIT_MS } from '../common/settings';
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

interface PastReading extends Period {
	readonly client: Pick<ApiClient, 'list'>;
	readonly wants: Wants;
	readonly words: ConnectionSettings;
	/** How far back before the period the list is read, to find the state at its beginning. In milliseconds. */
	readonly lookBackMs: number;
	/** Of incidents: whether one is over is certain that long after its end. In milliseconds. */
	readonly resolveAfterMs?: number;
	readonly maxEvents: number;
	/** What to do if there are more events than that. */
	readonly hint?: string;
	/** Called before each request but the first; false ends the reading, and so does `maxEvents`, without an error. */
	readonly mayRequest?: () => boolean;
	readonly now?: number;
}

export interface Past {
	readonly facts: PastFacts;
	readonly from: number;
	readonly to: number;
	/** By the service's clock, in Unix milliseconds. */
	readonly serviceNow: number;
	/** Everything in the period is known up to here. */
	readonly watermark: number;
	/** Everything is known up to here, which can be after the period. */
	readonly knownUpTo: number;
	/** How far back the list was read. */
	readonly readBackTo: number;
	readonly events: number;
}

/** Which facts a question needs. */
export interface Wants {
	/** Whether stations are connected. */
	readonly connections?: boolean;
	/** Statuses and problems. */
	readonly states?: boolean;
	readonly sessions?: boolean;
}

/** What a question about incidents of this kind needs. */
export const WANTS_OF: Readonly<Record<Kind, Wants>> = {
	stationOffline: { connections: true },
	connectorStatus: { states: true },
	connectorFault: { states: true },
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
		start: 'sessions',
		startResponse: 'sessions',
		metered: 'sessions',
		stop: 'sessions',
		transaction: 'sessions',
	};

/** `stationOffline` reads connections and senders, any other kind reads the rest. */
const KINDS: readonly (readonly [Kind, (wants: Wants) => boolean])[] = [
	['stationOffline', ({ connections = false }) => connections],
	['connectorStatus', ({ states = false, sessions = false }) => states || sessions],
];

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

	/** `now`: the time by the service's clock, in Unix milliseconds. */
	add({ event }: Listed, now: number): void {
		for (const [kind, isWanted] of KINDS) {
			if (!isWanted(this.#wants)) continue;
			const read = this.leftOut.without(readFacts(event, now, { ...this.#words, kind }), event.id);
			if (read === undefined) continue;
			const assetId = this.#assetIds.get(read.assetId) ?? read.assetId;
			this.#assetIds.set(assetId, assetId);
			this.#keep({ ...read, assetId }, kind);
		}
	}

	/** Called once all events are read. */
	end(): void {
		this.#turn();
		this.#turn();
	}

	#keep(read: EventFacts, kind: Kind): void {
		for (const about of ['connections', 'states', 'sessions'] as const) {
			if (this.#wants[about] !== true) continue;
			const facts = read.facts.filter(
				(fact) => fact.about !== 'sent' && PLACES[fact.about] === about,
			);
			// A start of a station is read as both kinds.
			if (about === 'connections' && kind !== 'stationOffline') continue;
			if (facts.length > 0) this.#of(read.assetId)[about].push({ ...read, facts });
		}
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

/** As many as the service allows. */
const PAGE_SIZE = 100;

/** The question asks for more events than it may read. */
class TooManyEventsError extends PackageError {
	constructor(reading: PastReading, events: number, reached: number | undefined) {
		const [from, start] = [reading.from, reading.from - reading.lookBackMs].map(isoOf);
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

/** @throws the client's error, and an error that says how far it got if the period has more events than it may read. */
export async function readPast(reading: PastReading): Promise<Past> {
	const { client, wants, words, from, lookBackMs, maxEvents, mayRequest } = reading;
	const { now = Date.now() } = reading;
	const backTo = from - lookBackMs;
	const facts = new PastFacts(wants, words);
	let [events, isRefused] = [0, false];
	let reached: number | undefined;
	const walked = await walk(
		{
			...{ client, pageSize: PAGE_SIZE, backTo, now },
			// In a list that begins with the oldest event, what ends later is not needed.
			...(reading.to !== undefined && { upTo: reading.to + afterMs(reading) + GRACE_MS }),
			mayRequest: () => {
				const isAllowed = events === 0 || mayRequest?.() !== false;
				isRefused = events >= maxEvents || !isAllowed;
				return !isRefused;
			},
		},
		async (page, serviceNow) => {
			events += page.length;
			for (const listed of page) {
				const { at } = listed;
				reached = at ?? reached;
				if (at === undefined || at >= backTo) facts.add(listed, serviceNow);
			}
			return undefined;
		},
	);
	const { serviceNow, failure, isWhole } = walked;
	if (failure !== undefined) throw failure;
	if (!isWhole && mayRequest === undefined) throw new TooManyEventsError(reading, events, reached);
	facts.end();
	const readBackTo = isWhole ? backTo : Math.min(walked.readBackTo, serviceNow);
	const readUpTo = (reading.to ?? Infinity) + afterMs(reading);
	const knownUpTo = Math.min(readUpTo, serviceNow - GRACE_MS);
	return {
		...{ facts, serviceNow, knownUpTo, events, readBackTo },
		...endOf(reading, { serviceNow, knownUpTo }),
	};
}

/** For a question about a part of the period that was read. */
export const during = (past: Past, period: Period): Past => ({
	...past,
	...endOf(period, past),
});

function endOf(
	period: Period,
	{ serviceNow, knownUpTo }: Pick<Past, 'serviceNow' | 'knownUpTo'>,
): Pick<Past, 'from' | 'to' | 'watermark'> {
	const to = Math.min(period.to ?? Infinity, serviceNow);
	return { from: period.from, to, watermark: Math.min(to, knownUpTo) };
}

/** How far after the period the list is needed. */
const afterMs = ({ resolveAfterMs = 0 }: PastReading): number =>
	Math.max(resolveAfterMs, SESSION_WAIT_MS);
