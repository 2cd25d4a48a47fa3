/**
 * The whole protocol for one event that counts once an execution has succeeded, every step of which may fail: copies
 * that claim it and wait for the end of their execution, n8n that stores executions under the token of their claim and
 * starts them any number of times, attempts that begin or fail to, and a user who retries or replays the event.
 */
import { type Answer, type Entry, type Step } from '../contract/model';
import type { LedgerModel, Move as MoveTo, Protocol } from './search';

/** State of a process with a copy of the event; `away` if it has none or has died. */
type Copy =
	| 'away'
	/** Has claimed the event, and n8n has not stored an execution yet. */
	| 'handing over'
	/** n8n has stored an execution, whose end it waits for. */
	| 'waiting'
	/** Its execution had an hour to begin and has not: the claim is to be given up. */
	| 'giving up'
	/** Has given its claim up, and n8n may still report the end of the execution. */
	| 'gave up'
	/** The execution has ended without an error: the claim is to be finished, and the sender waits. */
	| 'finishing'
	/** The sender has its response, and the finish is tried again. */
	| 'finishing late'
	/** n8n could not store an execution, or it has failed: the claim is to be released. */
	| 'releasing';

/** One start of a stored execution; undefined is none. */
type Attempt =
	| {
			/** `unsure`: it has asked to begin, and the response was lost. `on`: it is past `begin`. */
			readonly at: 'unsure' | 'giving back' | 'on';
			/** The claim under which the execution was stored. */
			readonly token: number;
			/** Whether its holder has renewed the claim in time since. */
			readonly isHeld: boolean;
	  }
	| undefined;

interface World {
	/** Its moments are counted from now on, so that two worlds that differ only in the time of day are one. */
	readonly entry: Entry;
	/** The index is the token of the claim. */
	readonly copies: readonly Copy[];
	/** Claims under which n8n has an execution that it may start at any time, and again. */
	readonly stored: ReadonlySet<number>;
	/** The index is the run that the attempt asks for. */
	readonly attempts: readonly Attempt[];
	/** Whether an execution has ever succeeded. */
	readonly hasSucceeded: boolean;
	/** Like `hasSucceeded`, since a user last reopened the event. */
	readonly isSatisfied: boolean;
	/** Whether the holder of an execution that has succeeded has written so, since the event was last reopened. */
	readonly isDone: boolean;
	/** Whether a user has reopened the event, and it has neither been done nor retried since. */
	readonly isReopened: boolean;
	/** The error of the last step. */
	readonly fault?: string;
}

type Move = MoveTo<World>;

interface Size {
	readonly copies: number;
	/** How many starts of executions there can be at a time. */
	readonly attempts: number;
	/** Whether a user retries executions and reopens the event. */
	readonly person: boolean;
	/** Faults of n8n or the holder. */
	readonly slip?: Slip;
}

type Slip =
	/**
	 * n8n starts an execution again while its end is waited for, as a second main on the same database does: it may not
	 * begin, and n8n reports that it has ended well.
	 */
	| 'starts twice'
	/** The holder looks whether its execution has begun, and gives its claim up in another step. */
	| 'gives up after a look'
	/** The sender gets a 2xx for an execution that has ended, although the finish could not be written. */
	| 'acknowledges unwritten';

/** A claim that the entry knows, and whose process has died. */
const DEAD = -1;
/** All claims that are over: no entry knows them any more. */
const GONE = -2;
/** The run of an attempt whose process has died. */
const DEAD_RUN = -3;
/** A retry by a user. */
const PERSON = -4;
/** A later copy. */
const NOBODY = -5;
const LEASE_MS = 60_000;
const MOMENT = 1;
/** More attempts than one change nothing, and one begin can be given back. */
const MOST_ATTEMPTS = 2;

export function succeededOnce({ copies, attempts, person, slip }: Size): Protocol<World> {
	const first: World = {
		entry: undefined,
		copies: Array.from({ length: copies }, () => 'away'),
		stored: new Set(),
		attempts: Array.from({ length: attempts }, () => undefined),
		hasSucceeded: false,
		isSatisfied: false,
		isDone: false,
		isReopened: false,
	};
	return {
		first,
		*moves(world, ledger) {
			yield* moves(world, ledger, slip);
			if (person) yield* movesOfPerson(world, ledger);
		},
		faultOf,
		nameOf,
	};
}

