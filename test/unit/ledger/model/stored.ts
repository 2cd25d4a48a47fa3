/**
 * The whole protocol for one event that counts once n8n has stored an execution, every step of which may fail: copies that are handed over, n8n that stores an
 * execution, loses it or starts it any number of times, attempts that begin or fail to, and the ledger, whose responses
 * are those of the model that the stores are compared with.
 */
import type { Answer, Entry, Step } from '../contract/model';
import type { LedgerModel, Move as MoveTo, Protocol } from './search';

/** State of a process with a copy of the event; `away` if it has none or has died. */
type Copy =
	| 'away'
	/** Has claimed the event, and n8n has not responded yet. */
	| 'handing over'
	/** Has committed, because the sender hung up and n8n has not responded for long. */
	| 'abandoned'
	/** n8n has failed after that: the event is to be given back. */
	| 'failed late'
	/** n8n has stored the execution and responds with 2xx; the sender waits for the commit. */
	| 'stored'
	/** The sender has its 2xx, the commit is being tried again. */
	| 'committing late'
	/** n8n could not store an execution, or the response to the claim was lost: the claim is to be released. */
	| 'releasing';

/** One start of the stored execution. */
type Attempt =
	| 'none'
	/** Has asked to begin; the response was lost. */
	| 'unsure'
	/** Has given up, and gives back events that it may hold. */
	| 'giving back'
	/** Went past `begin`: the workflow has run. */
	| 'on';

interface World {
	/** Its moments are counted from now on, so that two worlds that differ only in the time of day are one. */
	readonly entry: Entry;
	readonly copies: readonly Copy[];
	/** Whether n8n has an execution for the event that it may start at any time, and again. */
	readonly isStored: boolean;
	/** The index is the run that the attempt asks for. */
	readonly attempts: readonly Attempt[];
	/** Whether n8n has ever stored an execution for the event, or was taken to have by an abandoned claim. */
	readonly hasBeenStored: boolean;
	/** Whether the sender has got a 2xx. */
	readonly isAcknowledged: boolean;
}

type Move = MoveTo<World>;

/** A claim or run whose process has died. */
const DEAD = -1;
/** A run that has given up, and whose event is begun all the same. */
const GIVEN_UP = -2;
const LEASE_MS = 60_000;

/** `attempts` is how many starts of an execution there can be at a time. */
export function storedOnce({
	copies,
	attempts,
}: {
	copies: number;
	attempts: number;
}): Protocol<World> {
	return { first: firstWorld(copies, attempts), moves, faultOf, nameOf };
}

function firstWorld(copies: number, attempts: number): World {
	return {
		entry: undefined,
		copies: Array.from({ length: copies }, () => 'away'),
		isStored: false,
		attempts: Array.from({ length: attempts }, () => 'none'),
		hasBeenStored: false,
		isAcknowledged: false,
	};
}

function* moves(world: World, ledger: LedgerModel): Generator<Move> {
	for (const [index, copy] of world.copies.entries()) {
		yield* movesOfCopy(world, index, copy, ledger);
		if (copy !== 'away') yield [`copy ${index}: its process dies`, withCopy(world, index, 'away')];
	}
	for (const [run, attempt] of world.attempts.entries()) {
		yield* movesOfAttempt(world, run, attempt, ledger);
	}
	if (world.isStored) yield ['n8n loses the execution', { ...world, isStored: false }];
	if (world.entry && world.entry.state !== 'begun' && world.entry.due > 0) {
		yield [`the ${world.entry.state} entry lapses`, { ...world, entry: later(world.entry) }];
	}
}

/** The entry when its lease or grace has just ended. */
function later(entry: Entry): Entry {
	if (!entry || entry.state === 'begun') return entry;
	const expires = entry.expires - entry.due;
	return expires > 0 ? { ...entry, due: 0, expires } : undefined;
}

function* movesOfCopy(
	world: World,
	index: number,
	copy: Copy,
	ledger: LedgerModel,
): Generator<Move> {
	const say = (what: string) => `copy ${index}: ${what}`;
	const ask = (step: Step) => called(world, step, ledger);
	if (copy === 'away') {
		const { answer, asked } = ask({ kind: 'claim', claim: index, leaseMs: LEASE_MS });
		if (answer === 'claimed') {
			yield [say('claims'), withCopy(asked, index, 'handing over')];
			yield [say('claims, response lost'), withCopy(asked, index, 'releasing')];
		}
		if (answer === 'committed') {
			yield [say('is a duplicate, 2xx'), { ...asked, isAcknowledged: true }];
		}
		return;
	}
	if (copy === 'releasing') {
		const { asked } = ask({ kind: 'release', claim: index });
		yield [say('releases'), withCopy(asked, index, 'away')];
		return;
	}
	if (copy === 'abandoned') {
		yield [say('n8n stores at last'), withCopy({ ...world, isStored: true }, index, 'away')];
		yield [say('n8n refuses at last'), withCopy(world, index, 'failed late')];
		return;
	}
	if (copy === 'failed late') {
		const { asked } = ask({ kind: 'giveBack', run: DEAD, retentionMs: Infinity });
		yield [say('gives back'), withCopy(asked, index, 'away')];
		return;
	}
	yield* renewals(world, index, ledger);
	const { asked } = ask({ kind: 'commit', claim: index, retentionMs: Infinity });
	if (copy === 'handing over') {
		const stored = { ...world, isStored: true, hasBeenStored: true };
		yield [say('n8n refuses'), withCopy(world, index, 'releasing')];
		yield [say('n8n stores'), withCopy(stored, index, 'stored')];
		yield [say('n8n stores, and fails'), withCopy(stored, index, 'releasing')];
		const abandoned = withCopy({ ...asked, hasBeenStored: true }, index, 'abandoned');
		yield [say('its sender is gone, commits'), abandoned];
		return;
	}
	const settled = withCopy(asked, index, 'away');
	if (copy === 'committing late') {
		yield [say('commits late'), settled];
		yield [say('commits late, response lost'), asked];
		return;
	}
	yield [say('commits, 2xx'), { ...settled, isAcknowledged: true }];
	const late = { isAcknowledged: true, copies: withCopy(world, index, 'committing late').copies };
	yield [say('cannot commit, 2xx'), { ...world, ...late }];
	yield [say('commits, response lost, 2xx'), { ...asked, ...late }];
}

