/**
 * One poll of the station trigger, step by step: read the list, fold what it says into the state of the stations, decide
 * at the watermark, start the workflow for what is decided. How the list is followed is in `lib/follow`.
 *
 * - publication: fixes the time from which incidents are reported, and has the past read for the state before it, which
 *   holds up nothing that is new. Other settings are a new publication: what is open resolves.
 * - a poll (1) follows the list, (2) changes each shard by a swap: folds, decides, and adds what is to be reported, (3)
 *   writes the head with the new position, (4) claims what is to be reported and hands it over. The next poll drops what has
 *   begun, and hands over what n8n could not store or has lost.
 * - the *watermark* is a minute behind `knownUpTo` of the position: what lasts until then has lasted, and what is over by then
 *   has ended. A list that cannot be read leaves it: nothing opens or resolves.
 * - Every step can be repeated: facts are sets, incidents are kept in the shards, and each item passes through the
 *   ledger by its ID. Killed after (2) or (3), the next poll continues; of several processes, the loser of a swap folds
 *   into the winner's text. A poll of an earlier publication changes nothing of a later one.
 */
import { readPublication, type Requested, serveWaiting } from '../accounts';
import { begin, follow, forgottenBy, type Polled, skippedTo, type Source } from '../follow';
import { ledgerKey } from '../ledger';
import { messageOf } from '../shared/errors';
import { RETENTION_MS, start, type Startable } from '../start';
import { digestOf, GRACE_MS, LATEST_MS } from './common/settings';
import type { ReportEntry } from './common/state';
import { type Directory, directoryFor } from './directory';
import { dueEntries, itemsOf, SHARED_ATTEMPTS } from './dueReports';
import { KnownIds } from './facts';
import { type Head, readHead } from './head';
import type { StationPollOptions } from './options';
import { Readings } from './reading';
import { changeShards } from './round';

interface StationPolled {
	/** Why the list could not be read further. */
	readonly failure?: Error | undefined;
	/** Resolves when what is decided has been handed over. */
	readonly started?: Promise<void>;
	/** Everything created up to then has been read, in Unix milliseconds. Absent if this poll did not read. */
	readonly readUpTo?: number;
	/** How many stations the asset list has; absent if it was not read. */
	readonly stations?: number | undefined;
}

/** As many as the service allows. */
const PAGE_SIZE = 100;

/** Publications that are being polled for. The next poll of such a one does nothing. */
const polling = new Set<string>();
/** Nodes whose items are being handed over: their next poll hands over nothing. */
const starting = new Set<string>();
/** The events that the polls of a node have left out. */
const leftOut = new Map<string, KnownIds>();

/** Throws `LedgerUnavailableError`, and the client's error at publication. Handing over continues after the call returns. */
export async function pollStations(options: StationPollOptions): Promise<StationPolled> {
	const { workflowId, nodeId, settings } = options;
	const publication = JSON.stringify([workflowId, nodeId, digestOf(settings)]);
	if (polling.has(publication)) return {};
	polling.add(publication);
	try {
		return await pollOnce(options);
	} finally {
		polling.delete(publication);
	}
}

