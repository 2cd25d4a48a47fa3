/**
 * What the events of a period say of a station, in about 50 bytes each and outside of the heap: written on the main thread while
 * the list is read, and read by the thread that decides, without a copy.
 */
import type { EventFacts, Fact } from '../facts';
import { Numbers } from './numbers';

export interface StationFacts {
	readonly connections: readonly EventFacts[];
	readonly states: Iterable<LoggedEvent>;
	readonly sessions: readonly EventFacts[];
	readonly signs: Signs;
	/** The ID of the event at a place. */
	readonly idOf: (place: number) => string;
	/** Nothing was read of it. */
	readonly isEmpty: boolean;
}

/** Signs of life, in columns. */
interface Signs {
	readonly times: Float64Array;
	readonly places: Float64Array;
}

export interface LoggedEvent extends EventFacts {
	/** In the log. */
	readonly place: number;
}

type FactRoom = 'connections' | 'states' | 'sessions';

export const ABOUT: Readonly<Record<Exclude<Fact['about'], 'sent'>, FactRoom>> = {
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

/** A record: what it has, its time, the length of its ID, its ID; then the length of what it says and that, or the number of that. */
const SIGN = 1;
const SAYS = 2;
const SAYS_AGAIN = 4;
const TIME_AT = 1;
const LENGTH_AT = 9;
const ID_AT = 11;
/** In UTF-8. */
const MOST_BYTES_PER_UNIT = 3;
const FIRST_CHUNK = 256;
const LARGEST_CHUNK = 64 * 1024;
/** Most messages about a station say what others have said. */
const MOST_KNOWN = 1_000;

/** Bytes in shared memory. */
export type Log = readonly Uint8Array[];

export class LogWriter {
	readonly #full: Uint8Array[] = [];
	#chunk: Buffer = Buffer.alloc(0);
	#used = 0;
	#known = new Map<string, number>();

	add({ at, eventId, facts }: Omit<EventFacts, 'assetId'>, isSign: boolean): void {
		const text = facts.length === 0 ? '' : JSON.stringify(facts);
		const number = text === '' ? undefined : this.#known.get(text);
		this.#reserve(ID_AT + 4 + MOST_BYTES_PER_UNIT * (eventId.length + text.length));
		const chunk = this.#chunk;
		const start = this.#used;
		chunk.writeDoubleLE(at, start + TIME_AT);
		const idBytes = chunk.write(eventId, start + ID_AT);
		chunk.writeUInt16LE(idBytes, start + LENGTH_AT);
		this.#used = start + ID_AT + idBytes;
		if (number !== undefined) this.#used = chunk.writeUInt16LE(number, this.#used);
		else if (text !== '') {
			if (this.#known.size < MOST_KNOWN) this.#known.set(text, this.#known.size);
			const bytes = chunk.write(text, this.#used + 4);
			this.#used = chunk.writeUInt32LE(bytes, this.#used) + bytes;
		}
		const says = number === undefined ? SAYS : SAYS_AGAIN;
		chunk[start] = (isSign ? SIGN : 0) | (text === '' ? 0 : says);
	}

	/** Nothing is added any more. */
	end(): Log {
		this.#known = new Map();
		this.#fill();
		return this.#full;
	}

	#reserve(bytes: number): void {
		if (this.#used + bytes <= this.#chunk.length) return;
		const next = Math.min(LARGEST_CHUNK, Math.max(FIRST_CHUNK, 2 * this.#chunk.length));
		this.#fill();
		this.#chunk = Buffer.from(new SharedArrayBuffer(Math.max(next, bytes)));
	}

	#fill(): void {
		if (this.#used > 0) this.#full.push(this.#chunk.subarray(0, this.#used));
		this.#chunk = Buffer.alloc(0);
		this.#used = 0;
	}
}

export const NO_FACTS: StationFacts = {
	connections: [],
	states: [],
	sessions: [],
	signs: { times: new Float64Array(), places: new Float64Array() },
	idOf: () => '',
	isEmpty: true,
};

/** What was created from `from` on and before `to` says. */
export function factsIn(
	assetId: string,
	log: Log,
	{ from, to }: { readonly from: number; readonly to: number },
): StationFacts {
	const connections: EventFacts[] = [];
	const sessions: EventFacts[] = [];
	const times = new Numbers();
	const places = new Numbers();
	let isEmpty = true;
	const chunks = log.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
	for (const record of recordsIn(chunks)) {
		const { at, said } = record;
		if (at < from || at >= to) continue;
		isEmpty = false;
		if (record.isSign) {
			times.push(at);
			places.push(record.place);
		}
		if (said === undefined) continue;
		const { connections: ofConnection, sessions: ofSessions } = said;
		if (ofConnection.length > 0) {
			connections.push({ assetId, at, eventId: idAt(chunks, record.place), facts: ofConnection });
		}
		if (ofSessions.length > 0) {
			sessions.push({ assetId, at, eventId: idAt(chunks, record.place), facts: ofSessions });
		}
	}
	return {
		connections,
		sessions,
		// A million of them are never in memory at a time.
		states: {
			*[Symbol.iterator]() {
				for (const { at, said, place } of recordsIn(chunks)) {
					if (said === undefined || said.states.length === 0 || at < from || at >= to) continue;
					yield { assetId, at, eventId: idAt(chunks, place), facts: said.states, place };
				}
			},
		},
		signs: { times: times.all, places: places.all },
		idOf: (place) => idAt(chunks, place),
		isEmpty,
	};
}

/** Of one message, by what it is about. */
type Said = Readonly<Record<FactRoom, readonly Fact[]>>;

interface KeptRecord {
	readonly at: number;
	readonly isSign: boolean;
	readonly said: Said | undefined;
	/** Where it is: see `idAt`. */
	readonly place: number;
}

function* recordsIn(chunks: readonly Buffer[]): Generator<KeptRecord, void> {
	const known: Said[] = [];
	for (const [index, chunk] of chunks.entries()) {
		for (let n = 0; n < chunk.length;) {
			const has = chunk[n] ?? 0;
			const place = index * LARGEST_PLACE + n;
			const at = chunk.readDoubleLE(n + TIME_AT);
			n += ID_AT + chunk.readUInt16LE(n + LENGTH_AT);
			let said: Said | undefined;
			if ((has & SAYS) !== 0) {
				const start = n + 4;
				n = start + chunk.readUInt32LE(n);
				said = saidIn(chunk.toString('utf8', start, n));
				if (known.length < MOST_KNOWN) known.push(said);
			} else if ((has & SAYS_AGAIN) !== 0) {
				said = known[chunk.readUInt16LE(n)];
				n += 2;
			}
			yield { at, isSign: (has & SIGN) !== 0, said, place };
		}
	}
}

/** A chunk is smaller. */
const LARGEST_PLACE = 2 ** 32;

function idAt(chunks: readonly Buffer[], place: number): string {
	const chunk = chunks[Math.floor(place / LARGEST_PLACE)] ?? Buffer.alloc(0);
	const start = place % LARGEST_PLACE;
	const length = chunk.readUInt16LE(start + LENGTH_AT);
	return chunk.toString('utf8', start + ID_AT, start + ID_AT + length);
}

function saidIn(text: string): Said {
	// `LogWriter` has written it.
	const facts = JSON.parse(text) as readonly Fact[];
	const about = (what: FactRoom) =>
		facts.filter((fact) => fact.about !== 'sent' && ABOUT[fact.about] === what);
	return {
		connections: about('connections'),
		states: about('states'),
		sessions: about('sessions'),
	};
}
