/** A client whose list is an array, with the requests it received. */
import type { PollOptions } from '../../../lib/poll';

type Client = PollOptions['client'];
type Asked = Parameters<Client['list']>;

/** A record of a list: its ID, and the moment it was created, in milliseconds, if it says so. */
export const listed = (id: string, at?: number): Record<string, unknown> => ({
	id,
	...(at !== undefined && { createdAt: new Date(at).toISOString() }),
});

/** An event of the list as the poll reads it. */
export const parsed = (id: string, at?: number) => ({
	id,
	type: undefined,
	record: listed(id, at),
});

export function fakeList(records: readonly Record<string, unknown>[], failure?: Error) {
	const list = {
		asked: [] as Asked[],
		/** How many records were taken from it. */
		taken: 0,
		client: { list: (...asked: Asked) => read(asked) } satisfies Client,
	};
	async function* read(asked: Asked): ReturnType<Client['list']> {
		list.asked.push(asked);
		for (const [n, record] of records.entries()) {
			if (n % (asked[1].pageSize ?? 1) === 0 && asked[1].mayRequest?.() === false) return;
			list.taken += 1;
			yield record;
		}
		if (failure !== undefined) throw failure;
	}
	return list;
}
