/**
 * The whole protocol for one event, every step of which may fail: copies that are handed over, n8n that stores rows and
 * runs or loses them, and the ledger, whose answers are those of the model that the stores are compared with.
 */
import type { after, Answer, Entry, Step } from '../contract/model';

export type LedgerModel = typeof after;

/** What a process does with a copy of the event; `away` when it has none, or has died. */
type Copy =
	| 'away'
	/** Has claimed the event, and n8n has not answered yet. */
	| 'handing over'
	/** n8n has stored the run and answers 2xx; the sender waits for the commit. */
	| 'stored'
	/** The sender has its 2xx, the commit is being tried again. */
	| 'committing late'
	/** n8n could not store a run, or the claim's answer was lost: the claim is to be released. */
	| 'giving back';

/** A run that n8n has stored: it may run it at any time, lose it, or run it again; `on` when it went past begin. */
type Row = 'none' | 'waiting' | 'on';

export interface World {
	/** Its moments are told from now on, so that two worlds that differ in the time of day alone are one. */
	readonly entry: Entry;
	readonly copies: readonly Copy[];
	/** The index is n8n's id of the run; that of a run that is over may be used again. */
	readonly rows: readonly Row[];
	/** Whether n8n has ever stored a run for the event. */
	readonly hasBeenStored: boolean;
	/** Whether the sender has got a 2xx. */
	readonly isAcknowledged: boolean;
}

export type Move = readonly [what: string, world: World];

/** A claim or run that nobody has any more. */
export const NOBODY = -1;
export const LEASE_MS = 60_000;

export function firstWorld(copies: number, rows: number): World {
	return {
		entry: undefined,
		copies: Array.from({ length: copies }, () => 'away'),
		rows: Array.from({ length: rows }, () => 'none'),
		hasBeenStored: false,
		isAcknowledged: false,
	};
}

/** Every world that one step can lead to. */
export function* moves(world: World, ledger: LedgerModel): Generator<Move> {
	for (const [index, copy] of world.copies.entries()) {
		yield* movesOfCopy(world, index, copy, ledger);
		if (copy !== 'away') yield [`copy ${index}: its process dies`, withCopy(world, index, 'away')];
	}
	for (const [index, row] of world.rows.entries()) {
		if (row !== 'none') yield* movesOfRow(world, index, row, ledger);
	}
	if (world.entry && world.entry.state !== 'begun' && world.entry.due > 0) {
		yield [`the ${world.entry.state} entry lapses`, { ...world, entry: later(world.entry) }];
	}
}

/** The entry when its lease or grace has just ended. */
export function later(entry: Entry): Entry {
	if (!entry || entry.state === 'begun') return entry;
	const expires = entry.expires - entry.due;
	return expires > 0 ? { ...entry, due: 0, expires } : undefined;
}

function* movesOfCopy(world: World, index: number, copy: Copy, ledger: LedgerModel) {
	const say = (what: string) => `copy ${index}: ${what}`;
	const ask = (step: Step) => called(world, step, ledger);
	const claim = { kind: 'claim', claim: index, leaseMs: LEASE_MS } as const;
	if (copy === 'away') {
		const { answer, asked } = ask(claim);
		if (answer === 'claimed') {
			yield [say('claims'), withCopy(asked, index, 'handing over')] as const;
			yield [say('claims, answer lost'), withCopy(asked, index, 'giving back')] as const;
		}
		if (answer === 'committed') {
			yield [say('is a duplicate, 2xx'), { ...asked, isAcknowledged: true }] as const;
		}
		return;
	}
	if (copy === 'giving back') {
		const { asked } = ask({ kind: 'release', claim: index });
		yield [say('releases'), withCopy(asked, index, 'away')] as const;
		return;
	}
	yield* renewals(world, index, ledger);
	if (copy === 'handing over') {
		yield [say('n8n refuses'), withCopy(world, index, 'giving back')] as const;
		for (const rows of [1, 2]) {
			const stored = withRows(world, rows);
			if (!stored) continue;
			yield [say(`n8n stores ${rows}`), withCopy(stored, index, 'stored')] as const;
			yield [say(`n8n stores ${rows}, and fails`), withCopy(stored, index, 'giving back')] as const;
		}
		return;
	}
	const { asked } = ask({ kind: 'commit', claim: index, retentionMs: Infinity });
	const settled = withCopy(asked, index, 'away');
	if (copy === 'committing late') yield [say('commits late'), settled] as const;
	if (copy === 'committing late') yield [say('commits late, answer lost'), asked] as const;
	if (copy !== 'stored') return;
	yield [say('commits, 2xx'), { ...settled, isAcknowledged: true }] as const;
	const late = { isAcknowledged: true, copies: withCopy(world, index, 'committing late').copies };
	yield [say('cannot commit, 2xx'), { ...world, ...late }] as const;
	yield [say('commits, answer lost, 2xx'), { ...asked, ...late }] as const;
}

/** As the holder does: a claim that was lost is taken again when it is free. */
function* renewals(world: World, index: number, ledger: LedgerModel) {
	const renewed = called(world, { kind: 'renew', claim: index, leaseMs: LEASE_MS }, ledger);
	if (renewed.answer === true) yield [`copy ${index}: renews`, renewed.asked] as const;
	if (renewed.answer === true) return;
	const again = called(world, { kind: 'claim', claim: index, leaseMs: LEASE_MS }, ledger);
	yield [`copy ${index}: takes its claim again`, again.asked] as const;
}

function* movesOfRow(world: World, run: number, row: Row, ledger: LedgerModel) {
	const { answer, asked } = called(world, { kind: 'begin', run, retentionMs: Infinity }, ledger);
	if (row === 'on') {
		yield [`run ${run}: n8n runs it again`, answer === true ? asked : world] as const;
		return;
	}
	yield [`run ${run}: n8n loses it`, withRow(world, run, 'none')] as const;
	if (answer === true) {
		yield [`run ${run}: begins and goes on`, withRow(asked, run, 'on')] as const;
		yield [`run ${run}: begins, answer lost`, asked] as const;
	} else yield [`run ${run}: may not begin`, withRow(asked, run, 'none')] as const;
}

function called(world: World, step: Step, ledger: LedgerModel): { answer: Answer; asked: World } {
	const { answer, entry } = ledger(world.entry, step, 0);
	return { answer, asked: { ...world, entry } };
}

function withCopy(world: World, index: number, copy: Copy): World {
	const { entry } = world;
	const isLeft = copy === 'away' && entry?.state === 'pending' && entry.holder === index;
	return {
		...world,
		entry: isLeft ? { ...entry, holder: NOBODY } : entry,
		copies: world.copies.with(index, copy),
	};
}

function withRow(world: World, run: number, row: Row): World {
	const { entry } = world;
	const isLeft = row === 'none' && entry?.state === 'begun' && entry.run === run;
	return {
		...world,
		entry: isLeft ? { ...entry, run: NOBODY } : entry,
		rows: world.rows.with(run, row),
	};
}

/** So many rows more; undefined when there is no room for them. */
function withRows(world: World, rows: number): World | undefined {
	const free = [...world.rows.keys()].filter((run) => world.rows[run] === 'none').slice(0, rows);
	if (free.length < rows) return undefined;
	const stored = free.reduce((before, run) => withRow(before, run, 'waiting'), world);
	return { ...stored, hasBeenStored: true };
}
