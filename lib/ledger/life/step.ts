/** What a step in the life of an event returns, and the entry that it begins with. */
import type { Entry } from './entry';

/** The result of a step, and the entry after it. `next` is absent if nothing changes, null if the entry goes. */
export interface Step<R> {
	readonly result: R;
	readonly next?: Entry | null;
}

/** Of an event that nobody has claimed. */
export const FRESH: Entry = {
	kind: 'pending',
	at: 0,
	grace: 0,
	attempts: 0,
	repeats: false,
	reopenings: 0,
};
