/** Reads the list back over a period, for one question or several. */
import { walk } from '../../follow';
import type { ApiClient } from '../../service';
import { PackageError } from '../../shared/errors';
import { GRACE_MS, START_WAIT_MS } from '../common/settings';
import type { ConnectionSettings } from '../facts';
import { PastFacts, type Wants } from './facts';

export interface Period {
	/** In Unix milliseconds. */
	readonly from: number;
	/** Now by default, by the service's clock, which is also the latest. */
	readonly to?: number | undefined;
}

export interface PastReading extends Period {
	readonly client: Pick<ApiClient, 'list'>;
	readonly wants: Wants;
	readonly words: ConnectionSettings;
	/** How far back before the period the list is read, to find the state at its beginning. In milliseconds. */
	readonly lookBackMs: number;
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
	/** Everything up to here is known. */
	readonly watermark: number;
	/** How far back the list was read. */
	readonly readBackTo: number;
	readonly events: number;
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
	let [serviceNow, events, isRefused] = [now, 0, false];
	let isDated = false;
	let reached: number | undefined;
	const walked = await walk(
		{
			...{ client, pageSize: PAGE_SIZE, backTo, now },
			// In a list that begins with the oldest event, what ends later is not needed.
			...(reading.to !== undefined && { upTo: reading.to + START_WAIT_MS + GRACE_MS }),
			mayRequest: () => {
				const isAllowed = events === 0 || mayRequest?.() !== false;
				isRefused = events >= maxEvents || !isAllowed;
				return !isRefused;
			},
			onDate: (date) => {
				if (!isDated) serviceNow = date;
				isDated = true;
			},
		},
		async (page) => {
			events += page.length;
			for (const listed of page) {
				const { at } = listed;
				reached = at ?? reached;
				if (at === undefined || at >= backTo) facts.add(listed, serviceNow);
			}
			return undefined;
		},
	);
	if (walked.failure !== undefined) throw walked.failure;
	const isWhole = walked.end === 'whole';
	if (!isWhole && mayRequest === undefined) throw new TooManyEventsError(reading, events, reached);
	facts.end();
	const to = Math.min(reading.to ?? Infinity, serviceNow);
	return {
		...{ facts, from, to, serviceNow, events },
		watermark: Math.min(to, serviceNow - GRACE_MS),
		readBackTo: isWhole ? backTo : Math.min(walked.readBackTo, serviceNow),
	};
}
