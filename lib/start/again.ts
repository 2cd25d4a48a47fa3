/** When an entry of the ledger has to be looked at again, because it has not begun or may have to be repeated. */
import { type Account, type EntryState, MOST_ATTEMPTS } from '../ledger';

const NOT_BEGUN: ReadonlySet<EntryState> = new Set(['free', 'pending', 'stored', 'overdue']);

export function hasBegun({ state }: Account): boolean {
	return !NOT_BEGUN.has(state);
}

/** Whether a poll has to read it again. */
export function isUnsettled(account: Account): boolean {
	const { attempts, dueInMs, repeats } = account;
	const mayRepeat = repeats === true || dueInMs !== undefined;
	return !hasBegun(account) || (mayRepeat && attempts < MOST_ATTEMPTS);
}

/** In how many milliseconds a start would be of use: 0 for at once, undefined if that depends on others. */
export function dueIn(account: Account): number | undefined {
	const { state, dueInMs } = account;
	if (state === 'free' || state === 'overdue') return 0;
	return isUnsettled(account) ? dueInMs : undefined;
}