/** As the holder does: a claim that was lost is taken again when it is free. */
function* renewals(world: World, index: number, ledger: LedgerModel): Generator<Move> {
	const renewed = called(world, { kind: 'renew', claim: index, leaseMs: LEASE_MS }, ledger);
	if (renewed.answer === true) {
		yield [`copy ${index}: renews`, renewed.asked];
		return;
	}
	const again = called(world, { kind: 'claim', claim: index, leaseMs: LEASE_MS }, ledger);
	yield [`copy ${index}: takes its claim again`, again.asked];
}

function* movesOfAttempt(
	world: World,
	run: number,
	attempt: Attempt,
	ledger: LedgerModel,
): Generator<Move> {
	const say = (what: string) => `run ${run}: ${what}`;
	if (attempt === 'giving back') {
		const step = { kind: 'giveBack', run, retentionMs: Infinity } as const;
		const { asked } = called(world, step, ledger);
		yield [say('gives back, response lost'), asked];
		yield [say('gives back'), withAttempt(asked, run, 'none', GIVEN_UP)];
	}
	if (attempt === 'unsure') yield [say('gives up'), withAttempt(world, run, 'giving back')];
	if (attempt === 'unsure' || (attempt === 'none' && world.isStored)) {
		const { answer, asked } = called(world, { kind: 'begin', run, retentionMs: Infinity }, ledger);
		if (answer === true) {
			yield [say('begins and continues'), withAttempt(asked, run, 'on')];
			yield [say('begins, response lost'), withAttempt(asked, run, 'unsure')];
		} else if (attempt === 'unsure') yield [say('may not begin'), withAttempt(asked, run, 'none')];
		if (attempt === 'none') yield [say('cannot ask'), withAttempt(world, run, 'giving back')];
	}
	const hasProcess = attempt === 'unsure' || attempt === 'giving back';
	if (hasProcess) yield [say('its process dies'), withAttempt(world, run, 'none', DEAD)];
}

function called(world: World, step: Step, ledger: LedgerModel): { answer: Answer; asked: World } {
	const { answer, entry } = ledger(world.entry, step, 0);
	return { answer, asked: { ...world, entry } };
}

function withCopy(world: World, index: number, copy: Copy): World {
	const { entry } = world;
	const copies = world.copies.with(index, copy);
	if (copy !== 'away') return { ...world, copies };
	if (entry?.holder !== index) return { ...world, copies };
	const holder = entry.state === 'pending' ? DEAD : undefined;
	return { ...world, copies, entry: { ...entry, holder } };
}

/** `left` is the holder of the event that the attempt has begun when it ends. */
function withAttempt(world: World, run: number, attempt: Attempt, left = DEAD): World {
	const { entry } = world;
	const isLeft = attempt === 'none' && entry?.state === 'begun' && entry.run === run;
	return {
		...world,
		entry: isLeft ? { ...entry, run: left } : entry,
		attempts: world.attempts.with(run, attempt),
	};
}

function faultOf(world: World, ledger: LedgerModel): string | undefined {
	const { entry, attempts } = world;
	if (attempts.filter((attempt) => attempt === 'on').length > 1) return 'two runs continued';
	if (world.isAcknowledged && !world.hasBeenStored) return 'acknowledged, and never stored';
	if (entry?.state === 'begun' && entry.run === GIVEN_UP) return 'given up, and begun all the same';
	// An event begun in a dead process is a crash of n8n during an execution, which a ledger cannot distinguish from its end.
	if (world.isAcknowledged && entry?.state !== 'begun' && !canStartLater(world, ledger)) {
		return 'acknowledged, and no later copy could start it';
	}
	return undefined;
}

/** Whether a copy that arrives when lease or grace is over is handed over, and its run begins. */
function canStartLater(world: World, ledger: LedgerModel): boolean {
	const nobody = GIVEN_UP - 1;
	const ask = { kind: 'claim', claim: nobody, leaseMs: LEASE_MS } as const;
	const claimed = ledger(later(world.entry), ask, 0);
	if (claimed.answer !== 'claimed') return false;
	return ledger(claimed.entry, { kind: 'begin', run: nobody, retentionMs: 1 }, 0).answer === true;
}

/** Copies and runs have no order. */
function nameOf(world: World): string {
	const { entry, copies, attempts } = world;
	const holder = entry?.state === 'pending' ? entry.holder : undefined;
	const by = entry?.state === 'stored' ? entry.holder : undefined;
	const begun = entry?.state === 'begun' ? entry.run : undefined;
	const numbered = {
		holder: holder === DEAD || by !== undefined,
		run: Number(begun) < 0 ? begun : undefined,
		// Counts on and on, and decides nothing here.
		attempts: 0,
	};
	const parts = [
		JSON.stringify({ ...entry, ...numbered }),
		...copies
			.map(
				(copy, index) =>
					`${copy}${index === holder ? ', holds' : ''}${index === by ? ', stored' : ''}`,
			)
			.sort(),
		...attempts.map((each, index) => (index === begun ? `${each}, has begun` : each)).sort(),
		...[world.isStored, world.hasBeenStored, world.isAcknowledged],
	];
	return parts.join(' ');
}
