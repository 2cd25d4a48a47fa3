/** What is decided and starts the workflow: which items are due now, what they look like, and their start. */
import { readPublication, type Requested, serveWaiting } from '../accounts';
import type { Item } from '../event';
import type { Polling } from '../follow';
import { type Account, ledgerKey } from '../ledger';
import { isDue, start } from '../start';
import type { Directory } from './common/directory';
import type { ReportEntry } from './common/state';

/** A batch that failed is started again as it was once, then its items one by one. */
const SHARED_ATTEMPTS = 2;

/**
 * The entries that are due, oldest first. What says that an incident is resolved never overtakes what says that it
 * opened: it waits until that has begun, or shares its execution.
 */
export function dueEntries(
	entries: readonly ReportEntry[],
	accounts: ReadonlyMap<string, Account>,
	batchSize: number,
): ReportEntry[] {
	const isDueNow = ({ id }: ReportEntry) => {
		const account = accounts.get(id);
		return account === undefined || isDue(account);
	};
	const attempts = (id: string) => accounts.get(id)?.attempts ?? 0;
	const waiting = new Map(entries.map((entry) => [entry.id, entry]));
	const due = entries.filter(isDueNow).sort(oldestFirst);
	const isOneBatch = due.length <= batchSize;
	return due.filter(({ id, item }) => {
		if (item['state'] !== 'resolved') return true;
		const opened = waiting.get(`${String(item['incident'])}.opened`);
		if (opened === undefined) return true;
		const isTogether = attempts(id) === attempts(opened.id) && attempts(id) < SHARED_ATTEMPTS;
		return isOneBatch && isDueNow(opened) && isTogether;
	});
}

const rank = ({ item }: ReportEntry) => (item['state'] === 'resolved' ? 1 : 0);

/** Of the same time, what opened comes first. */
const oldestFirst = (a: ReportEntry, b: ReportEntry) =>
	a.t - b.t || rank(a) - rank(b) || (a.id < b.id ? -1 : 1);

/** Starts the workflow for the entries. Returns what the ledger knows of each by then. Throws `LedgerUnavailableError`. */
export async function report(
	{ ledger, workflowId, batchSize, handOver }: Polling,
	entries: readonly ReportEntry[],
	{ fieldsOf }: Directory,
	sharedAttempts = SHARED_ATTEMPTS,
): Promise<ReadonlyMap<string, Account>> {
	const pairs = itemsOf(entries, fieldsOf).map((item) => ({
		key: ledgerKey(workflowId, String(item.record['id'])),
		item,
	}));
	if (pairs.length === 0) return new Map();
	return await start({ ledger, batchSize, handOver, sharedAttempts }, pairs);
}

/** Reports again what a user replayed. Throws `LedgerUnavailableError`. */
export async function reportReplayed(options: Polling, directory: Directory): Promise<void> {
	const isOwn = ({ incident }: Requested) => incident !== undefined;
	const publication = await readPublication(options.ledger, options.workflowId);
	await serveWaiting(options, publication, isOwn, async (due) => {
		const entries = due.flatMap(({ id, incident }) => (incident ? [{ id, ...incident }] : []));
		return { after: await report(options, entries, directory, 1) };
	});
}

/** The items with their stations; `together` is how many items of the same state there are. */
function itemsOf(entries: readonly ReportEntry[], fieldsOf: Directory['fieldsOf']): Item[] {
	const counts = new Map<unknown, number>();
	for (const { item } of entries) {
		counts.set(item['state'], (counts.get(item['state']) ?? 0) + 1);
	}
	return entries.map(({ item, assetId }) => {
		const together = 'incident' in item && { together: counts.get(item['state']) };
		return { record: { station: fieldsOf(assetId), ...item, ...together } };
	});
}
