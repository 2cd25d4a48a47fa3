/** Settles the claims of an execution when n8n has responded, and decides the response to the service. */
import { commitHold, type EntryState, type Hold, releaseHold } from '../ledger';
import { jittered, sleep } from '../shared/pace';

/** How long a response waits for an execution that still runs: the service gives up after 30 s (specification 6.4). */
const WAIT_MS = 20_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;

/** `accepted`: 200. `failed`: n8n's own response. `busy`: the service has to deliver the event again. */
export type SettleOutcome = 'accepted' | 'failed' | 'busy';

export interface Settling {
	readonly acknowledge: 'stored' | 'succeeded';
	/** Whether n8n responds when it has stored the execution, not when that has ended: by the URL of the delivery. */
	readonly isEarly: boolean;
	readonly retentionMs: number;
	/** How long to wait for an execution that still runs, in milliseconds. */
	readonly waitMs?: number;
}

/**
 * Returns the outcome for each claim, in order. `isOk` is n8n's own verdict: for an execution that must succeed, the ledger
 * decides, because n8n also responds with a success for an execution that was stored a second time and ended without items.
 * Never rejects.
 */
export async function settle(
	hold: Hold,
	settling: Settling,
	isOk: boolean,
): Promise<readonly SettleOutcome[]> {
	const { acknowledge, isEarly, retentionMs } = settling;
	const isStored = isOk && (acknowledge === 'stored' || isEarly);
	if (isStored) await commitHold(hold, retentionMs);
	else if (!isOk) await releaseHold(hold);
	if (isStored) return hold.claims.map(() => 'accepted');
	const outcomeOf = acknowledge === 'stored' ? onceStored : onceSucceeded;
	const states = await statesOf(hold, acknowledge === 'stored' ? 0 : settling.waitMs);
	const outcomes = states.map((state) => outcomeOf(state, isOk));
	// Its execution has neither begun nor failed: n8n may have it in its queue.
	if (isOk && outcomes.includes('busy')) await commitHold(hold, retentionMs);
	return outcomes;
}

/** n8n reports a failure: also that of an execution that has begun, which must not start the event again. */
function onceStored(state: EntryState | undefined): SettleOutcome {
	return state !== undefined && HAS_BEGUN.has(state) ? 'accepted' : 'failed';
}

const HAS_BEGUN: ReadonlySet<EntryState> = new Set([
	...(['running', 'asleep', 'interrupted', 'failed', 'done', 'begun'] as const),
]);

function onceSucceeded(state: EntryState | undefined, isOk: boolean): SettleOutcome {
	if (state === 'done' || state === 'asleep') return 'accepted';
	return state === 'running' || isOk ? 'busy' : 'failed';
}

/** Waits as long as an execution runs; undefined if the ledger cannot be asked. */
async function statesOf(
	{ ledger, claims }: Hold,
	waitMs = WAIT_MS,
): Promise<(EntryState | undefined)[]> {
	const giveUpAt = performance.now() + waitMs;
	const look = async ({ key }: Hold['claims'][number]) => (await ledger.look(key)).state;
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
		const looked = await Promise.allSettled(claims.map(look));
		const states = looked.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
		const isOver = performance.now() + pauseMs >= giveUpAt;
		if (isOver || !states.includes('running')) return states;
		await sleep(jittered(pauseMs));
	}
}
