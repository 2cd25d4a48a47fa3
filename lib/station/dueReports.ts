/** Which of the decided items start the workflow now, and what they look like. */
import type { Item } from '../event';
import type { Account } from '../ledger';
import { dueIn } from '../start';
import type { ReportEntry } from './common/state';

/** A batch that failed is started again as it was once, then its items one by one. */
export const SHARED_ATTEMPTS = 2;

/**
 * The entries that are due, oldest first. What says that an incident is resolved never overtakes what says that it
 * opened: it waits until that has begun, or shares its execution.
 */
export function dueEntries(
	entries: readonly ReportEntry[],
	accounts: ReadonlyMap<string, Account>,
	batchSize: number,
): ReportEntry[] {
	const isDue = ({ id }: ReportEntry) => {
		const account = accounts.get(id);
		return account === undefined || dueIn(account) === 0;
	};
	const attempts = (id: string) => accounts.get(id)?.attempts ?? 0;
	const waiting = new Map(entries.map((entry) => [entry.id, entry]));
	const due = entries.filter(isDue).sort(oldestFirst);
	const isOneBatch = due.length <= batchSize;
	return due.filter(({ id, item }) => {
		if (item['state'] !== 'resolved') return true;
		const opened = waiting.get(`${String(item['incident'])}.opened`);
		if (opened === undefined) return true;
		const isTogether = attempts(id) === attempts(opened.id) && attempts(id) < SHARED_ATTEMPTS;
		return isOneBatch && isDue(opened) && isTogether;
	});
}

const rank = ({ item }: ReportEntry) => (item['state'] === 'resolved' ? 1 : 0);

/** Of the same time, what opened comes first. */
const oldestFirst = (a: ReportEntry, b: ReportEntry) =>
	a.t - b.t || rank(a) - rank(b) || (a.id < b.id ? -1 : 1);

/** The items with their stations; `together` is how many items of the same state there are. */
export function itemsOf(
	entries: readonly ReportEntry[],
	fieldsOf: (assetId: string) => Readonly<Record<string, unknown>>,
): Item[] {
	const counts = new Map<unknown, number>();
	for (const { item } of entries) {
		counts.set(item['state'], (counts.get(item['state']) ?? 0) + 1);
	}
	return entries.map(({ item, assetId }) => {
		const together = 'incident' in item && { together: counts.get(item['state']) };
		return { record: { station: fieldsOf(assetId), ...item, ...together } };
	});
}
