/** What can happen in a search, and what decides about it. */
import type { Outcome } from '../../../lib/ledger/life/steps';
import type { Move as MoveTo, Steps } from './search';
import type { World } from './world';

export interface Options {
	/** For each process, how many deliveries it has at a time, and how many starts of executions. */
	readonly processes: readonly (readonly [number, number])[];
	/** `acknowledge`: whether attempts are repeated. With both, the user changes it at any time. */
	readonly repeats: readonly boolean[];
	/** How executions can end; undefined if n8n does not report it. */
	readonly outcomes: readonly Outcome[] | undefined;
	/** Whether n8n may also respond when an execution has ended, not only when it has stored one. */
	readonly respondsLate?: boolean;
	/** Whether processes stop in order. */
	readonly stops?: boolean;
	/** Whether a user retries executions and replays the event. */
	readonly user?: boolean;
	/** A fault of the callers that the ledger cannot make up for. */
	readonly slip?: 'trust every response' | 'give back once' | 'close while executions run';
}

export type Lived = Options & { readonly steps: Steps };

export type Move = MoveTo<World>;

export const OUTCOMES: readonly Outcome[] = ['succeeded', 'failed', 'asleep', 'lost'];

type Size = Pick<Options, 'processes' | 'outcomes'>;

/** In two processes, each with a delivery and an execution at a time. */
export const TWO_DELIVERIES: Size = { processes: [...one(1), ...one(1)], outcomes: OUTCOMES };
/** In two processes, each with an execution at a time, one with a delivery. */
export const ONE_DELIVERY: Size = { processes: [...one(1), ...one(0)], outcomes: OUTCOMES };
/** One process with a delivery and two executions at a time. */
export const ONE_PROCESS: Size = { processes: [[1, 2]], outcomes: OUTCOMES };

function one(deliveries: number): Options['processes'] {
	return [[deliveries, 1]];
}
