/** The ledger as design says it: a map and a clock, against which the stores are compared. */
import { isDeepStrictEqual } from 'node:util';

type Entry =
	| { readonly state: 'pending'; readonly claim: number; readonly expires: number }
	| { readonly state: 'committed'; readonly expires: number };

/** Claims are told apart by number; `claim` in a step is the number of the claim that it makes or settles. */
export type Step =
	| {
			readonly kind: 'claim';
			readonly key: number;
			readonly claim: number;
			readonly leaseMs: number;
	  }
	| {
			readonly kind: 'renew';
			readonly key: number;
			readonly claim: number;
			readonly leaseMs: number;
	  }
	| {
			readonly kind: 'commit';
			readonly key: number;
			readonly claim: number;
			readonly retentionMs: number;
	  }
	| { readonly kind: 'release'; readonly key: number; readonly claim: number };

export type Answer = 'claimed' | 'pending' | 'committed' | boolean;

export class Model {
	constructor(private readonly entries: ReadonlyMap<number, Entry> = new Map()) {}

	/** What the ledger must answer, and what it is afterwards. */
	after(step: Step, now: number): { answer: Answer; model: Model } {
		const entry = this.#living(step.key, now);
		if (step.kind === 'claim') {
			if (entry) return { answer: entry.state, model: this };
			const claimed = { state: 'pending', claim: step.claim, expires: now + step.leaseMs } as const;
			return { answer: 'claimed', model: this.#with(step.key, claimed) };
		}
		const theirs = entry?.state === 'pending' && entry.claim === step.claim;
		if (step.kind === 'commit') {
			const kept = entry?.state === 'committed' ? entry.expires : 0;
			const expires = Math.max(kept, now + step.retentionMs);
			return { answer: theirs, model: this.#with(step.key, { state: 'committed', expires }) };
		}
		if (!theirs) return { answer: false, model: this };
		const renewed = step.kind === 'renew' ? { ...entry, expires: now + step.leaseMs } : undefined;
		return { answer: true, model: this.#with(step.key, renewed) };
	}

	equals(other: Model): boolean {
		return isDeepStrictEqual(this.entries, other.entries);
	}

	#living(key: number, now: number): Entry | undefined {
		const entry = this.entries.get(key);
		return entry && entry.expires > now ? entry : undefined;
	}

	#with(key: number, entry: Entry | undefined): Model {
		const entries = new Map(this.entries);
		if (entry) entries.set(key, entry);
		else entries.delete(key);
		return new Model(entries);
	}
}

/**
 * The models that explain the answers of steps that ran at the same time: those of every order in which the steps,
 * one after the other, give these answers. None left means that the ledger was not atomic, or wrong.
 */
export function explain(
	models: readonly Model[],
	ran: readonly { readonly step: Step; readonly answer: Answer }[],
	now: number,
): Model[] {
	if (ran.length === 0) return [...models];
	const found: Model[] = [];
	for (const [index, { step, answer }] of ran.entries()) {
		const rest = ran.filter((_other, other) => other !== index);
		const fitting = models
			.map((model) => model.after(step, now))
			.filter((next) => next.answer === answer)
			.map((next) => next.model);
		for (const model of explain(fitting, rest, now)) {
			if (!found.some((other) => other.equals(model))) found.push(model);
		}
	}
	return found;
}
