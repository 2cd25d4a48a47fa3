/** What the questions of an execution read: those about nearly the same period share it, and each sees what it would see by itself. */
import type { ApiClient } from '../../service';
import { HOUR_MS } from '../../shared/time';
import { connectionSettings } from '../facts';
import {
	covers,
	during,
	type Past,
	type Period,
	readPast,
	TooManyEventsError,
	type Wants,
} from './read';

interface PastQuestion extends Period {
	readonly wants: Wants;
	readonly lookBackMs: number;
	readonly resolveAfterMs: number;
	readonly silentAfterMs: number;
	readonly maxEvents: number;
}

/** Times such as "ten hours ago" differ from item to item. */
const TOGETHER_MS = HOUR_MS;

export class Readings {
	readonly #client: ApiClient;
	readonly #now: number;
	readonly #readings: { readonly question: PastQuestion; readonly past: Promise<Past> }[] = [];

	/** `now`: in Unix milliseconds, when the execution began. */
	constructor(client: ApiClient, now: number) {
		this.#client = client;
		this.#now = now;
	}

	/** @throws what `readPast` throws */
	async of(question: PastQuestion): Promise<Past> {
		const shared = this.#readings.find((one) => isSoon(one.question, question, this.#now));
		if (shared === undefined) {
			const to = question.to === undefined ? undefined : question.to + TOGETHER_MS;
			const past = this.#read({ ...question, to });
			this.#readings.push({ question, past });
			return await this.#from(past, question, to === undefined);
		}
		const isSame = shared.question.from === question.from && question.to === undefined;
		return await this.#from(shared.past, question, isSame);
	}

	/** What is shared may be too much for one that is not: it reads only its own period. */
	async #from(shared: Promise<Past>, question: PastQuestion, isOwn: boolean): Promise<Past> {
		try {
			const past = await shared;
			if (covers(past, question)) return during(past, question);
		} catch (error) {
			if (isOwn || !(error instanceof TooManyEventsError)) throw error;
		}
		return await this.#read(question);
	}

	async #read(question: PastQuestion): Promise<Past> {
		const client = this.#client;
		return await readPast({
			...question,
			client,
			words: connectionSettings(client.serviceInterface),
		});
	}
}

function isSoon(known: PastQuestion, question: PastQuestion, now: number): boolean {
	const isWithin = (after = now, before = now) => before <= after && after - before <= TOGETHER_MS;
	return (
		isWithin(question.from, known.from) &&
		isWithin(question.to, known.to) &&
		known.wants === question.wants &&
		known.lookBackMs === question.lookBackMs &&
		known.resolveAfterMs === question.resolveAfterMs &&
		known.silentAfterMs === question.silentAfterMs &&
		known.maxEvents === question.maxEvents
	);
}