function* moves(world: World, ledger: LedgerModel, slip: Slip | undefined): Generator<Move> {
	for (const [index, copy] of world.copies.entries()) {
		if (copy === 'away' && index > world.copies.indexOf('away')) continue;
		yield* movesOfCopy(world, index, copy, ledger, slip);
		if (copy !== 'away') yield [`copy ${index}: its process dies`, withCopy(world, index, 'away')];
	}
	for (const [run, attempt] of world.attempts.entries()) {
		if (attempt !== undefined) yield* movesOfAttempt(world, run, attempt, ledger, slip);
	}
	const idle = world.attempts.indexOf(undefined);
	if (idle >= 0) {
		for (const token of world.stored) {
			if (mayStart(world, token, slip)) yield* starts(world, idle, token, ledger);
		}
	}
	const { entry } = world;
	if (entry && (entry.state === 'pending' || entry.state === 'running') && entry.due > 0) {
		yield [`the ${entry.state} entry lapses`, lapsed(world)];
	}
}

/**
 * n8n starts a stored execution for those who wait for it, and once more when they have died: at its next start it finds
 * it. It does not start one that is under way, or that it has reported as failed.
 */
function mayStart({ copies, attempts }: World, token: number, slip: Slip | undefined): boolean {
	if (token < 0) return true;
	const isUnderWay = attempts.some((each) => each?.token === token) && slip !== 'starts twice';
	return !isUnderWay && ['waiting', 'giving up', 'gave up'].includes(copies[token] ?? 'away');
}

function* movesOfCopy(
	world: World,
	index: number,
	copy: Copy,
	ledger: LedgerModel,
	slip: Slip | undefined,
): Generator<Move> {
	const say = (what: string) => `copy ${index}: ${what}`;
	const ask = (step: Step) => called(world, step, ledger);
	if (copy === 'away') {
		const { answer, asked } = ask({ kind: 'claim', claim: index, leaseMs: LEASE_MS });
		if (answer === 'claimed') {
			yield [say('claims'), withCopy(asked, index, 'handing over')];
			yield [say('claims, response lost'), withCopy(asked, index, 'releasing')];
		}
		if (answer === 'committed') yield [say('is a duplicate, 2xx'), acknowledged(asked)];
		return;
	}
	if (copy === 'releasing' || copy === 'giving up') {
		const { asked } = ask({ kind: 'release', claim: index });
		const next = copy === 'releasing' ? 'away' : 'gave up';
		yield [say(copy === 'releasing' ? 'releases' : 'gives up'), withCopy(asked, index, next)];
		yield [say('cannot release'), withCopy(world, index, next)];
		return;
	}
	if (copy === 'gave up') return;
	yield* renewals(world, index, ledger);
	if (copy === 'handing over') {
		const stored = { ...world, stored: new Set(world.stored).add(index) };
		yield [say('n8n refuses'), withCopy(world, index, 'releasing')];
		yield [say('n8n stores'), withCopy(stored, index, 'waiting')];
		yield [say('n8n stores, and fails'), withCopy(stored, index, 'releasing')];
	}
	if (copy === 'waiting') {
		const { answer } = ask({ kind: 'look' });
		const isPending = String(answer).startsWith('is pending');
		const { asked } = ask({ kind: 'release', claim: index });
		if (!isPending) return;
		if (slip !== 'gives up after a look')
			yield [say('gives up'), withCopy(asked, index, 'gave up')];
		else yield [say('finds that nothing has begun'), withCopy(world, index, 'giving up')];
	}
	if (copy === 'finishing' || copy === 'finishing late') {
		const { answer, asked } = ask({ kind: 'finish', claim: index, retentionMs: Infinity });
		const written = { ...asked, isDone: asked.isDone || asked.entry?.state === 'done' };
		const over = withCopy(written, index, 'away');
		if (copy === 'finishing late') {
			yield [say('finishes late'), over];
			yield [say('finishes late, response lost'), written];
			return;
		}
		if (answer === true) yield [say('finishes, 2xx'), acknowledged(over)];
		else yield [say('has lost the event, busy'), over];
		yield [say('finishes, response lost'), written];
		const late = withCopy(world, index, 'finishing late');
		if (slip !== 'acknowledges unwritten') yield [say('cannot finish in time, busy'), late];
		else yield [say('cannot finish in time, 2xx'), acknowledged(late)];
	}
}

/** As the holder does: a claim that was lost is taken again when it is free. */
function* renewals(world: World, index: number, ledger: LedgerModel): Generator<Move> {
	const { answer, asked } = called(
		world,
		{ kind: 'renew', claim: index, leaseMs: LEASE_MS },
		ledger,
	);
	if (answer === true) {
		const { entry } = asked;
		const run = entry?.state === 'running' ? entry.run : undefined;
		const attempts = asked.attempts.map((each, at) =>
			each?.at === 'on' && at === run ? { ...each, isHeld: true } : each,
		);
		yield [`copy ${index}: renews`, { ...asked, attempts }];
		return;
	}
	const again = called(world, { kind: 'claim', claim: index, leaseMs: LEASE_MS }, ledger);
	yield [`copy ${index}: takes its claim again`, again.asked];
}

