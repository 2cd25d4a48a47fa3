/** Says what became of listed events, by the ledger of events seen; changes nothing there. */
import { setImmediate } from 'node:timers/promises';
import { eventFromList, type ParsedEvent } from '../event';
import {
	attemptOf,
	type Attempt,
	type Entry,
	type EntryState,
	type Ledger,
	ledgerKey,
} from '../ledger';

/** `missing`: it never arrived, or was given back. Otherwise as in `EntryState`. */
type ListedState = Exclude<EntryState, 'free' | 'overdue'> | 'missing';

/** What is known of a listed event; the execution that began with it and the time, where the ledger has them. */
export interface Account extends Partial<Attempt> {
	readonly state: ListedState;
	/** How many executions have begun with it; absent if none has. */
	readonly attempts?: number;
}

export function accountOf({ state, run, attempts }: Entry): Account {
	return {
		state: listedState(state),
		...(run !== undefined && attemptOf(run)),
		...(attempts > 0 && { attempts }),
	};
}

function listedState(state: EntryState): ListedState {
	if (state === 'free') return 'missing';
	// Waited for too long, but what is known of it is the same.
	return state === 'overdue' ? 'stored' : state;
}

/** Looked at together: one way to Redis and back; and between them other work of the process has its turn. */
const AT_ONCE = 100;

interface Listing {
	readonly ledger: Pick<Ledger, 'look'>;
	readonly workflowId: string;
	readonly isWanted: (event: ParsedEvent) => boolean;
}

/**
 * One result of `as` for each wanted event, in the order of the list; records without an id are left out and counted.
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
