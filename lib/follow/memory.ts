/** That a node was published, and up to when it has polled: kept where a lost ledger does not take it along. */

export interface Polled {
	/** What the node was published with: another choice is another publication. */
	readonly as: string;
	/** In Unix milliseconds. */
	readonly publishedAt: number;
	/** Everything created up to then has been handed over. In Unix milliseconds. */
	readonly at: number;
	/** How many polls have started something by then: a ledger that knows of fewer is an old copy, or has lost its data. */
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
