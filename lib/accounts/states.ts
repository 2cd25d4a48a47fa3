/** Reports the state of listed events from the event ledger; changes nothing there. */
import type { ParsedEvent } from '../event';
import { type Listed, type WalkOptions, walk } from '../follow';
import {
	type Account as Entry,
	attemptOf,
	type EntryState,
	type Ledger,
	ledgerKey,
} from '../ledger';
import { chunksOf } from '../shared/pace';

/**
 * The states of a listed event, in the order of its life. `ignored`: no trigger wants it, and no execution began with it.
 * `missing`: it never arrived, or was given back.
 */
export const STATES = [
	...(['ignored', 'missing', 'pending', 'stored', 'running', 'asleep'] as const),
	...(['interrupted', 'failed', 'done', 'begun'] as const),
];
type ListedState = (typeof STATES)[number];

/** The state of a listed event, with the execution that began it and the time, if the ledger has them. */
export interface ListedAccount extends Partial<NonNullable<ReturnType<typeof attemptOf>>> {
	readonly state: ListedState;
	/** When its execution ended, in Unix milliseconds; absent unless it is failed or done. */
	readonly endedAt?: number;
	/** How many executions have begun it; absent if none. */
	readonly attempts?: number;
}

export function accountOf({ state, run, attempts, endedAt }: Entry): ListedAccount {
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

/** Events that are looked up only to find out whether the ledger has any trace of the workflow. */
const MOST_OTHERS = 10_000;

interface StatesOptions {
	readonly ledger: Pick<Ledger, 'look'>;
	readonly workflowId: string;
	readonly isWanted: (event: ParsedEvent) => boolean;
	/** Whether a trigger wants it: otherwise an event that the ledger does not know is ignored, not missing. All by default. */
	readonly isExpected?: (event: ParsedEvent) => boolean;
	/** The IDs to look for: the reading ends when all of them were listed. */
	readonly ids?: ReadonlySet<string>;
}

/** An event of the list, and how many were before it in this reading. */
interface PlacedEvent extends Listed {
	readonly index: number;
}

interface States<T> {
	/** The results of `as` other than undefined, in the order of the list. */
	readonly found: T[];
	/** Whether the ledger knows at least one of the listed events. */
	readonly isAnyKnown: () => Promise<boolean>;
}

/**
 * The results of `as` for the wanted events. Keeps nothing else of them, since a day can have a million.
 * Throws `LedgerUnavailableError`, the errors of the list, and those of `as`.
 */
export async function listedStates<T>(
	reading: WalkOptions,
	{ ledger, workflowId, isWanted, isExpected = () => true, ids }: StatesOptions,
	as: (listed: PlacedEvent, account: ListedAccount) => T | undefined,
): Promise<States<T>> {
	const found: T[] = [];
	const others: string[] = [];
	const wantedIds = ids && new Set(ids);
	let isKnown = false;
	let index = 0;
	const states = async (some: readonly string[]): Promise<ListedAccount[]> =>
		await Promise.all(
			some.map(async (id) => accountOf(await ledger.look(ledgerKey(workflowId, id)))),
		);
	const onPage = async (page: readonly Listed[]): Promise<boolean> => {
		const placed = page.map((listed) => ({ ...listed, index: index++ }));
		const wanted = placed.filter(({ event }) => isWanted(event));
		for (const { event } of placed) wantedIds?.delete(event.id);
		if (!isKnown && others.length < MOST_OTHERS) others.push(...page.map(({ event }) => event.id));
		for (const some of chunksOf(wanted)) {
			const accounts = await states(some.map(({ event }) => event.id));
			for (const [n, account] of accounts.entries()) {
				isKnown ||= account.state !== 'missing';
				const listed = some[n];
				if (listed === undefined) continue;
				const isIgnored = account.state === 'missing' && !isExpected(listed.event);
				const result = as(listed, isIgnored ? { ...account, state: 'ignored' } : account);
				if (result !== undefined) found.push(result);
			}
		}
		return wantedIds?.size !== 0;
	};
	const { failure } = await walk(reading, onPage);
	if (failure !== undefined) throw failure;
	const isAnyKnown = async (): Promise<boolean> => {
		for (const some of chunksOf(others)) {
			isKnown ||= (await states(some)).some(({ state }) => state !== 'missing');
		}
		return isKnown;
	};
	return { found, isAnyKnown };
}
