/** Entries in each state, for the tests of the pure steps. */
import type { Entry } from '../../../../lib/ledger/life/entry';
import {
	type EntryState,
	FIRST_GRACE_MS,
	type StepMoment,
} from '../../../../lib/ledger/life/states';
import type { begin } from '../../../../lib/ledger/life/steps';

export const MINUTE_MS = 60_000;
export const NOW = 1_795_400_000_000;
/** The holder lives. */
export const ALIVE: StepMoment = { now: NOW, isHolderDead: false };
export const DEAD: StepMoment = { now: NOW, isHolderDead: true };
export const MINE = { session: 'my session', number: 1 };
const THEIRS = { holder: 'their session', claim: 7 };

const BARE = { at: NOW, grace: 0, attempts: 1, repeats: false, reopenings: 0 };

export function entryOf(kind: Entry['kind'], more: Partial<Entry> = {}): Entry {
	const run = kind === 'pending' || kind === 'stored' ? {} : { run: 'their run' };
	return { ...BARE, kind, ...run, ...more };
}

/** An entry in this state. It repeats if that matters, and is not due. */
export function inState(state: EntryState, more: Partial<Entry> = {}): Entry | undefined {
	if (state === 'free') return undefined;
	const asStored = { grace: FIRST_GRACE_MS, attempts: 0, ...more };
	if (state === 'stored') return entryOf('stored', asStored);
	if (state === 'overdue') return entryOf('stored', { at: NOW - FIRST_GRACE_MS, ...asStored });
	if (state === 'pending') return entryOf('pending', { ...THEIRS, attempts: 0, ...more });
	if (state === 'running') return entryOf('running', { holder: THEIRS.holder, ...more });
	return entryOf(state, more);
}

export const STATES: readonly EntryState[] = [
	...(['free', 'pending', 'stored', 'overdue', 'running', 'asleep'] as const),
	...(['interrupted', 'failed', 'done', 'begun'] as const),
];

type Attempting = Parameters<typeof begin>[1];

export function attempting(more: Partial<Attempting> = {}): Attempting {
	const mine = { run: 'my run', session: MINE.session };
	return { ...mine, repeats: false, reportsEnd: true, isRetry: false, ...more };
}