function* starts(world: World, run: number, token: number, ledger: LedgerModel): Generator<Move> {
	yield* begins(world, run, token, ledger);
	const cannot = withAttempt(world, run, { at: 'giving back', token: GONE, isHeld: false });
	yield [`run ${run}: cannot ask, fails`, reported(cannot, token, 'releasing')];
}

function* begins(world: World, run: number, token: number, ledger: LedgerModel): Generator<Move> {
	const step = { kind: 'begin', run, retentionMs: Infinity, claim: token } as const;
	const { answer, asked } = called(world, step, ledger);
	if (answer === true) {
		const fault = faultOfBegin(world);
		const isHeld = (asked.entry?.due ?? 0) > 0;
		const on = withAttempt(asked, run, { at: 'on', token, isHeld });
		yield [`run ${run}: begins and continues`, fault ? { ...on, fault } : on];
		const unsure = withAttempt(asked, run, { at: 'unsure', token, isHeld: false });
		yield [`run ${run}: begins, response lost`, unsure];
	} else {
		// n8n does not distinguish an execution that ends without items from one that has done its work.
		const ended = withAttempt(asked, run, undefined);
		yield [`run ${run}: may not begin, ends`, reported(ended, token, 'finishing')];
	}
}

function faultOfBegin({ attempts, isDone }: World): string | undefined {
	if (isDone) return 'begun after it was done';
	const isRunning = attempts.some((each) => each?.at === 'on' && each.isHeld);
	return isRunning ? 'two executions ran' : undefined;
}

function* movesOfAttempt(
	world: World,
	run: number,
	attempt: NonNullable<Attempt>,
	ledger: LedgerModel,
	slip: Slip | undefined,
): Generator<Move> {
	const say = (what: string) => `run ${run}: ${what}`;
	const { at, token } = attempt;
	const ended = withAttempt(world, run, undefined);
	if (at === 'on') {
		const succeeded = { ...ended, hasSucceeded: true, isSatisfied: true };
		yield [say('succeeds'), reported(succeeded, token, 'finishing')];
		yield [say('fails'), reported(ended, token, 'releasing')];
	}
	if (at === 'unsure') {
		yield* begins(world, run, token, ledger);
		const givesBack = withAttempt(world, run, { ...attempt, at: 'giving back', token: GONE });
		yield [say('gives up, fails'), reported(givesBack, token, 'releasing')];
	}
	if (at === 'giving back') {
		const { asked } = called(world, { kind: 'giveBack', run, retentionMs: Infinity }, ledger);
		yield [say('gives back, response lost'), asked];
		yield [say('gives back'), withAttempt(asked, run, undefined)];
	}
	// n8n does not repeat running executions while another process waits for them.
	const stored = new Set([...world.stored].filter((each) => each < 0 || each !== token));
	yield [say('its process dies'), slip === 'starts twice' ? ended : { ...ended, stored }];
}

function* movesOfPerson(world: World, ledger: LedgerModel): Generator<Move> {
	const again = called(world, { kind: 'begin', run: PERSON, retentionMs: Infinity }, ledger).asked;
	const isRetried = again.entry?.state === 'begun';
	yield ['a person retries', isRetried ? { ...again, isReopened: false } : again];
	const reopen = { kind: 'reopen', at: MOMENT, retentionMs: Infinity } as const;
	const { answer, asked } = called(world, reopen, ledger);
	if (!/^was (pending|running),/.test(String(answer))) {
		const reopened = { isSatisfied: false, isDone: false, isReopened: true };
		yield ['a person reopens', { ...asked, ...reopened }];
	}
}

/** The lease has just ended, because its holder has died or was paused. */
function lapsed(world: World): World {
	const { entry, attempts } = world;
	const run = entry?.state === 'running' ? entry.run : undefined;
	return settled({
		...world,
		entry: later(entry),
		attempts: attempts.map((each, at) => (each && at === run ? { ...each, isHeld: false } : each)),
	});
}

function later(entry: Entry): Entry {
	if (!entry || (entry.state !== 'pending' && entry.state !== 'running')) return entry;
	const expires = entry.expires - entry.due;
	return expires > 0 ? { ...entry, due: 0, expires } : undefined;
}

function called(world: World, step: Step, ledger: LedgerModel): { answer: Answer; asked: World } {
	const { answer, entry } = ledger(world.entry, step, 0);
	return { answer, asked: settled({ ...world, entry: entry && bounded(entry) }) };
}

