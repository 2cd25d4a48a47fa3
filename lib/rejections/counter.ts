/**
 * Counts the deliveries that did not start a workflow, and what polls left out. A delivery costs an increment in memory. The counts of a workflow are
 * added to its record in the background, at most once per minute, and stay in memory while the ledger is down.
 */
import type { Records } from '../ledger';
import { createLimiter } from '../shared/pace';
import { printable } from '../shared/text';
import { MINUTE_MS } from '../shared/time';
import {
	addRejections,
	byDay,
	type Example,
	readRejections,
	type Rejections,
	together,
} from './record';

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

	/** Like `readRejections`, plus the counts that this process has not written yet. */
	async read(records: Records, workflowId: string): Promise<Rejections[]> {
		await this.#writes.get(workflowId);
		const { counts } = this.#unwritten.get(workflowId) ?? {};
		return await readRejections(records, workflowId, [...(counts?.values() ?? [])]);
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
			await addRejections(await open(), workflowId, taken);
		} catch {
			// No delivery depends on it. A write whose response was lost counts twice.
			for (const each of taken) this.#add(workflowId, open, each);
			this.#limiter.call(workflowId, open);
		}
	}
}
