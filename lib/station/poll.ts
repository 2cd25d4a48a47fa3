/**
 * One poll of the station trigger, step by step: read the list, fold what it says into the state of the stations, decide
 * at the watermark, start the workflow for what is decided. How the list is followed is in `lib/follow`.
 *
 * - publication: fixes the time from which incidents are reported, and has the past read for the state before it, which
 *   holds up nothing that is new. Other settings are a new publication: what is open resolves.
 * - a poll (1) follows the list, (2) changes each shard by a swap: folds, decides, and adds what is to be reported, (3)
 *   writes the head with the new position, (4) claims what is to be reported and hands it over. The next poll drops what has
 *   begun for good, and hands over what n8n could not store or has lost. Then it looks back in the same steps, as long as
 *   there is time: that delays nothing.
 * - the *watermark* is a minute behind `knownUpTo` of the position: what lasts until then has lasted, and what is over by then
 *   has ended. A list that cannot be read leaves it: nothing opens or resolves.
 * - Every step can be repeated: facts are sets, incidents are kept in the shards, and each item passes through the
 *   ledger by its ID. Killed after (2) or (3), the next poll continues. A poll changes nothing if its head has been replaced:
 *   by another process, a later publication or an old copy of the ledger.
 */
import {
	begin,
	Budget,
	follow,
	forgottenBy,
	type OnPage,
	type Polled,
	type PollOutcome,
	type Position,
	readOn,
	readSaved,
	type Source,
	type Stretch,
	writeSaved,
} from '../follow';
import { hintOf, messageOf } from '../shared/errors';
import { KnownIds } from '../shared/knownIds';
import { SECOND_MS } from '../shared/time';
import { RETENTION_MS } from '../start';
import { checkListed, type Directory, directoryFor, directoryNow } from './common/directory';
import { type Head, headOf, headFormat } from './common/head';
import { digestOf, GRACE_MS, LATEST_MS, type StationSettings } from './common/settings';
import type { ReportEntry } from './common/state';
import { type EventFacts, LeftOut, readFacts } from './facts';
import { isWatched } from './fold/quiet';
import { BareMessages } from './fold/signs';
import { changeShards, type StationPollOptions } from './records';
import { dueEntries, report, reportReplayed } from './reports';

/** As many as the service allows. */
const PAGE_SIZE = 100;
/** n8n has published a workflow once its first poll is over, and somebody waits for that. The next polls read the rest of the past. */
const PUBLICATION_MS = 5_000;

/** Publications that are being polled for. The next poll of such a one does nothing. */
const polling = new Set<string>();
/** Nodes whose items are being handed over: their next poll hands over nothing. */
const starting = new Set<string>();
/** The events that the polls of a node have left out. */
const leftOut = new Map<string, KnownIds>();

/** Throws `LedgerUnavailableError`, and the client's error at publication. Handing over continues after the call returns. */
export async function pollStations(options: StationPollOptions): Promise<PollOutcome> {
	const { workflowId, nodeId, settings } = options;
	const publication = JSON.stringify([workflowId, nodeId, digestOf(settings)]);
	if (polling.has(publication)) return {};
	polling.add(publication);
	try {
		const budget = new Budget(options);
		const { onward, ...first } = await pollOnce(options, budget);
		if (onward === undefined || !budget.isLeft) return first;
		const { failure, started } = await pollOnce(options, budget, onward);
		return { ...first, failure, started: both(first.started, started) };
	} finally {
		polling.delete(publication);
	}
}

async function both(first?: Promise<void>, second?: Promise<void>): Promise<void> {
	await first;
	await second;
}

/** What a second pass of the same poll reads on from. */
interface Onward {
	readonly position: Position;
	/** What the first one has found: the end of something that the second one finds may be among it. */
	readonly events: readonly EventFacts[];
	readonly bare: BareMessages;
}

interface Pass extends PollOutcome {
	readonly onward?: Onward | undefined;
}

