/** Runs what becomes due for the endpoints that nodes registered; nothing else in a process does. */
import { messageOf } from '../shared/thrown';
import { RegistrationError } from './types';

/** A longer timer could overflow; what is due later is looked at again then. */
const LONGEST_MS = 24 * 60 * 60 * 1000;
/** After a failure, such as a service that is down. */
const AGAIN_AFTER_MS = 5 * 60 * 1000;
/** Between two steps at least. */
const SOONEST_MS = 100;

export interface DueStep {
	/** Does what is due and returns when to look again, in unix milliseconds; undefined for never. */
	readonly step: () => Promise<number | undefined>;
	readonly warn: (message: string) => void;
}

/** One step at a time per key, and none for a while after one that failed. */
class DueSteps {
	readonly #underWay = new Set<string>();
	readonly #notBefore = new Map<string, number>();
	readonly #timers = new Map<string, NodeJS.Timeout>();

	/** Whether a step could be taken now. */
	isFree(key: string): boolean {
		return !this.#underWay.has(key) && Date.now() >= (this.#notBefore.get(key) ?? 0);
	}

	/** Takes the step once, in the background, if the key is free. */
	startNow(key: string, due: DueStep): void {
		if (this.isFree(key)) void this.#take(key, due);
	}

	/** Plans the step for `at`, and then for whenever it says, instead of what was planned; undefined plans nothing. */
	plan(key: string, at: number | undefined, due: DueStep): void {
		clearTimeout(this.#timers.get(key));
		this.#timers.delete(key);
		if (at === undefined) return;
		const delay = Math.min(LONGEST_MS, Math.max(SOONEST_MS, at - Date.now()));
		const timer = setTimeout(() => {
			void this.#take(key, due).then((nextAt) => {
				// Meanwhile it may have been planned again, or no longer be wanted.
				if (this.#timers.get(key) === timer) this.plan(key, nextAt, due);
			});
		}, delay);
		this.#timers.set(key, timer.unref());
	}

	/** Forgets what was planned. */
	end(key: string): void {
		clearTimeout(this.#timers.get(key));
		this.#timers.delete(key);
		this.#notBefore.delete(key);
	}

	/** Returns when to look again; never rejects. */
	async #take(key: string, { step, warn }: DueStep): Promise<number | undefined> {
		if (!this.isFree(key)) return this.#notBefore.get(key) ?? Date.now();
		this.#underWay.add(key);
		try {
			const nextAt = await step();
			this.#notBefore.delete(key);
			return nextAt;
		} catch (error) {
			const hint = error instanceof RegistrationError ? `. ${error.hint}` : '';
			warn(`could not create or replace the endpoint, will retry: ${messageOf(error)}${hint}`);
			const again = Date.now() + AGAIN_AFTER_MS;
			this.#notBefore.set(key, again);
			return again;
		} finally {
			this.#underWay.delete(key);
		}
	}
}

/** The one of this process. */
export const dueSteps = new DueSteps();
