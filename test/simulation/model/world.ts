/** Everything that one event depends on: its entry, the processes of n8n with their sessions, and what must stay true. */
import type { Entry } from '../../../lib/ledger/life/entry';
import { FIRST_GRACE_MS, type StepMoment } from '../../../lib/ledger/life/states';
import type { Outcome, Step } from '../../../lib/ledger/life/steps';

/** A delivery of the event in a process; undefined if there is none. */
export type Delivery =
	| {
			readonly at:
				/** Has claimed the event, and n8n has stored no execution yet. */
				| 'handing over'
				/** n8n has stored an execution, and its response is to come. */
				| 'stored'
				/** The commit is tried until it is written. */
				| 'committing'
				/** n8n did not respond for so long that the claim was committed. */
				| 'abandoned'
				/** n8n could not store an execution, or the response to the claim was lost: the release is tried until written. */
				| 'releasing';
			/** Whether the session under which it claimed has been closed since. */
			readonly isOld: boolean;
	  }
	| undefined;

/** Has asked to begin and knows no response; or has given up, and gives the event back for the first time, then again. */
type Asking = 'unsure' | 'giving back' | 'giving back again';

/** One start of a stored execution; undefined if there is none. */
export type Attempt =
	| {
			readonly at:
				| Asking
				/** Is past `begin`: the workflow runs. */
				| 'on'
				/** Has ended; the end is tried until it is written. */
				| Outcome;
			readonly repeats: boolean;
			readonly isRetry: boolean;
			readonly isOld: boolean;
			/** Whether its process has never been paused since it began. */
			readonly isSteady: boolean;
			/** Whether a user has reopened the event since it began. */
			readonly isBeforeReopen: boolean;
	  }
	| undefined;

export interface Process {
	/** False if its session has lapsed because it was paused: it goes on without knowing. */
	readonly isAlive: boolean;
	readonly deliveries: readonly Delivery[];
	readonly attempts: readonly Attempt[];
}

export interface World {
	/** Written now, or long ago: see `later`. */
	readonly entry: Entry | undefined;
	readonly processes: readonly Process[];
	/** Whether n8n has ever had an execution that it may start at any time, and again, or was taken to have one. */
	readonly isStored: boolean;
	/** Whether a sender got a 2xx. */
	readonly isAcknowledged: boolean;
	/** Whether the latest attempt that continued is not to be repeated. This and the following count from a replay on. */
	readonly isOnce: boolean;
	/** Whether the ledger was told that an execution has succeeded. */
	readonly hasSucceeded: boolean;
	/** Whether the ledger was told that the last execution to begin sleeps. */
	readonly isAsleep: boolean;
	/** Whether a user has reopened it and no execution has succeeded since. */
	readonly isReopened: boolean;
	/** What went wrong in the last step. */
	readonly fault?: string | undefined;
}

export const NOW = 1_000_000_000;
export const LONG_AGO = 1;
/** The session of processes that died. */
export const DEAD = 'dead';

/** For each process, how many deliveries it has at a time, and how many starts of executions. */
export function firstWorld(processes: readonly (readonly [number, number])[]): World {
	const none = (count: number) => Array.from({ length: count }, () => undefined);
	return {
		entry: undefined,
		processes: processes.map(([deliveries, attempts]) => {
			return { isAlive: true, deliveries: none(deliveries), attempts: none(attempts) };
		}),
		...{ isStored: false, isAcknowledged: false, isOnce: false },
		...{ hasSucceeded: false, isAsleep: false, isReopened: false },
	};
}

/** A slot of a delivery or an attempt. */
export interface Slot {
	readonly process: number;
	readonly index: number;
}

export const numberOf = ({ process, index }: Slot) => 10 * process + index + 1;
export const runOf = (slot: Slot) => RUNS[numberOf(slot)] ?? '';
export const sessionOf = (process: number, { isOld } = OPEN) =>
	(isOld ? CLOSED_SESSIONS : SESSIONS)[process] ?? '';

const OPEN = { isOld: false };
// Made once: a search asks for them hundreds of millions of times.
const SESSIONS = [0, 1].map((process) => `session ${process}`);
const CLOSED_SESSIONS = SESSIONS.map((session) => `${session}, closed`);
const RUNS = Array.from({ length: 20 }, (_, n) => `run ${Math.floor(n / 10)}.${(n % 10) - 1}`);