/** Reads, decides and hands over. What is new does not wait for what a second pass reads. */
async function pollOnce(
	options: StationPollOptions,
	budget: Budget,
	onward?: Onward,
): Promise<Pass> {
	const { ledger, workflowId, nodeId, settings, memory, client, warn, batchSize } = options;
	const { mayRequest } = budget;
	const node = JSON.stringify([workflowId, nodeId]);
	const known = leftOut.get(node) ?? new KnownIds();
	leftOut.set(node, known);
	let found = foundIn(settings, known, onward);
	const [as, key] = [digestOf(settings), headOf(options)];
	const now = options.now();
	let saved = await readSaved(ledger, key, headFormat);
	// Also if the clock was set back.
	const polledAt = Math.max(options.begunAt ?? now, (saved.state?.polledAt ?? 0) + 1);
	const source = { client, pageSize: PAGE_SIZE, mayRequest, now, latestMs: LATEST_MS };
	const lost = forgottenBy(memory, as, saved.state?.polls);
	let head = lost === undefined ? continued(options, saved.state, now) : undefined;
	// The next poll sees to that.
	if (head === undefined && onward !== undefined) return {};
	if (head === undefined) {
		budget.shorten(PUBLICATION_MS);
		const of = { before: saved.state, lost, source, onPage: found.take, polledAt };
		head = await published(options, of);
		// Otherwise it is read again.
		if (head.position.order !== 'oldestFirst') found = foundIn(settings, known);
		// Before the shards: what they report depends on it.
		saved = await writeSaved(ledger, key, saved, head, RETENTION_MS);
	}
	const pastUpTo = head.past?.upTo ?? -Infinity;
	const followed =
		onward === undefined
			? await follow(head.position, source, found.take)
			: await readOn(onward.position, source, found.take);
	const { position, failure, isWhole, serviceNow } = followed;
	head = { ...head, position, past: leftOf(head.past, position) };
	const { events, bare } = found;
	for (const { kind, text, fresh } of found.leftOut.all) warn(text, kind, fresh);
	const assetIds = [...events.map(({ assetId }) => assetId), ...bare.assetIds];
	const limits = settings.kind === 'sessionEnded';
	const assets = { ...source, serviceNow, limits, mayRequest: () => !budget.isOver };
	const directory = await directoryFor(node, assetIds, assets);
	if (directory.failure !== undefined) {
		const { failure } = directory;
		warn(`stations appear by ID: ${messageOf(failure)}`, 'assets', 1, hintOf(failure));
	}

	const kept = await readSaved(ledger, key, headFormat);
	if (kept.text !== saved.text) {
		// A poll of an earlier publication was still on its way: this one is the publication again.
		const { state: other } = kept;
		const isOlder = other !== undefined && other.as !== as && other.polledAt < polledAt;
		return isOlder ? await pollOnce(options, budget) : { failure };
	}
	const reading = { events, bare, head, directory, isWhole, pastUpTo };
	const changed = await changeShards(options, reading);
	const due = starting.has(node) ? [] : dueEntries(changed.toTell, changed.accounts, batchSize);
	// Before n8n can know of this poll.
	const polls = head.polls + Number(due.length > 0);
	const next = { ...head, polls, polledAt, unlisted: changed.unlisted };
	const { publishedAt } = head;
	const { knownUpTo } = position;
	const { state } = await writeSaved(ledger, key, saved, next, RETENTION_MS);
	if (state !== undefined) memory.write({ as, publishedAt, at: knownUpTo, polls });
	// Another process that wrote in between has read as far, and hands over what is decided; or the ledger is lost, and what
	// this poll has decided by was only a part of it.
	const started = startAll(options, node, state === undefined ? [] : due, directory);
	const stations = settings.onlyStations?.length ?? directory.stations;
	const outcome = { failure, started, readUpTo: knownUpTo, stations };
	if (state === undefined || followed.onward === undefined) return outcome;
	return { ...outcome, onward: { position: followed.onward, events, bare } };
}

