/** Checks whether Redis may evict entries to free memory, which would let their events run twice. */
import { printable } from '../../shared/printable';
import type { RedisClient } from './client';

const EVERY_MS = 24 * 60 * 60_000;

/** Checks it at the first call, and once a day with a call. */
export class EvictionCheck {
	readonly #warn: (message: string) => void;
	#nextAt = 0;

	constructor(warn: (message: string) => void) {
		this.#warn = warn;
	}

	async check(client: RedisClient): Promise<void> {
		if (performance.now() < this.#nextAt) return;
		this.#nextAt = performance.now() + EVERY_MS;
		const warning = await evictionWarning(client);
		if (warning !== undefined) this.#warn(warning);
	}
}

/** The warning for the operator; undefined if nothing is evicted or Redis does not say. */
export async function evictionWarning(client: RedisClient): Promise<string | undefined> {
	let memory: string;
	try {
		memory = await client.info('memory');
	} catch {
		// A user without permission for INFO can still use the ledger.
		return undefined;
	}
	const limit = Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0);
	const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
	if (limit === 0 || policy === 'noeviction') return undefined;
	return `Redis may evict ledger entries when its memory is full (maxmemory-policy ${printable(policy, 40)}), so their events may start again. Set maxmemory-policy to noeviction, which n8n's queue needs, too.`;
}
