/**
 * What both polling triggers poll with, and what they save between polls: a record of the ledger, and a memory that a lost
 * ledger does not take along. Times are in Unix milliseconds.
 */
import type { Item } from '../event';
import type { Ledger, RecordFormat, Records } from '../ledger';
import { number, string } from '../vendor/zod';
import type { Source } from './follow';
import { positionShape } from './position';

export interface Polling {
	readonly ledger: Ledger;
	readonly workflowId: string;
	readonly nodeId: string;
	readonly client: Source['client'];
	/** Survives the loss of the ledger. */
	readonly memory: Memory;
	/**
	 * Called with messages for operators. Their kind limits how often similar ones are logged; one without a kind always is.
	 * `count`: how much was left out, 1 by default.
	 */
	readonly warn: (message: string, kind?: string, count?: number, advice?: string) => void;
	/** The most items per execution. */
	readonly batchSize: number;
	/** Starts an execution. Resolves to false if n8n could not store it, and to true when n8n reports anything else, if ever. */
	readonly handOver: (items: readonly Item[]) => Promise<boolean>;
	/** How long the poll may read the list, in milliseconds. */
	readonly budgetMs: number;
	/** By n8n's clock, in Unix milliseconds. */
	readonly now: () => number;
	/** Milliseconds of a clock that nobody sets. */
	readonly clock: () => number;
}

export interface PollOutcome {
	/** Why the list could not be read further. */
	readonly failure?: Error | undefined;
	/** Resolves when everything has been handed over, and the progress is saved. */
	readonly started?: Promise<void>;
	/** Everything created up to then has been read. Absent if this poll did not read. */
	readonly readUpTo?: number | undefined;
	/** How many stations the asset list has, for a trigger that reads it. */
	readonly stations?: number | undefined;
}

/** Fields of the record of each trigger. */
export const savedFields = {
	/** What the node was published with: another choice is another publication. */
	as: string(),
	/** What happened before does not start the workflow. */
	publishedAt: number(),
	/** How many polls have started something: a ledger that knows of fewer than the memory is an old copy, or has lost its data. */
	polls: number(),
	/** How far the list was read. */
	position: positionShape,
};

/** The record as stored; no text for none, and no state for one that cannot be read or is not this process's. */
export interface Saved<T> {
	readonly format: RecordFormat<T>;
	readonly text: string | undefined;
	readonly state: T | undefined;
}

export async function readSaved<T>(
	records: Records,
	key: string,
	format: RecordFormat<T>,
): Promise<Saved<T>> {
	const text = await records.readRecord(key);
	return { format, text, state: format.read(text) };
}

/** Returns what is saved from then on; no state if another process wrote in between, which wins: it polled as well. */
export async function writeSaved<T>(
	records: Records,
	key: string,
	{ format, text }: Saved<T>,
	state: T,
	keepMs?: number,
): Promise<Saved<T>> {
	const next = format.write(state);
	const isWritten = next === text || (await records.swapRecord(key, text, next, keepMs));
	return { format, text: next, state: isWritten ? state : undefined };
}

/** What the memory has of a record. */
export interface Polled {
	readonly as: string;
	readonly publishedAt: number;
	/** Everything created up to then has been handed over. */
	readonly at: number;
	readonly polls: number;
}

/** A store of what a node was last, such as n8n's own database. */
export interface Memory {
	/** Undefined if the node was never published like this. */
	read(as: string): Polled | undefined;
	write(polled: Polled): void;
}

/** What a lost ledger, or an old copy of it, has forgotten; undefined if it knows of as many polls. */
export function forgottenBy(
	memory: Memory,
	as: string,
	polls: number | undefined,
): Polled | undefined {
	const known = memory.read(as);
	return known !== undefined && known.polls > (polls ?? -1) ? known : undefined;
}

/** Writes it unless a later one is kept. */
export function advance(memory: Memory, { at, ...polled }: Polled): void {
	const before = memory.read(polled.as);
	if (before === undefined || at > before.at || polled.polls > before.polls) {
		memory.write({ ...polled, at: Math.max(at, before?.at ?? at) });
	}
}
