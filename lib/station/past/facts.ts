/**
 * What the events of a period say about each station, as far as a question needs it: facts and never events. Of the messages
 * that only show that a station is connected, which are most, two columns are kept.
 */
import type { Listed } from '../../follow';
import type { Kind } from '../common/settings';
import { type ConnectionSettings, type EventFacts, type Fact, LeftOut, readFacts } from '../facts';
import { ofStations } from '../fold/signs';

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

/** Signs of life, in the order of the list. */
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

export class PastFacts {
	readonly stations = new Map<string, StationFacts>();
	readonly leftOut = new LeftOut();
	readonly #wants: Wants;
	readonly #words: ConnectionSettings;
	#before: EventFacts[] = [];
	#waiting: EventFacts[] = [];
	#current: EventFacts[] = [];

	constructor(wants: Wants, words: ConnectionSettings) {
		this.#wants = wants;
		this.#words = words;
	}

	/** `now`: the time by the service's clock, in Unix milliseconds. */
	add({ event }: Listed, now: number): void {
		for (const [kind, isWanted] of KINDS) {
			if (!isWanted(this.#wants)) continue;
			const read = this.leftOut.without(readFacts(event, now, { ...this.#words, kind }), event.id);
			if (read !== undefined) this.#keep(read, kind);
		}
	}

	/** Called once all events are read. */
	end(): void {
		this.#turn();
		this.#turn();
	}

	#keep(read: EventFacts, kind: Kind): void {
		const isSent = ({ about }: Fact) => about === 'sent';
		for (const about of ['connections', 'states', 'sessions'] as const) {
			if (this.#wants[about] !== true) continue;
			const facts = read.facts.filter(
				(fact) => fact.about !== 'sent' && PLACES[fact.about] === about,
			);
			// A start of a station is read as both kinds.
			if (about === 'connections' && kind !== 'stationOffline') continue;
			if (facts.length > 0) this.#of(read.assetId)[about].push({ ...read, facts });
		}
		const sent = read.facts.filter(isSent);
		if (sent.length === 0) return;
		this.#current.push({ ...read, facts: sent });
		if (this.#current.length >= MESSAGES_TOGETHER) this.#turn();
	}

	/** Keeps the signs of life among the messages that wait: those around them are read. */
	#turn(): void {
		const among = [...this.#before, ...this.#waiting, ...this.#current];
		for (const { assetId, at, eventId } of ofStations(this.#waiting, among)) {
			const { times, ids } = this.#of(assetId).signs;
			times.push(at);
			ids.push(eventId);
		}
		[this.#before, this.#waiting, this.#current] = [this.#waiting, this.#current, []];
	}

	#of(assetId: string): StationFacts {
		const known = this.stations.get(assetId);
		if (known !== undefined) return known;
		const none = { connections: [], states: [], sessions: [], signs: { times: [], ids: [] } };
		this.stations.set(assetId, none);
		return none;
	}
}