async function pollOnce(options: StationPollOptions): Promise<StationPolled> {
	const { ledger, workflowId, nodeId, settings, memory, client, warn, batchSize } = options;
	const { now = Date.now, clock = () => performance.now(), budgetMs = Infinity } = options;
	const polledAt = now();
	const deadline = clock() + budgetMs;
	const mayRequest = () => clock() < deadline;
	const node = JSON.stringify([workflowId, nodeId]);
	const key = `station:${workflowId}:${nodeId}`;
	const known = leftOut.get(node) ?? new KnownIds();
	leftOut.set(node, known);
	const readings = new Readings(polledAt, settings, known);
	const source: Source = {
		...{ client, pageSize: PAGE_SIZE, mayRequest, now: polledAt, latestMs: LATEST_MS },
		onDate: (date) => {
			readings.serviceNow = date;
		},
	};

	const { text: saved, head: before } = await readHead(ledger, `${key}:head`);
	let text = saved;
	const digest = digestOf(settings);
	const lost = forgottenBy(memory, digest, before?.polls);
	let head = lost === undefined ? continued(options, before, polledAt) : undefined;
	if (head === undefined) {
		head = await published(options, { before, lost, source, readings });
		// Before the shards: what they report depends on it.
		text = await savedFirst(ledger, `${key}:head`, { text, head });
		if (text === undefined) return {};
	}
	const pastUpTo = head.past?.upTo ?? -Infinity;
	const { position, failure, isWhole, serviceNow } = await follow(
		head.position,
		source,
		readings.take,
	);
	head = { ...head, position, past: leftOf(head.past, position) };
	for (const { kind, text, fresh } of readings.leftOut.all) warn(text, kind, fresh);

	const { events } = readings;
	const assetIds = new Set(events.map(({ assetId }) => assetId));
	const directory = await directoryFor({
		...{ node, client, mayRequest, now: polledAt, serviceNow, assetIds },
	});
	if (directory.failure !== undefined) {
		warn(`stations appear by ID: ${messageOf(directory.failure)}`, 'assets');
	}

	const changed = await changeShards(options, {
		...{ key, events, head, directory, isWhole, pastUpTo },
	});
	const due = starting.has(node) ? [] : dueEntries(changed.toTell, changed.accounts, batchSize);
	// Before n8n can know of this poll.
	const polls = head.polls + Number(due.length > 0);
	const next = JSON.stringify({ ...head, polls, unlisted: changed.unlisted });
	// Another process that wrote in between has read as far.
	if (await ledger.swapRecord(`${key}:head`, text, next, RETENTION_MS)) {
		const { publishedAt } = head;
		memory.write({ as: digest, publishedAt, at: position.knownUpTo, polls });
	}
	const { stations } = directory;
	const started = handOver(options, node, due, directory).then(async () => {
		await serveReplays(options, node, directory);
	});
	return { failure, started, readUpTo: position.knownUpTo, stations };
}

/** What the reading has left of the past. */
function leftOf(past: Head['past'], { order, newestAt, stretches }: Head['position']) {
	if (past === undefined) return undefined;
	if (order === 'oldestFirst') return newestAt < past.upTo ? past : undefined;
	const stretch = stretches.find(({ backTo }) => backTo <= past.from);
	return stretch && { ...past, upTo: Math.min(past.upTo, stretch.by ?? Infinity) };
}

/** The head as it was; undefined if this poll is a publication. */
function continued(
	{ settings, warn }: StationPollOptions,
	before: Head | undefined,
	polledAt: number,
): Head | undefined {
	if (before?.digest !== digestOf(settings)) return undefined;
	const oldest = polledAt - settings.catchUpMs;
	const lastAt = Math.max(before.position.knownUpTo, before.position.newestAt);
	if (lastAt >= oldest) return before;
	const since = new Date(before.position.knownUpTo).toISOString();
	const until = new Date(oldest).toISOString();
	warn(`events created from ${since} to ${until} are skipped: see 'Catch Up (Hours)'`, 'skipped');
	return { ...before, position: skippedTo(before.position, oldest) };
}

interface StationPublication {
	readonly before: Head | undefined;
	/** What a lost ledger knew. */
	readonly lost: Polled | undefined;
	readonly source: Source;
	readonly readings: Readings;
}

/**
 * The head of a publication: what is listed by now began before it. The past is read for the state before; after the loss of
 * the ledger nothing is decided until it has been read.
 */
