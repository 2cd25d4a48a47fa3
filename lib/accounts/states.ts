/** Reports the state of listed events from the event ledger; changes nothing there. */
import { setImmediate } from 'node:timers/promises';
import { eventFromList, type ParsedEvent } from '../event';
import {
	type Account as Entry,
	attemptOf,
	type Attempt,
	type EntryState,
	type Ledger,
	ledgerKey,
} from '../ledger';

/** The states of a listed event, in the order of its life. `missing`: it never arrived, or was given back. */
export const STATES = [
	...(['missing', 'pending', 'stored', 'running', 'asleep'] as const),
	...(['interrupted', 'failed', 'done', 'begun'] as const),
];
export type ListedState = (typeof STATES)[number];

/** The state of a listed event, with the execution that began it and the time, if the ledger has them. */
export interface Account extends Partial<Attempt> {
	readonly state: ListedState;
	/** When its execution ended, in Unix milliseconds; absent unless it is failed or done. */
	readonly endedAt?: number;
	/** How many executions have begun it; absent if none. */
	readonly attempts?: number;
}

export function accountOf({ state, run, attempts, endedAt }: Entry): Account {
	return {
		state: listedState(state),
		...(run !== undefined && attemptOf(run)),
		...(endedAt !== undefined && { endedAt }),
		...(attempts > 0 && { attempts }),
	};
}

function listedState(state: EntryState): ListedState {
	if (state === 'free') return 'missing';
	// Stored for longer than its grace; for a person it is the same state.
	return state === 'overdue' ? 'stored' : state;
}

/** Looked up in parallel: one round trip to Redis. Other work of the process runs in between. */
const AT_ONCE = 100;
/** Events that are looked up only to find out whether the ledger has any trace of the workflow. */
const MOST_OTHERS = 10_000;

interface Listing {
	readonly ledger: Pick<Ledger, 'look'>;
	readonly workflowId: string;
	readonly isWanted: (event: ParsedEvent) => boolean;
}

/** An event of the list. */
export interface ListedEvent extends ParsedEvent {
	/** As the service lists it. */
	readonly listed: Readonly<Record<string, unknown>>;
	/** Where it is in the list: the number of records before it in this reading, and the ID of the one before it. */
	readonly place: { readonly index: number; readonly after: string | undefined };
}

interface States<T> {
	/** The results of `as` other than undefined, in the order of the list. */
	readonly found: T[];
	readonly withoutId: number;
	/** Whether the ledger knows at least one of the listed events. */
	readonly isAnyKnown: () => Promise<boolean>;
}

/**
 * The results of `as` for the wanted events; records without an ID are skipped and counted. Keeps nothing else of them, since
 * a day can have a million. Throws `LedgerUnavailableError`.
 */
export async function listedStates<T>(
	records: AsyncIterable<Record<string, unknown>>,
	{ ledger, workflowId, isWanted }: Listing,
	as: (event: ListedEvent, account: Account) => T | undefined,
): Promise<States<T>> {
	const found: T[] = [];
	const others: string[] = [];
	let withoutId = 0;
	const seen = { isKnown: false };
	let index = -1;
	let after: string | undefined;
	let next: ListedEvent[] = [];
	const states = async (ids: readonly string[]) =>
		await Promise.all(
			ids.map(async (id) => accountOf(await ledger.look(ledgerKey(workflowId, id)))),
		);
	const look = async () => {
		const accounts = await states(next.map(({ id }) => id));
		for (const [n, event] of next.entries()) {
			const account = accounts[n];
			if (account === undefined) continue;
			seen.isKnown ||= account.state !== 'missing';
			const result = as(event, account);
			if (result !== undefined) found.push(result);
		}
		next = [];
		await setImmediate();
	};
	for await (const listed of records) {
		index += 1;
		const parsed = eventFromList(listed);
		if (!parsed.ok) {
			withoutId += 1;
			continue;
		}
		const { event } = parsed;
		if (isWanted(event)) next.push({ ...event, listed, place: { index, after } });
		else if (!seen.isKnown && others.length < MOST_OTHERS) others.push(event.id);
		after = event.id;
		if (next.length >= AT_ONCE) await look();
	}
	await look();
	const isAnyKnown = async (): Promise<boolean> => {
		for (let from = 0; from < others.length && !seen.isKnown; from += AT_ONCE) {
			const accounts = await states(others.slice(from, from + AT_ONCE));
			seen.isKnown = accounts.some(({ state }) => state !== 'missing');
		}
		return seen.isKnown;
	};
	return { found, withoutId, isAnyKnown };
}
