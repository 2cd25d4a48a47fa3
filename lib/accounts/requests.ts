/**
 * Events that a user wants to run again, on their way from the action node to the poll trigger that starts them.
 *
 * The node reopens an event in the ledger and writes down where it is in the list, in records of bounded size. The publication
 * names these records by poll trigger. A poll reads only the pages that hold the events, and removes an event from its record
 * once an execution has begun it.
 */
import { randomUUID } from 'node:crypto';
import { type Account, type Ledger, ledgerKey, recordFormat, type Records } from '../ledger';
import { PackageError } from '../shared/errors';
import { chunksOf } from '../shared/pace';
import { isDue, isUnsettled } from '../start';
import {
	array,
	number,
	object,
	optional,
	type output,
	record,
	string,
	unknown,
} from '../vendor/zod';
import { changePublication, type Publication } from './publication';
import { accountOf, type ListedAccount } from './states';

/** The most events in a request: more are probably a mistake. */
export const MOST_REPLAYED = 10_000;
/** The limits of a record. */
const MOST_IN_RECORD = 500;
const MOST_CHARACTERS = 64 * 1024;
/** The most records that wait for a poll trigger; only a trigger that does not poll has so many. */
const MOST_WAITING = 500;

const requested = object({
	id: string(),
	/** The ID of the record before it in the list; absent for the first. */
	after: optional(string()),
	/** How many records were before it in the list: neighbours share a page. */
	index: number(),
	/** When it was created, in Unix milliseconds. */
	createdAt: optional(number()),
	/** What a station trigger reports again: its item, without the station. */
	incident: optional(object({ t: number(), assetId: string(), item: record(string(), unknown()) })),
});
export type Requested = output<typeof requested>;
const format = recordFormat(
	{ what: 'a request to replay', number: 1 },
	object({ events: array(requested) }),
);

interface Replay {
	readonly ledger: Pick<Ledger, 'reopen' | 'readRecord' | 'swapRecord'>;
	readonly workflowId: string;
	/** How long the ledger remembers the events from now on, in milliseconds. */
	readonly retentionMs: number;
	readonly now: number;
}

interface AssignedEvent extends Requested {
	/** The poll trigger that starts it; undefined if there is none: a delivery starts it then. */
	readonly nodeId: string | undefined;
}

/**
 * Reopens the events and passes them to the poll triggers. Returns the state of each before: pending and running events are
 * left as they are.
 * Rejects like `Ledger`; events reopened by then start at the next poll, and the request can be repeated.
 */
export async function requestReplay(
	{ ledger, workflowId, retentionMs, now }: Replay,
	events: readonly AssignedEvent[],
): Promise<ListedAccount[]> {
	const before: ListedAccount[] = [];
	for (const part of partsOf(events)) {
		const reopened: AssignedEvent[] = [];
		for (const some of chunksOf(part)) {
			const keys = some.map(({ id }) => ledgerKey(workflowId, id));
			const accounts = (await ledger.reopen(keys, now, retentionMs)).map(accountOf);
			before.push(...accounts);
			reopened.push(...some.filter((_event, n) => canReopen(accounts[n])));
		}
		await write(ledger, workflowId, reopened);
	}
	return before;
}

/** Whether an event in this state starts again on request; otherwise an execution of it is under way. */
export function canReopen(account: ListedAccount | undefined): boolean {
	return account !== undefined && account.state !== 'pending' && account.state !== 'running';
}

/** Events of one poll trigger each, in records of bounded size. */
function partsOf(events: readonly AssignedEvent[]): AssignedEvent[][] {
	const parts: AssignedEvent[][] = [];
	let size = Infinity;
	for (const event of events) {
		const last = parts.at(-1);
		const characters = JSON.stringify(storedOf(event)).length;
		const isFull =
			last === undefined ||
			last.length >= MOST_IN_RECORD ||
			size + characters > MOST_CHARACTERS ||
			last[0]?.nodeId !== event.nodeId;
		if (isFull) parts.push([event]);
		else last.push(event);
		size = isFull ? characters : size + characters;
	}
	return parts;
}

/** Only where the event is, nothing of its content; of an incident its item, which no list has. */
function storedOf({ id, after, index, createdAt, incident }: Requested): Requested {
	return { id, index, after, createdAt, incident };
}

