/**
 * Starts the events that a user wants to run again (`lib/accounts/requests.ts`), and nothing else. It reads the pages that hold
 * them, by their places in the list, so the cost depends on how many there are and not on how old they are.
 */
import {
	forgetWaiting,
	keepWaiting,
	notePublishedAt,
	readPublication,
	readWaiting,
	type Requested,
	type WaitingReplays,
	waitingKeys,
} from '../accounts';
import { oldestFirst, type ParsedEvent } from '../event';
import { type Account, type Ledger, ledgerKey } from '../ledger';
import { chunksOf } from '../shared/chunks';
import { counted } from '../shared/counted';
import { dueIn, isUnsettled, type Startable } from '../start';
import { find, type ListReading } from './places';

interface ReplayScope {
	readonly ledger: Pick<Ledger, 'look' | 'readRecord' | 'swapRecord'>;
	readonly workflowId: string;
	readonly nodeId: string;
}

interface Serving extends ListReading {
	/** Starts the items; returns what the ledger knows of each afterwards. */
	readonly start: (pairs: readonly Startable[]) => Promise<ReadonlyMap<string, Account>>;
	readonly isWanted: (event: ParsedEvent) => boolean;
	/** The time of publication by the poll's own state, in Unix milliseconds; 0 for all retained events. */
	readonly publishedAt: number;
	/** Called with messages for operators. */
	readonly warn: (message: string) => void;
}

/**
 * Starts the replayed events that wait for this trigger, the oldest first. If the list cannot be read, the next poll continues.
 * Throws `LedgerUnavailableError`.
 */
export async function serveReplays(scope: ReplayScope, serving: Serving): Promise<void> {
	const { ledger, workflowId, nodeId } = scope;
	const publication = await readPublication(ledger, workflowId);
	await notePublishedAt(ledger, workflowId, { publication, at: serving.publishedAt });
	const done: string[] = [];
	for (const key of waitingKeys(publication, nodeId)) {
		const waiting = await readWaiting(ledger, key);
		const served = waiting && (await serve(scope, serving, waiting));
		if (waiting === undefined || served?.left === 0) done.push(key);
		if (served?.failure !== undefined) {
			serving.warn(`the next poll continues with replayed events: ${served.failure.message}`);
		}
		if (served?.isOver) break;
	}
	await forgetWaiting(ledger, workflowId, done);
}

interface Served {
	/** How many events still wait. */
	readonly left: number;
	/** Whether this poll can read no more. */
	readonly isOver: boolean;
	readonly failure: Error | undefined;
}

async function serve(
	scope: ReplayScope,
	serving: Serving,
	waiting: WaitingReplays,
): Promise<Served> {
	const { ledger, workflowId } = scope;
	const accounts = await look(scope, waiting.events);
	const open = waiting.events.filter((_event, n) => isOpen(accounts[n]));
	const due = waiting.events.filter((_event, n) => isDue(accounts[n]));
	const found = await find(serving, due);
	const unwanted = found.events.filter((event) => !serving.isWanted(event));
	const pairs = oldestFirst(found.events.filter((event) => !unwanted.includes(event))).map(
		({ id, record }) => ({ key: ledgerKey(workflowId, id), item: { record } }),
	);
	const after = pairs.length > 0 ? await serving.start(pairs) : undefined;
	const given = new Set([...unwanted.map(({ id }) => id), ...found.lost.map(({ id }) => id)]);
	const rest = open.filter(({ id }) => {
		const account = after?.get(ledgerKey(workflowId, id));
		return !given.has(id) && (account === undefined || isUnsettled(account));
	});
	const isKept = await keepWaiting(ledger, waiting, rest);
	if (unwanted.length > 0) {
		serving.warn(
			`${counted(unwanted.length, 'replayed event')} not started: the trigger no longer wants them`,
		);
	}
	if (found.lost.length > 0) {
		serving.warn(
			`${counted(found.lost.length, 'replayed event')} not started: the service no longer lists them where it did. Replay them again`,
		);
	}
	return {
		left: isKept ? rest.length : waiting.events.length,
		isOver: found.isOver,
		failure: found.failure,
	};
}

async function look({ ledger, workflowId }: ReplayScope, events: readonly Requested[]) {
	const accounts: Account[] = [];
	for (const some of chunksOf(events)) {
		const looked = some.map(({ id }) => ledger.look(ledgerKey(workflowId, id)));
		accounts.push(...(await Promise.all(looked)));
	}
	return accounts;
}

/** Whether it has not begun since, or may have to be repeated. A ledger that lost its data knows of no request. */
function isOpen(account: Account | undefined): boolean {
	return account !== undefined && account.state !== 'free' && isUnsettled(account);
}

function isDue(account: Account | undefined): boolean {
	return account !== undefined && isOpen(account) && dueIn(account) === 0;
}
