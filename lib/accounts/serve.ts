/** The replays that wait for a polling trigger: each of its polls starts those that are due, and forgets those that have begun. */
import { type Account, type Ledger, ledgerKey } from '../ledger';
import { chunksOf } from '../shared/pace';
import { dueIn, isUnsettled } from '../start';
import type { Publication } from './publication';
import {
	forgetWaiting,
	keepWaiting,
	readWaiting,
	type Requested,
	type WaitingReplays,
	waitingKeys,
} from './requests';

export interface ReplayScope {
	readonly ledger: Pick<Ledger, 'look' | 'readRecord' | 'swapRecord'>;
	readonly workflowId: string;
	readonly nodeId: string;
}

interface WaitingService {
	/** Whether the trigger can start it. */
	readonly isOwn: (requested: Requested) => boolean;
	/** Starts those that are due. */
	readonly start: (due: readonly Requested[]) => Promise<StartedReplays>;
}

export interface StartedReplays {
	/** What the ledger knows of the started ones afterwards, by key. */
	readonly after: ReadonlyMap<string, Account> | undefined;
	/** The IDs of those that will never start. */
	readonly given: ReadonlySet<string>;
	/** Whether this poll can start no more. */
	readonly isOver: boolean;
}

/** Serves the oldest request first. Throws `LedgerUnavailableError`. */
export async function serveWaiting(
	scope: ReplayScope,
	{ isOwn, start }: WaitingService,
	publication: Publication | undefined,
): Promise<void> {
	const { ledger, workflowId, nodeId } = scope;
	const done: string[] = [];
	for (const key of waitingKeys(publication, nodeId)) {
		const waiting = await readWaiting(ledger, key);
		if (waiting === undefined) {
			done.push(key);
			continue;
		}
		if (!waiting.events.every(isOwn)) continue;
		const served = await serve(scope, start, waiting);
		if (served.left === 0) done.push(key);
		if (served.isOver) break;
	}
	await forgetWaiting(ledger, workflowId, done);
}

/** `left`: how many still wait. */
async function serve(
	scope: ReplayScope,
	start: WaitingService['start'],
	waiting: WaitingReplays,
): Promise<{ readonly left: number; readonly isOver: boolean }> {
	const { ledger, workflowId } = scope;
	const accounts = await look(scope, waiting.events);
	const open = waiting.events.filter((_event, n) => isOpen(accounts[n]));
	const due = waiting.events.filter((_event, n) => isDue(accounts[n]));
	const { after, given, isOver } = await start(due);
	const rest = open.filter(({ id }) => {
		const account = after?.get(ledgerKey(workflowId, id));
		return !given.has(id) && (account === undefined || isUnsettled(account));
	});
	const isKept = await keepWaiting(ledger, waiting, rest);
	return { left: isKept ? rest.length : waiting.events.length, isOver };
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
