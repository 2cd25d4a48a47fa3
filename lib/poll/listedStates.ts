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

/** `missing`: it never arrived, or was given back. The others are as in `EntryState`. */
type ListedState = Exclude<EntryState, 'free' | 'overdue'> | 'missing';

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

interface Listing {
	readonly ledger: Pick<Ledger, 'look'>;
	readonly workflowId: string;
	readonly isWanted: (event: ParsedEvent) => boolean;
}

/**
 * One result of `as` per wanted event, in the order of the list; records without an ID are skipped and counted.
 * Throws `LedgerUnavailableError`.
 */
export async function listedStates<T>(
	records: AsyncIterable<Record<string, unknown>>,
	{ ledger, workflowId, isWanted }: Listing,
	as: (record: Record<string, unknown>, account: Account) => T,
): Promise<{ listed: T[]; withoutId: number }> {
	const listed: T[] = [];
	let withoutId = 0;
	let next: { record: Record<string, unknown>; key: string }[] = [];
	const look = async () => {
		const looked = next.map(async ({ record, key }) => {
			return as(record, accountOf(await ledger.look(key)));
		});
		listed.push(...(await Promise.all(looked)));
		next = [];
		await setImmediate();
	};
	for await (const record of records) {
		const parsed = eventFromList(record);
		if (!parsed.ok) withoutId += 1;
		else if (isWanted(parsed.event)) {
			next.push({ record, key: ledgerKey(workflowId, parsed.event.id) });
		}
		if (next.length >= AT_ONCE) await look();
	}
	await look();
	return { listed, withoutId };
}