/** What a poll reads about stations, with what its first pass has found. `known`: the events that earlier readings have left out. */
function foundIn(settings: StationSettings, known: KnownIds, first?: Onward) {
	const events = [...(first?.events ?? [])];
	const bare = first?.bare ?? new BareMessages();
	const leftOut = new LeftOut(known);
	const only = settings.onlyStations && new Set(settings.onlyStations);
	const isOfOther = ({ assetId }: EventFacts) => only?.has(assetId) === false;
	const take: OnPage = async (page, serviceNow) => {
		for (const { event, at } of page) {
			const read = leftOut.without(readFacts(event, serviceNow, settings, at), event.id);
			if (read === undefined || isOfOther(read)) continue;
			if (!read.facts.some((fact) => isWatched(fact, settings))) continue;
			if (!bare.add(read)) events.push(read);
		}
		return undefined;
	};
	return { events, bare, leftOut, take };
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
	if (before?.as !== digestOf(settings)) return undefined;
	const oldest = polledAt - settings.catchUpMs;
	const { knownUpTo, newestAt } = before.position;
	if (Math.max(knownUpTo, newestAt) >= oldest) return before;
	const [since, until] = [knownUpTo, oldest].map((time) => new Date(time).toISOString());
	warn(`events created from ${since} to ${until} are skipped: see 'Catch Up (Hours)'`, 'skipped');
	const skipped = {
		knownUpTo: Math.max(knownUpTo, oldest),
		newestAt: Math.max(newestAt, oldest),
		stretches: [],
	};
	return { ...before, position: { ...before.position, ...skipped } };
}

interface StationPublication {
	readonly before: Head | undefined;
	/** What a lost ledger knew. */
	readonly lost: Polled | undefined;
	readonly source: Source;
	readonly onPage: OnPage;
	readonly polledAt: number;
}

/**
 * The head of a publication: what is listed when its first poll begins began before it. However long the list takes to answer,
 * what begins meanwhile is news. The past is read for the state before; after the loss of the ledger nothing is decided until
 * it has been read.
 */
async function published(
	{ client, settings, warn, now, begunAt }: StationPollOptions,
	{ before, lost, source, onPage, polledAt }: StationPublication,
): Promise<Head> {
	let answeredAt: number | undefined;
	const { position, failure, isWhole, serviceNow } = await begin(source, async (...page) => {
		answeredAt ??= now();
		return await onPage(...page);
	});
	if (failure !== undefined) throw failure;
	const tookMs = Math.max(0, (answeredAt ?? now()) - (begunAt ?? source.now));
	// Only here: a station can be removed later.
	if (settings.onlyStations !== undefined && lost === undefined) {
		const { listing } = await directoryNow(client, source.mayRequest);
		checkListed(settings.onlyStations, listing?.has, 'Only These Stations');
	}
	if (lost !== undefined) {
		const at = new Date(lost.at).toISOString();
		warn(
			`the event ledger was replaced or lost its data: incidents up to ${at} count as reported`,
			'lost',
		);
	}
	const from = serviceNow - settings.catchUpMs;
	const listedAt = isWhole ? position.newestAt : serviceNow;
	const publishedAt = lost?.publishedAt ?? Math.min(listedAt, serviceNow + SECOND_MS - tookMs);
	const past: Stretch = { backTo: from, kind: lost === undefined ? 'look' : 'unread' };
	return {
		as: digestOf(settings),
		polledAt,
		generation: polledAt,
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

/** Hands over what is due, then what a user replayed. Never rejects. */
async function startAll(
	options: StationPollOptions,
	node: string,
	due: readonly ReportEntry[],
	directory: Directory,
): Promise<void> {
	if (due.length === 0 && starting.has(node)) return;
	starting.add(node);
	try {
		await report(options, due, directory);
		await reportReplayed(options, directory);
	} catch (error) {
		options.warn(`the next poll continues with the rest: ${messageOf(error)}`, 'start');
	} finally {
		starting.delete(node);
	}
}
