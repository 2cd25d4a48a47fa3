/**
 * Runs events again at a person's request: reopens them in the ledger, and makes the poll triggers of the workflow read
 * back to the oldest of them. A record of the ledger, one per workflow, passes the request to the triggers.
 */
import { createdAt, type ParsedEvent } from '../event';
import {
	type Account as Entry,
	changeRecord,
	type Ledger,
	ledgerKey,
	type Records,
} from '../ledger';
import type { ApiClient } from '../service';
import { jsonIn } from '../shared/values';
import { RETENTION_MS, type Startable } from '../start';
import { number, object, optional, type output, safeParse } from '../vendor/zod';
import type { Scope } from './knowledge';
import { accountOf, type Account } from './listedStates';

/** Times are in Unix milliseconds. */
const replayRecord = object({
	/** When a trigger of the workflow was first published; 0 for a poll trigger that starts with all retained events. */
	publishedAt: optional(number()),
	/** When a poll trigger of the workflow last recorded that it exists. */
	polledAt: optional(number()),
	/** The latest request: read back to `from`. */
	request: optional(object({ from: number(), at: number() })),
});
type ReplayRecord = output<typeof replayRecord>;

const keyOf = (workflowId: string) => `replay:${workflowId}`;
const NOTED_EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** Reopened together: one round trip to Redis, or one sync. */
const AT_ONCE = 100;

/** Changes the record, even while others change it. Returns it as it was before. */
async function change(
	records: Records,
	workflowId: string,
	next: (before: ReplayRecord) => ReplayRecord | undefined,
): Promise<ReplayRecord> {
	let before: ReplayRecord = {};
	await changeRecord(records, keyOf(workflowId), (text) => {
		before = safeParse(replayRecord, text === undefined ? {} : jsonIn(text)).data ?? {};
		const after = next(before);
		return after && JSON.stringify(after);
	});
	return before;
}

/** How far an earlier request reads back, if polls may not have handled it yet. */
function unread(request: ReplayRecord['request'], now: number): number {
	return request !== undefined && now - request.at < DAY_MS ? request.from : Infinity;
}

interface Replay {
	readonly ledger: Pick<Ledger, 'reopen' | 'readRecord' | 'swapRecord'>;
	readonly workflowId: string;
	readonly now: number;
}

/** An event to run again. */
interface Chosen {
	readonly id: string;
	/** Undefined if no record of the list has it. */
	readonly record?: Readonly<Record<string, unknown>>;
}

/**
 * Reopens the events and asks the poll triggers to read back to them. Returns the state of each before, and when a poll
 * trigger of the workflow last polled, to the hour; undefined if none ever did.
 * Throws `LedgerUnavailableError`; events reopened by then stay reopened, and the request can be repeated.
 */
export async function replay(
	{ ledger, workflowId, now }: Replay,
	events: readonly Chosen[],
): Promise<{ before: Account[]; polledAt: number | undefined }> {
	const before: Account[] = [];
	for (let from = 0; from < events.length; from += AT_ONCE) {
		const keys = events.slice(from, from + AT_ONCE).map(({ id }) => ledgerKey(workflowId, id));
		before.push(...(await ledger.reopen(keys, now, RETENTION_MS)).map(accountOf));
	}
	const times = events.flatMap(({ record }) => (record && createdAt({ record })) ?? []);
	const from = Math.min(now, ...times);
	const { polledAt } = await change(ledger, workflowId, ({ request, ...rest }) => ({
		...rest,
		request: { from: Math.min(from, unread(request, now)), at: now },
	}));
	return { before, polledAt };
}

/** For a webhook trigger: records when the workflow was first published, unless there is a record already. */
export async function notePublication(
	records: Records,
	workflowId: string,
	at: number,
): Promise<void> {
	await records.swapRecord(keyOf(workflowId), undefined, JSON.stringify({ publishedAt: at }));
}

/** When the workflow was first published; undefined if no trigger has recorded it. */
export async function publishedAt(
	records: Records,
	workflowId: string,
): Promise<number | undefined> {
	return (await read(records, workflowId)).publishedAt;
}

/** When a poll trigger of the workflow last polled, to the hour; undefined if none ever did. */
export async function lastPolledAt(
	records: Records,
	workflowId: string,
): Promise<number | undefined> {
	return (await read(records, workflowId)).polledAt;
}

async function read(records: Records, workflowId: string): Promise<ReplayRecord> {
	return await change(records, workflowId, () => undefined);
}

interface Serving {
	readonly client: Pick<ApiClient, 'list'>;
	readonly pageSize: number;
	readonly mayRequest: () => boolean;
	/** Starts the workflow for these items, in this order. */
	readonly start: (pairs: readonly Startable[]) => Promise<Map<string, Entry>>;
	readonly isWanted: (event: ParsedEvent) => boolean;
	/** Events created before do not start by themselves; 0 for no such bound. */
	readonly publishedAt: number;
	readonly now: number;
	readonly warn: (message: string) => void;
}

/** For a poll: records that there is one, and when it was published. */
export async function serveReplays(
	{ ledger, workflowId }: Scope,
	{ publishedAt, now }: Serving,
): Promise<void> {
	await change(ledger, workflowId, (before) =>
		Math.abs(now - (before.polledAt ?? 0)) < NOTED_EVERY_MS
			? undefined
			: {
					...before,
					publishedAt: Math.min(before.publishedAt ?? Infinity, publishedAt),
					polledAt: now,
				},
	);
}
