/** What must never be. */
import { type EntryState, stateOf } from '../../../lib/ledger/life/states';
import type { Steps } from './search';
import * as worlds from './world';
import type { World } from './world';

/** When a user replays the event. */
export const REOPENED_AT = 1;

export function faultOf(world: World, steps: Steps): string | undefined {
	const { entry, processes, isAcknowledged, isStored, isReopened } = world;
	if (world.fault !== undefined) return world.fault;
	const steady = processes.flatMap(({ attempts }) => attempts.filter((each) => each?.isSteady));
	if (steady.length > 1) return 'two executions run';
	if (isAcknowledged && !isStored) return 'acknowledged, and never stored';
	if (isReopened && entry?.reopenedAt !== REOPENED_AT)
		return 'replayed, and its items do not show it';
	if (isStray(world)) return `${entry?.kind ?? ''} in a living process that knows nothing of it`;
	return faultOfEnd(world) ?? (canStartLater(world, steps) ? undefined : 'never to start again');
}

function faultOfEnd({ entry, isAsleep, hasSucceeded }: World): string | undefined {
	const isDone = entry?.kind === 'done';
	if (isAsleep && entry?.kind !== 'asleep' && !isDone) return 'does not stay asleep';
	if (hasSucceeded && !isDone) return 'a success is not kept';
	return isDone && !hasSucceeded ? 'done without a success' : undefined;
}

function isStray({ entry, processes }: World): boolean {
	const isHeld = processes.some((_process, n) => entry?.holder === worlds.sessionOf(n));
	if (entry?.kind === 'running') return isHeld && entry.run === undefined;
	return entry?.kind === 'pending' && isHeld && entry.claim === undefined;
}

/** An event that has not ended starts with a later delivery, when the time is over and whoever holds it has died. */
function canStartLater({ entry: left }: World, steps: Steps): boolean {
	const entry = left && worlds.later(left);
	const moment = { now: worlds.NOW, isHolderDead: true };
	const state = stateOf(entry, moment);
	if (ENDED.has(state) || (ENDED_BADLY.has(state) && entry?.repeats === false)) return true;
	const session = 'another session';
	const claimed = steps.claim(entry, { session, number: 1 }, moment);
	if (claimed.result.state !== 'claimed') return false;
	const again = { run: 'another run', session, repeats: true, reportsEnd: true, isRetry: false };
	return steps.begin(claimed.next ?? undefined, again, { ...moment, isHolderDead: false }).result;
}

const ENDED: ReadonlySet<EntryState> = new Set(['done', 'asleep', 'begun']);
const ENDED_BADLY: ReadonlySet<EntryState> = new Set(['failed', 'interrupted']);
