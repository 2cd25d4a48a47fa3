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

/** One step at a time a key, and none for a while after one that failed. */
interface DueSteps {
	/** Whether a step could run now. */
	isFree(key: string): boolean;
	/** Runs the step once, in the background, if the key is free. */
	startNow(key: string, due: DueStep): void;
	/** Plans the step for `at`, and then for whenever it says, instead of what was planned; undefined plans nothing. */
	plan(key: string, at: number | undefined, due: DueStep): void;
	/** Forgets what was planned. */
	end(key: string): void;
}

function createDueSteps(): DueSteps {
	const running = new Set<string>();
	const notBefore = new Map<string, number>();
	const timers = new Map<string, NodeJS.Timeout>();

	const isFree = (key: string) => !running.has(key) && Date.now() >= (notBefore.get(key) ?? 0);

	/** Returns when to look again; never rejects. */
	const takeStep = async (key: string, { step, warn }: DueStep): Promise<number | undefined> => {
		if (!isFree(key)) return notBefore.get(key) ?? Date.now();
		running.add(key);
		try {
			const nextAt = await step();
			notBefore.delete(key);
			return nextAt;
		} catch (error) {
			const hint = error instanceof RegistrationError ? `. ${error.hint}` : '';
			warn(
				`the endpoint could not be made or replaced, which is tried again later: ${messageOf(error)}${hint}`,
			);
			const again = Date.now() + AGAIN_AFTER_MS;
			notBefore.set(key, again);
			return again;
		} finally {
			running.delete(key);
		}
	};

	const end = (key: string) => {
		clearTimeout(timers.get(key));
		timers.delete(key);
		notBefore.delete(key);
	};

	const plan = (key: string, at: number | undefined, due: DueStep) => {
		clearTimeout(timers.get(key));
		timers.delete(key);
		if (at === undefined) return;
		const delay = Math.min(LONGEST_MS, Math.max(SOONEST_MS, at - Date.now()));
		const timer = setTimeout(() => {
			void takeStep(key, due).then((nextAt) => {
				// Meanwhile it may have been planned again, or no longer be wanted.
				if (timers.get(key) === timer) plan(key, nextAt, due);
			});
		}, delay);
		timers.set(key, timer.unref());
	};

	return {
		isFree,
		startNow: (key, due) => {
			if (isFree(key)) void takeStep(key, due);
		},
		plan,
		end,
	};
}

/** The one of this process. */
export const dueSteps = createDueSteps();