async function write(
	records: Records,
	workflowId: string,
	events: readonly AssignedEvent[],
): Promise<void> {
	const nodeId = events[0]?.nodeId;
	if (nodeId === undefined) return;
	const key = `replay:${workflowId}:${randomUUID()}`;
	await records.swapRecord(key, undefined, format.write({ events: events.map(storedOf) }));
	await changePublication(records, workflowId, (before) => {
		const waiting = before?.replays?.[nodeId] ?? [];
		if (before === undefined || waiting.includes(key)) return undefined;
		if (waiting.length >= MOST_WAITING) throw new TooManyWaitingError();
		return { ...before, replays: { ...before.replays, [nodeId]: [...waiting, key] } };
	});
}

/** The poll trigger has not polled for a long time. */
class TooManyWaitingError extends PackageError {
	constructor() {
		super('Too many events are waiting to start again', {
			hint: 'Check that the workflow is published and that its poll trigger polls. Then run Replay for the rest.',
		});
	}
}

interface ReplayScope {
	readonly ledger: Pick<Ledger, 'look' | 'readRecord' | 'swapRecord'>;
	readonly workflowId: string;
	readonly nodeId: string;
}

interface StartedReplays {
	/** What the ledger knows of the started ones afterwards, by key. */
	readonly after: ReadonlyMap<string, Account> | undefined;
	/** The IDs of those that will never start. */
	readonly given?: ReadonlySet<string>;
	/** Whether this poll can start no more. */
	readonly isOver?: boolean;
}

/** Starts those that are due. */
type StartReplays = (due: readonly Requested[]) => Promise<StartedReplays>;

/**
 * For a poll: starts what waits for its trigger and is due, and forgets what has begun; the oldest request first. `isOwn`:
 * whether the trigger can start it. Throws `LedgerUnavailableError`.
 */
export async function serveWaiting(
	scope: ReplayScope,
	publication: Publication | undefined,
	isOwn: (requested: Requested) => boolean,
	start: StartReplays,
): Promise<void> {
	const { ledger, workflowId, nodeId } = scope;
	const done: string[] = [];
	for (const key of waitingKeys(publication, nodeId)) {
		const text = await ledger.readRecord(key);
		const { events } = format.read(text) ?? {};
		if (events === undefined) {
			done.push(key);
			continue;
		}
		if (!events.every(isOwn)) continue;
		const { rest, isOver } = await serve(scope, start, events);
		const left = rest.length === 0 ? undefined : format.write({ events: rest });
		const isKept = rest.length === events.length || (await ledger.swapRecord(key, text, left));
		if (isKept && rest.length === 0) done.push(key);
		if (isOver) break;
	}
	await forget(ledger, workflowId, done);
}

/** The keys of those of a poll trigger, the oldest first; also of one that the workflow no longer has. */
function waitingKeys(publication: Publication | undefined, nodeId: string): string[] {
	const { replays = {}, triggers = {} } = publication ?? {};
	return Object.entries(replays).flatMap(([id, keys]) =>
		id === nodeId || triggers[id] === undefined ? keys : [],
	);
}

/** `rest`: those that still wait. */
async function serve(
	{ ledger, workflowId }: ReplayScope,
	start: StartReplays,
	waiting: readonly Requested[],
) {
	const accounts: Account[] = [];
	for (const some of chunksOf(waiting)) {
		const looked = some.map(({ id }) => ledger.look(ledgerKey(workflowId, id)));
		accounts.push(...(await Promise.all(looked)));
	}
	/** Not begun since, or may have to be repeated. A ledger that lost its data knows of no request. */
	const isOpen = (account: Account | undefined): account is Account =>
		account !== undefined && account.state !== 'free' && isUnsettled(account);
	const due = waiting.filter((_event, n) => isOpen(accounts[n]) && isDue(accounts[n]));
	const { after, given, isOver = false } = await start(due);
	const rest = waiting.filter(({ id }, n) => {
		const account = after?.get(ledgerKey(workflowId, id));
		const isLeft = account === undefined || isUnsettled(account);
		return isOpen(accounts[n]) && given?.has(id) !== true && isLeft;
	});
	return { rest, isOver };
}

/** Forgets the keys of records that are gone. */
async function forget(
	records: Records,
	workflowId: string,
	keys: readonly string[],
): Promise<void> {
	if (keys.length === 0) return;
	await changePublication(records, workflowId, (before) => {
		if (before === undefined) return undefined;
		const left = Object.entries(before.replays ?? {}).map(
			([id, waiting]) => [id, waiting.filter((key) => !keys.includes(key))] as const,
		);
		const replays = Object.fromEntries(left.filter(([, waiting]) => waiting.length > 0));
		return { ...before, replays };
	});
}
