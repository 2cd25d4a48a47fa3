/**
 * One poll of the station trigger, step by step: read the list, fold what it says into the state of the stations, decide
 * at the watermark, start the workflow for what is decided.
 *
 *     unpublished ──publication──▶ reading back ──the whole range is read──▶ watching ◀── poll ──┐
 *                                                                                │               │
 *                                                                                └───────────────┘
 *
 * - publication: fixes the time from which incidents are reported, and reads back for the state before it. Other settings
 *   are a new publication: what is open resolves.
 * - watching: a poll (1) reads from the newest event back to the frontier minus an overlap, (2) changes each shard by a
 *   swap: folds, decides, and adds what is to be reported, (3) writes the head with the new watermark, (4) claims what is to
 *   be reported and hands it over. The next poll drops what has begun, and hands over what n8n could not store or has lost.
 * - Every step can be repeated: facts are sets, incidents are kept in the shards, and each item passes through the
 *   ledger by its ID. Killed after (2) or (3), the next poll continues; of several processes, the loser of a swap folds
 *   into the winner's text.
 * - A list that cannot be read leaves the watermark: nothing opens or resolves, and the next whole reading decides.
 */
import { ledgerKey } from '../ledger';
import { counted } from '../shared/counted';
import { messageOf } from '../shared/thrown';
import { RETENTION_MS, start } from '../start';
import { type Directory, directoryFor } from './directory';
import { readHead } from './head';
import type { StationPollOptions } from './options';
import { headOf, published } from './publication';
import { readList, Readings } from './reading';
import { type Changed, changeShards } from './round';
import { dueEntries, itemsOf, SHARED_ATTEMPTS } from './toTell';

interface Polled {
	/** Why the list could not be read further. */
	readonly failure?: Error | undefined;
	/** Resolves when what is decided has been handed over. */
	readonly started?: Promise<void>;
}

/** The share of n8n's time budget that reading may take: the rest is for the ledger. */
const READING_SHARE = 0.5;

/** Nodes whose items are being handed over: their next poll hands over nothing. */
const starting = new Set<string>();

/** Throws `LedgerUnavailableError`, and the client's error at publication. Handing over continues after the call returns. */
export async function pollStations(options: StationPollOptions): Promise<Polled> {
	const { ledger, workflowId, nodeId, settings, memory, client, warn } = options;
	const { now = Date.now, budgetMs = Infinity } = options;
	const polledAt = now();
	const node = JSON.stringify([workflowId, nodeId]);
	const key = `station:${workflowId}:${nodeId}`;
	const deadline = performance.now() + budgetMs * READING_SHARE;
	const mayRequest = () => performance.now() < deadline;

	const remembered = await readHead(ledger, `${key}:head`);
	const begun = headOf(options, remembered.head, polledAt);
	const source = { client, mayRequest, now: polledAt };
	const readings = new Readings(source, settings);
	const read = await readList(source, readings, begun.head);
	const isRead = read.isWhole || readings.newestAt !== undefined;
	if (begun.isPublication && read.failure !== undefined && !isRead) throw read.failure;
	const head = begun.isPublication ? published(read.head, read.isWhole, readings) : read.head;
	// Before the shards: what they report depends on it.
	let text = remembered.text;
	if (begun.isPublication) {
		const first = JSON.stringify({ ...begun.head, publishedAt: head.publishedAt });
		if (!(await ledger.swapRecord(`${key}:head`, text, first, RETENTION_MS))) return {};
		text = first;
	}
	warnOfReadings(readings, warn);

	const { events, serviceNow } = readings;
	const assetIds = new Set(events.map(({ assetId }) => assetId));
	const directory = await directoryFor({
		...{ node, client, mayRequest, now: polledAt, serviceNow, assetIds },
	});
	if (directory.failure !== undefined) {
		warn('assets', `stations are named by their IDs: ${messageOf(directory.failure)}`);
	}

	const changed = await changeShards(options, {
		key,
		events,
		head,
		directory,
		isWhole: read.isWhole,
	});
	const next = JSON.stringify({ ...head, unlisted: changed.unlisted });
	// Another process that wrote in between has read as far.
	if (await ledger.swapRecord(`${key}:head`, text, next, RETENTION_MS)) {
		const { digest, publishedAt, watermark } = head;
		memory.write({ digest, publishedAt, watermark });
	}

	const started = handOver(options, node, changed, directory);
	return { failure: read.failure, started };
}

async function handOver(
	options: StationPollOptions,
	node: string,
	{ toTell, accounts }: Changed,
	{ fieldsOf }: Directory,
): Promise<void> {
	const { ledger, workflowId, batchSize, warn } = options;
	const due = dueEntries(toTell, accounts, batchSize);
	if (due.length === 0 || starting.has(node)) return;
	starting.add(node);
	try {
		const items = itemsOf(due, fieldsOf);
		const pairs = items.map((item) => ({
			key: ledgerKey(workflowId, String(item.record['id'])),
			item,
		}));
		await start(
			{ ledger, batchSize, handOver: options.handOver, sharedAttempts: SHARED_ATTEMPTS },
			pairs,
		);
	} catch (error) {
		warn('start', `the next poll continues with the rest: ${messageOf(error)}`);
	} finally {
		starting.delete(node);
	}
}

type Warn = StationPollOptions['warn'];

function warnOfReadings({ unreadable, undated, unknownWords }: Readings, warn: Warn): void {
	if (unknownWords.size > 0) {
		const words = [...unknownWords].map((word) => `'${word}'`).join(', ');
		warn(
			'words',
			`asset.connectivity events with ${words} change nothing: add the words to 'Connected Words' or 'Disconnected Words' in the credential`,
		);
	}
	if (unreadable > 0) {
		warn('unreadable', `${counted(unreadable, 'message')} left out that cannot be read`);
	}
	if (undated > 0) {
		warn(
			'undated',
			`${counted(undated, 'event')} left out without a time, or with one of the future`,
		);
	}
}
