/**
 * Counts the deliveries that did not start a workflow, and what polls left out: a record of the ledger for each workflow, with a
 * count for each node, reason and day and the ID of the last delivery. It contains no body and no signature. A delivery costs an
 * increment in memory. The counts are added to the record in the background, at most once per minute, and stay in memory while
 * the ledger is down.
 */
import { randomUUID } from 'node:crypto';
import { changeRecord, recordFormat, type Records } from '../ledger';
import { createLimiter } from '../shared/pace';
import { printable } from '../shared/text';
import { DAY_MS, MINUTE_MS } from '../shared/time';
import { array, number, object, optional, string } from '../vendor/zod';

const WRITE_EVERY_MS = MINUTE_MS;
/** The most counts in memory, for all workflows. Further ones are dropped. */
const MOST_UNWRITTEN = 10_000;
/** The most characters of an ID or a name, which an import or a sender can make as long as it likes. */
const LONGEST = 100;
const LONGEST_CAUSE = 300;

interface Trigger {
	readonly workflowId: string;
	readonly nodeId: string;
	readonly nodeName: string;
}

/** Opens the store of the records. */
type OpenRecords = () => Promise<Records>;

/** The counts of a workflow that have not been written yet. */
interface Unwritten {
	readonly open: OpenRecords;
	readonly counts: Map<string, Rejections>;
}

/** The counter of a process. */
export class RejectionCounter {
	/** By workflow. */
	readonly #unwritten = new Map<string, Unwritten>();
	readonly #writes = new Map<string, Promise<void>>();
	readonly #limiter = createLimiter<OpenRecords>((open, _leftOut, workflowId) => {
		void this.#write(workflowId, open);
	}, WRITE_EVERY_MS);
	#size = 0;

	/** How many counts are in memory. */
	get size(): number {
		return this.#size;
	}

	/** Counts one delivery, or `count` of what a poll left out. Never throws, whatever the state of the ledger. */
	count(
		{ workflowId, nodeId, nodeName }: Trigger,
		reason: string,
		open: OpenRecords,
		{ count = 1, deliveryId, problem, advice }: Example & { readonly count?: number } = {},
	): void {
		const now = Date.now();
		this.#add(workflowId, open, {
			nodeId: printable(nodeId, LONGEST),
			nodeName: printable(nodeName, LONGEST),
			reason,
			count,
			firstAt: now,
			lastAt: now,
			deliveryId: deliveryId && printable(deliveryId, LONGEST),
			problem: problem && printable(problem, LONGEST_CAUSE),
			advice: advice && printable(advice, LONGEST_CAUSE),
		});
		this.#limiter.call(workflowId, open);
	}

	/** One for each node and reason, the latest first, with the counts that this process has not written yet. Rejects like `Records`. */
	async read(records: Records, workflowId: string): Promise<Rejections[]> {
		await this.#writes.get(workflowId);
		const unwritten = this.#unwritten.get(workflowId)?.counts.values() ?? [];
		const kept = talliesIn(await records.readRecord(recordKey(workflowId)));
		return summed([...kept, ...unwritten], ({ nodeId, reason }) => `${reason} ${nodeId}`);
	}

	/** Writes the counts in memory. Never rejects. */
	async flush(): Promise<void> {
		const all = [...this.#unwritten];
		await Promise.all(all.map(([workflowId, { open }]) => this.#write(workflowId, open)));
	}

	#add(workflowId: string, open: OpenRecords, more: Rejections): void {
		const unwritten = this.#unwritten.get(workflowId) ?? {
			open,
			counts: new Map<string, Rejections>(),
		};
		const key = byDay(more);
		const same = unwritten.counts.get(key);
		if (same !== undefined) unwritten.counts.set(key, together(same, more));
		else if (this.#size < MOST_UNWRITTEN) {
			unwritten.counts.set(key, more);
			this.#unwritten.set(workflowId, unwritten);
			this.#size += 1;
		}
	}

	/** Writes of a workflow run one after another. */
	#write(workflowId: string, open: OpenRecords): Promise<void> {
		const before = this.#writes.get(workflowId) ?? Promise.resolve();
		const write = before
			.then(() => this.#writeNow(workflowId, open))
			.finally(() => {
				if (this.#writes.get(workflowId) === write) this.#writes.delete(workflowId);
			});
		this.#writes.set(workflowId, write);
		return write;
	}

	async #writeNow(workflowId: string, open: OpenRecords): Promise<void> {
		const taken = [...(this.#unwritten.get(workflowId)?.counts.values() ?? [])];
		if (taken.length === 0) return;
		this.#unwritten.delete(workflowId);
		this.#size -= taken.length;
		try {
			await changeRecord(await open(), recordKey(workflowId), (text) => {
				const tallies = summed([...talliesIn(text), ...taken], byDay).slice(0, MOST_TALLIES);
				return format.write({ write: randomUUID(), tallies });
			});
		} catch {
			// No delivery depends on it. A write whose response was lost counts twice.
			for (const each of taken) this.#add(workflowId, open, each);
			this.#limiter.call(workflowId, open);
		}
	}
}

/** The last rejected delivery, without any content of its event. */
interface Example {
	readonly deliveryId?: string | undefined;
	/** What was wrong, if the reason does not say it. */
	readonly problem?: string | undefined;
	/** What to do about it, if the reason does not say it. */
	readonly advice?: string | undefined;
}

/** How many deliveries a node rejected for a reason. Times are in Unix milliseconds. */
interface Rejections extends Example {
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
/** `write`: another process that adds the same counts at the same time must not write the same text. */
const recordShape = object({ write: string(), tallies: array(tally) });
const format = recordFormat({ what: 'the counts of rejections', number: 1 }, recordShape);

const recordKey = (workflowId: string) => `rejections:${workflowId}`;
const dayOf = (time: number) => Math.floor(time / DAY_MS);

/** The key of a count in the record. */
function byDay({ nodeId, reason, lastAt }: Omit<Rejections, 'nodeName'>): string {
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
function together(one: Rejections, other: Rejections): Rejections {
	return {
		...(one.lastAt > other.lastAt ? one : other),
		count: one.count + other.count,
		firstAt: Math.min(one.firstAt, other.firstAt),
	};
}

/** None if the record cannot be read. */
function talliesIn(text: string | undefined): readonly Rejections[] {
	return format.read(text)?.tallies ?? [];
}
