/** What the ledger says about an event. */
import type { Entry } from './entry';
import { dueInMs, type EntryState, type StepMoment, stateOf } from './states';

/** The ledger's record of an event. */
export interface Account {
	readonly state: EntryState;
	/** The latest attempt that began it (`attemptOf`); absent if there was none. */
	readonly run?: string;
	/** How many executions have begun it since it was last reopened. */
	readonly attempts: number;
	/** When its execution ended, in Unix milliseconds; absent unless it is failed or done. */
	readonly endedAt?: number;
	/** In how many milliseconds it is due again, 0 if it is; absent if it does not start again by itself. */
	readonly dueInMs?: number;
	/** True if it is running and starts again unless that succeeds. */
	readonly repeats?: true;
	/** When a user asked to run it again, in Unix milliseconds; absent once it has succeeded. */
	readonly reopenedAt?: number;
}

export function accountOf(entry: Entry | undefined, moment: StepMoment): Account {
	const state = stateOf(entry, moment);
	if (entry === undefined || state === 'free') return { state: 'free', attempts: 0 };
	const { run, attempts, reopenedAt } = entry;
	const due = dueInMs(entry, moment);
	return {
		state,
		attempts,
		...(run !== undefined && { run }),
		...((state === 'failed' || state === 'done') && { endedAt: entry.at }),
		...(due !== undefined && { dueInMs: due }),
		...(state === 'running' && entry.repeats && { repeats: true }),
		...(reopenedAt !== undefined && { reopenedAt }),
	};
}
