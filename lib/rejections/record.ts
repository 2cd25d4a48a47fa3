/**
 * The stored rejections of a workflow: a record of the ledger with a count for each node, reason and day, with
 * the ID of the last delivery. It contains no body and no signature.
 */
import { randomUUID } from 'node:crypto';
import { changeRecord, type Records } from '../ledger';
import { DAY_MS } from '../shared/time';
import { jsonIn } from '../shared/values';
import { array, literal, number, object, optional, safeParse, string } from '../vendor/zod';

/** The last rejected delivery, without any content of its event. */
export interface Example {
	readonly deliveryId?: string | undefined;
	/** What was wrong, if the reason does not say it. */
	readonly problem?: string | undefined;
	/** What to do about it, if the reason does not say it. */
	readonly advice?: string | undefined;
}

/** How many deliveries a node rejected for a reason. Times are in Unix milliseconds. */
export interface Rejections extends Example {
	readonly nodeId: string;
	readonly nodeName: string;
	readonly reason: string;
	readonly count: number;
	readonly firstAt: number;
	readonly lastAt: number;
}

/** Including today; days are in UTC. */
export const DAYS_KEPT = 7;
/** Enough for a few nodes with all reasons on all days, or many nodes with a few. */
const MOST_TALLIES = 300;

const tally = object({
	nodeId: string(),
	nodeName: string(),
	reason: string(),
	count: number(),
	firstAt: number(),
	lastAt: number(),
	deliveryId: optional(string()),
	problem: optional(string()),
	advice: optional(string()),
});
const recordShape = object({ version: literal(1), tallies: array(tally) });

const keyOf = (workflowId: string) => `rejections:${workflowId}`;
const dayOf = (time: number) => Math.floor(time / DAY_MS);

/** Adds the counts of a process to the record, to which other processes add theirs. Rejects like `Records`. */
export async function addRejections(
	records: Records,
	workflowId: string,
	more: readonly Rejections[],
): Promise<void> {
	await changeRecord(records, keyOf(workflowId), (text) => {
		const tallies = summed([...talliesIn(text), ...more], byDay).slice(0, MOST_TALLIES);
		// Another process that adds the same counts at the same time must not write the same text.
		return JSON.stringify({ version: 1, write: randomUUID(), tallies });
	});
}

/** One for each node and reason, the latest first, including the `unwritten` counts of this process. Rejects like `Records`. */
export async function readRejections(
	records: Records,
	workflowId: string,
	unwritten: readonly Rejections[] = [],
): Promise<Rejections[]> {
	const kept = talliesIn(await records.readRecord(keyOf(workflowId)));
	return summed([...kept, ...unwritten], ({ nodeId, reason }) => `${reason} ${nodeId}`);
}

/** The key of a count in the record. */
export function byDay({ nodeId, reason, lastAt }: Omit<Rejections, 'nodeName'>): string {
	return `${reason} ${dayOf(lastAt)} ${nodeId}`;
}

/** The counts of the last days, summed by key, the latest first. */
function summed(
	tallies: readonly Rejections[],
	keyOf: (tally: Rejections) => string,
): Rejections[] {
	const oldest = dayOf(Date.now()) - DAYS_KEPT;
	const sums = new Map<string, Rejections>();
	for (const one of tallies) {
		if (dayOf(one.lastAt) <= oldest) continue;
		const key = keyOf(one);
		const sum = sums.get(key);
		sums.set(key, sum === undefined ? one : together(sum, one));
	}
	return [...sums.values()].sort((a, b) => b.lastAt - a.lastAt);
}

/** Adds two counts of the same kind. */
export function together(one: Rejections, other: Rejections): Rejections {
	return {
		...(one.lastAt > other.lastAt ? one : other),
		count: one.count + other.count,
		firstAt: Math.min(one.firstAt, other.firstAt),
	};
}

/** None if the record cannot be read. */
function talliesIn(text: string | undefined): readonly Rejections[] {
	return safeParse(recordShape, jsonIn(text ?? '')).data?.tallies ?? [];
}