async function published(
	{ settings, warn }: StationPollOptions,
	{ before, lost, source, readings }: StationPublication,
): Promise<Head> {
	const { position, failure, isWhole, serviceNow } = await begin(source, readings.take);
	if (failure !== undefined) throw failure;
	if (position.order !== 'oldestFirst') readings.clear();
	if (lost !== undefined) {
		const at = new Date(lost.at).toISOString();
		warn(
			`the event ledger was replaced or lost its data: incidents up to ${at} count as reported`,
			'lost',
		);
	}
	const from = serviceNow - settings.catchUpMs;
	const publishedAt = lost?.publishedAt ?? (isWhole ? position.newestAt : serviceNow);
	const past = { backTo: from, isUnread: lost !== undefined };
	return {
		digest: digestOf(settings),
		generation: Math.max(source.now, (before?.generation ?? 0) + 1),
		publishedAt,
		past: { from, upTo: publishedAt },
		position: {
			...position,
			knownUpTo: lost?.at ?? position.knownUpTo,
			stretches: position.order === 'oldestFirst' ? [] : [past],
		},
		...(lost !== undefined && { toldUntil: lost.at - GRACE_MS }),
		polls: Math.max(before?.polls ?? 0, lost?.polls ?? 0),
		unlisted: before?.unlisted ?? { day: 0, count: 0 },
	};
}

/** The text of the first head of a publication, once it is saved; undefined if a later publication, or another process, has saved its own. */
async function savedFirst(
	ledger: StationPollOptions['ledger'],
	key: string,
	{ text, head }: { readonly text: string | undefined; readonly head: Head },
): Promise<string | undefined> {
	const first = JSON.stringify(head);
	let expected = text;
	while (!(await ledger.swapRecord(key, expected, first, RETENTION_MS))) {
		const saved = await readHead(ledger, key);
		// A poll of the earlier publication was still on its way, and is not from now on.
		if (saved.head === undefined || saved.head.generation >= head.generation) return undefined;
		expected = saved.text;
	}
	return first;
}

/** Reports again what a user replayed. */
async function serveReplays(
	options: StationPollOptions,
	node: string,
	{ fieldsOf }: Directory,
): Promise<void> {
	const { ledger, workflowId, warn, batchSize, handOver } = options;
	if (starting.has(node)) return;
	starting.add(node);
	try {
		const publication = await readPublication(ledger, workflowId);
		const service = {
			isOwn: ({ incident }: Requested) => incident !== undefined,
			start: async (requested: readonly Requested[]) => {
				const entries = requested.flatMap(({ id, incident }) =>
					incident === undefined ? [] : [{ id, ...incident }],
				);
				const pairs = startablesOf(workflowId, entries, fieldsOf);
				const after =
					pairs.length > 0 ? await start({ ledger, batchSize, handOver }, pairs) : undefined;
				return { after, given: new Set<string>(), isOver: false };
			},
		};
		await serveWaiting(options, service, publication);
	} catch (error) {
		warn(
			`the next poll continues with the incidents that start again: ${messageOf(error)}`,
			'start',
		);
	} finally {
		starting.delete(node);
	}
}

function startablesOf(
	workflowId: string,
	entries: readonly ReportEntry[],
	fieldsOf: Directory['fieldsOf'],
): Startable[] {
	return itemsOf(entries, fieldsOf).map((item) => ({
		key: ledgerKey(workflowId, String(item.record['id'])),
		item,
	}));
}

async function handOver(
	options: StationPollOptions,
	node: string,
	due: readonly ReportEntry[],
	{ fieldsOf }: Directory,
): Promise<void> {
	const { ledger, workflowId, batchSize, warn } = options;
	if (due.length === 0) return;
	starting.add(node);
	try {
		const pairs = startablesOf(workflowId, due, fieldsOf);
		await start(
			{ ledger, batchSize, handOver: options.handOver, sharedAttempts: SHARED_ATTEMPTS },
			pairs,
		);
	} catch (error) {
		warn(`the next poll continues with the rest: ${messageOf(error)}`, 'start');
	} finally {
		starting.delete(node);
	}
}
