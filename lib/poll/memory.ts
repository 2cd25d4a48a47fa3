/** The time up to which a node has polled, stored where it survives the loss of the ledger. */
import type { StartFrom } from './state';

export interface PolledUntil {
	readonly startFrom: StartFrom;
	/** All events created up to this time have been handed over. Unix milliseconds. */
	readonly at: number;
	/** `PollState.polls` by then. */
	readonly polls: number;
}

/** A store that survives the process, such as n8n's own database. */
export interface Memory {
	read(): PolledUntil | undefined;
	write(until: PolledUntil): void;
}

/** By node. Always up to date, whereas n8n decides when it writes the surviving store. */
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

	/** The latest; undefined if the node was never published with this choice of `startFrom`. */
	get until(): PolledUntil | undefined {
		return [kept.get(this.#node), this.#survives.read()]
			.flatMap((until) => (until?.startFrom === this.#startFrom ? [until] : []))
			.sort((a, b) => b.at - a.at)[0];
	}

	write(at: number, polls: number): void {
		const until = { startFrom: this.#startFrom, at, polls };
		kept.set(this.#node, until);
		this.#survives.write(until);
	}

	advance(at: number, polls: number): void {
		const before = kept.get(this.#node);
		if (before === undefined || at > before.at || polls > before.polls) {
			this.write(Math.max(at, before?.at ?? at), polls);
		}
	}
}
