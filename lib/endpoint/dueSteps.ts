/** Runs the steps that become due for registered endpoints; nothing else in a process runs them. */
import { messageOf } from '../shared/errors';
import { DAY_MS, MINUTE_MS } from '../shared/time';
import { RegistrationError } from './types';

/** A longer timer could overflow; a later step is checked again then. */
const LONGEST_MS = DAY_MS;
/** The pause after a failure, such as a service that is down. */
const AGAIN_AFTER_MS = 5 * MINUTE_MS;
/** The shortest pause between two steps. */
const SOONEST_MS = 100;

export interface DueStep {
	/** Runs the due step and returns when to check again, in Unix milliseconds; undefined for never. */
	readonly step: () => Promise<number | undefined>;
	readonly warn: (message: string) => void;
}

/** Runs one step at a time per key, and none for a while after a failure. */
class DueSteps {
	readonly #underWay = new Set<string>();
	readonly #notBefore = new Map<string, number>();
	readonly #timers = new Map<string, NodeJS.Timeout>();

	/** Whether a step could run now. */
	isFree(key: string): boolean {
		return !this.#underWay.has(key) && Date.now() >= (this.#notBefore.get(key) ?? 0);
	}

	/** Runs the step once, in the background, if the key is free. */
	startNow(key: string, due: DueStep): void {
		if (this.isFree(key)) void this.#take(key, due);
	}

	/**
	 * Schedules the step for `at`, then for each time that it returns, and drops the earlier schedule; undefined
	 * schedules nothing.
	 */
	plan(key: string, at: number | undefined, due: DueStep): void {
		clearTimeout(this.#timers.get(key));
		this.#timers.delete(key);
		if (at === undefined) return;
		const delay = Math.min(LONGEST_MS, Math.max(SOONEST_MS, at - Date.now()));
		const timer = setTimeout(() => {
			void this.#take(key, due).then((nextAt) => {
				// It may have been rescheduled or cancelled in the meantime.
				if (this.#timers.get(key) === timer) this.plan(key, nextAt, due);
			});
		}, delay);
		this.#timers.set(key, timer.unref());
	}

	/** Cancels the schedule. */
	end(key: string): void {
		clearTimeout(this.#timers.get(key));
		this.#timers.delete(key);
		this.#notBefore.delete(key);
	}

	/** Returns when to check again; never rejects. */
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

/** The instance of this process. */
export const dueSteps = new DueSteps();
