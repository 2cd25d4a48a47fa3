/** Marks what is listed at the first publication as known, where the poll trigger starts from now. */
import { ledgerKey, type Ledger } from '../../lib/ledger';
import { createdAt, eventFromList } from '../../lib/receiver/event';
import type { ApiClient } from '../../lib/service';
import { RETENTION_MS, type PollSettings } from './settings';

/** How many of the newest events the baseline holds; behind a whole page of them a poll reads no further. */
const BASELINE_EVENTS = 1000;
/** How many are written in one step of the ledger, so that no step takes long. */
const WRITTEN_AT_ONCE = 100;

/**
 * Writes into the ledger what is listed now, which this node is not to start; a webhook may still deliver it.
 * Answers the time of the newest event in unix milliseconds, 0 when none tells one.
 */
export async function writeBaseline(
	client: ApiClient,
	ledger: Ledger,
	scope: string,
	{ pageSize }: PollSettings,
): Promise<number> {
	const keys: string[] = [];
	let newestAt = 0;
	let firstAt: number | undefined;
	for await (const record of client.list('event', { pageSize })) {
		const parsed = eventFromList(record);
		if (!parsed.ok) continue;
		const at = createdAt(parsed.event) ?? 0;
		firstAt ??= at;
		newestAt = Math.max(newestAt, at);
		keys.push(ledgerKey(scope, parsed.event.id));
		if (keys.length >= BASELINE_EVENTS && newestAt === firstAt) break;
	}
	for (let from = 0; from < keys.length; from += WRITTEN_AT_ONCE) {
		// Begun is final, which is what a baseline needs; no run has this name.
		await ledger.begin(keys.slice(from, from + WRITTEN_AT_ONCE), 'baseline', RETENTION_MS);
	}
	return newestAt;
}