/** Each result of the step that the sender could get, by what it takes other processes for. */
export function* taken<R>(
	world: World,
	{ process }: { readonly process: number },
	step: (entry: Entry | undefined, moment: StepMoment) => Step<R>,
): Generator<readonly [R, World]> {
	for (const isHolderDead of deaths(world, process)) {
		const { result, next } = step(world.entry, { now: NOW, isHolderDead });
		yield [result, next === undefined ? world : { ...world, entry: bounded(next) }];
	}
}

/** What the process can take the holder for: one that lives on is never dead, and a young process takes nobody for dead. */
function deaths({ entry, processes }: World, process: number): readonly boolean[] {
	const isHeld = entry?.kind === 'pending' || entry?.kind === 'running';
	const holder = isHeld ? entry.holder : undefined;
	if (holder === undefined || holder === sessionOf(process)) return [false];
	if (processes.some(({ isAlive }, n) => isAlive && holder === sessionOf(n))) return [false];
	if (holder.endsWith('closed')) return [true];
	return processes[process]?.isAlive === true ? [true, false] : [false];
}

/** Without the numbers that only grow and decide nothing here. */
function bounded(entry: Entry | null): Entry | undefined {
	if (entry === null) return undefined;
	const { attempts, grace } = entry;
	return { ...entry, attempts: Math.min(attempts, 1), grace: Math.min(grace, FIRST_GRACE_MS) };
}

/** The entry when its grace is over and it is due. */
export function later(entry: Entry): Entry {
	return entry.at === NOW ? { ...entry, at: LONG_AGO } : entry;
}

export function withDelivery(world: World, { process, index }: Slot, delivery: Delivery): World {
	return withProcess(world, process, ({ deliveries }) => ({
		deliveries: deliveries.with(index, delivery),
	}));
}

export function withAttempt(world: World, { process, index }: Slot, attempt: Attempt): World {
	return withProcess(world, process, ({ attempts }) => ({
		attempts: attempts.with(index, attempt && bare(attempt)),
	}));
}

/** Whether it has not learned that it continues. */
export function isAsking(at: NonNullable<Attempt>['at']): at is Asking {
	return at === 'unsure' || at === 'giving back' || at === 'giving back again';
}

/** Without what does not matter any more. */
function bare(attempt: NonNullable<Attempt>): NonNullable<Attempt> {
	const { at, isSteady, isBeforeReopen } = attempt;
	if (isAsking(at)) return { ...attempt, isSteady: false, isBeforeReopen: false };
	const ended = { repeats: false, isRetry: false, isOld: false };
	return { ...ended, at, isSteady: at === 'on' && isSteady, isBeforeReopen };
}

export function withProcess(
	world: World,
	n: number,
	change: (process: Process) => Partial<Process>,
): World {
	const processes = world.processes.map((each, at) =>
		at === n ? { ...each, ...change(each) } : each,
	);
	return { ...world, processes };
}

/** The process dies, and another takes its place. */
export function withDeath(world: World, n: number): World {
	const dead = withProcess(world, n, ({ deliveries, attempts }) => ({
		isAlive: true,
		deliveries: deliveries.map(() => undefined),
		attempts: attempts.map(() => undefined),
	}));
	return withHolder(dead, sessionOf(n), DEAD);
}

/** The process closes its session, and has a new one. */
export function withClosed(world: World, n: number): World {
	const old = withProcess(world, n, ({ deliveries, attempts }) => ({
		isAlive: true,
		deliveries: deliveries.map((each) => each && { ...each, isOld: true }),
		attempts: attempts.map((each) => each && { ...each, isOld: true }),
	}));
	return withHolder(old, sessionOf(n), sessionOf(n, { isOld: true }));
}

function withHolder(world: World, from: string, to: string): World {
	const { entry } = world;
	return entry?.holder === from ? { ...world, entry: { ...entry, holder: to } } : world;
}

export const isInUse = ({ deliveries, attempts }: Process) =>
	[...deliveries, ...attempts].some((each) => each !== undefined);

/** Whether the entry is held by the claim of this delivery. */
export function holds(
	entry: Entry | undefined,
	slot: Slot,
	delivery: NonNullable<Delivery>,
): boolean {
	return entry?.holder === sessionOf(slot.process, delivery) && entry.claim === numberOf(slot);
}