/** Counters that only grow and decide nothing here. */
function bounded(entry: NonNullable<Entry>): Entry {
	const attempts = Math.min(entry.attempts, MOST_ATTEMPTS);
	return { ...entry, attempts, grace: Math.min(entry.grace, LEASE_MS) };
}

/** A dead holder that the entry has forgotten no longer holds anything, and a done event is no longer reopened. */
function settled(world: World): World {
	const { entry } = world;
	const isReopened = world.isReopened && entry?.state !== 'done';
	const isHeld = entry?.state === 'pending' || entry?.state === 'running';
	if (isHeld && entry.holder === DEAD) return { ...world, isReopened };
	return { ...withToken(world, DEAD, GONE), isReopened };
}

function withToken(world: World, from: number, to: number): World {
	const { stored, attempts } = world;
	const rename = (token: number) => (token === from ? to : token);
	return {
		...world,
		stored: new Set([...stored].map(rename)),
		attempts: attempts.map((each) => each && { ...each, token: rename(each.token) }),
	};
}

/** The sender gets a 2xx. */
function acknowledged(world: World): World {
	const { entry, hasSucceeded } = world;
	const isRight = hasSucceeded || entry?.state === 'begun' || entry?.state === 'done';
	return isRight ? world : { ...world, fault: 'acknowledged, and no execution has succeeded' };
}

/** The process that waits for an execution learns of its end. */
function reported(world: World, token: number, next: 'finishing' | 'releasing'): World {
	const copy = world.copies[token];
	if (copy === 'gave up' && next === 'releasing') return withCopy(world, token, 'away');
	const isWaiting = copy === 'waiting' || copy === 'giving up' || copy === 'gave up';
	return isWaiting ? withCopy(world, token, next) : world;
}

function withCopy(world: World, index: number, copy: Copy): World {
	const copies = world.copies.with(index, copy);
	if (copy !== 'away') return { ...world, copies };
	const { entry } = world;
	const isHeld = entry?.state === 'pending' || entry?.state === 'running';
	const knows = isHeld && entry.holder === index;
	const left = knows ? { ...entry, holder: DEAD } : entry;
	return { ...withToken(world, index, knows ? DEAD : GONE), copies, entry: left };
}

function withAttempt(world: World, run: number, attempt: Attempt): World {
	const { entry } = world;
	const isLeft = attempt === undefined && entry?.run === run;
	return {
		...world,
		entry: isLeft ? { ...entry, run: DEAD_RUN } : entry,
		attempts: world.attempts.with(run, attempt),
	};
}

function faultOf(world: World, ledger: LedgerModel): string | undefined {
	const { entry, isSatisfied, isReopened } = world;
	if (world.fault !== undefined) return world.fault;
	if (isReopened && entry?.reopenedAt !== MOMENT) return 'reopened, and its items do not show it';
	if (isSatisfied || entry?.state === 'begun') return undefined;
	return canStartLater(world, ledger) ? undefined : 'not done, and no later copy can start it';
}

/** Whether a copy that arrives when the leases of all others are over is handed over, and its execution begins. */
function canStartLater({ entry }: World, ledger: LedgerModel): boolean {
	const ask = { kind: 'claim', claim: NOBODY, leaseMs: LEASE_MS } as const;
	const claimed = ledger(later(entry), ask, 0);
	if (claimed.answer !== 'claimed') return false;
	const begin = { kind: 'begin', run: NOBODY, retentionMs: Infinity, claim: NOBODY } as const;
	return ledger(claimed.entry, begin, 0).answer === true;
}

/** Copies and attempts have no order. */
function nameOf(world: World): string {
	const { entry, copies, stored, attempts } = world;
	const isHeld = entry?.state === 'pending' || entry?.state === 'running';
	const holder = isHeld ? entry.holder : undefined;
	const run = entry?.state === 'running' || entry?.state === 'begun' ? entry.run : undefined;
	const ofToken = (token: number) => {
		const own = attempts.flatMap((each, at) =>
			each?.token === token
				? [`${each.at}${each.isHeld ? ' held' : ''}${at === run ? ' begun' : ''}`]
				: [],
		);
		return [token === holder ? 'holds' : '', stored.has(token) ? 'stored' : '', ...own.sort()];
	};
	const facts = entry && [
		...[entry.state, entry.attempts, entry.due, entry.expires, entry.grace, entry.reopenedAt],
		Number(run) < 0 ? run : '',
	];
	return [
		String(facts),
		...copies.map((copy, index) => [copy, ...ofToken(index)].join()).sort(),
		...[DEAD, GONE].map((token) => ofToken(token).join()),
		...[world.hasSucceeded, world.isSatisfied, world.isDone, world.isReopened],
		world.fault ?? '',
	].join(' ');
}
