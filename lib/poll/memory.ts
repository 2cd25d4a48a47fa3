/** Up to when a node has polled, where a lost ledger does not take it along. */
import type { StartFrom } from './state';

export interface PolledUntil {
	readonly startFrom: StartFrom;
	/** Everything created up to then has been handed over, in unix milliseconds. */
	readonly at: number;
}

/** A place that survives the process, such as n8n's own database. */
export interface Memory {
	read(): PolledUntil | undefined;
	write(until: PolledUntil): void;
}

/** By node: up to date at any time, whereas the place that survives is written when n8n sees fit. */
const kept = new Map<string, PolledUntil>();

export class ProcessMemory {
	readonly #node: string;
	readonly #startFrom: StartFrom;
	readonly #survives: Memory;

	constructor(node: string, startFrom: StartFrom, survives: Memory) {
		this.#node = node;
		this.#startFrom = startFrom;
		this.#survives = survives;
	}

	/** Undefined when the node was never published with this choice. */
	get at(): number | undefined {
		const times = [kept.get(this.#node), this.#survives.read()].flatMap((until) =>
			until?.startFrom === this.#startFrom ? [until.at] : [],
		);
		return times.length === 0 ? undefined : Math.max(...times);
	}

	write(at: number): void {
		const until = { startFrom: this.#startFrom, at };
		kept.set(this.#node, until);
		this.#survives.write(until);
	}

	advance(at: number): void {
		if (at > (kept.get(this.#node)?.at ?? -Infinity)) this.write(at);
	}
}
