import type { ParsedEvent } from '../../../lib/receiver/event';
import { type Knowledge, listFresh, type ListingBounds } from '../../../lib/receiver/listFresh';

interface Listed {
	id?: string;
	eventType?: string;
	createdAt?: string;
}

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
/** Events of these minutes, in this order. */
const eventsAt = (...minutes: number[]): Listed[] =>
	minutes.map((minute) => ({ id: `e${minute}`, eventType: 'wanted', createdAt: at(minute) }));
const downFrom = (newest: number, oldest: number) =>
	Array.from({ length: newest - oldest + 1 }, (_unused, n) => newest - n);

const list = async (
	records: readonly (Listed | { readonly failure: Error })[],
	known: readonly number[],
	{ waiting = [], ...bounds }: Partial<ListingBounds> & { waiting?: readonly number[] } = {},
) => {
	let read = 0;
	const pages = async function* () {
		for (const record of records) {
			if ('failure' in record) throw record.failure;
			read += 1;
			yield { ...record };
		}
	};
	const knowledge = new Map<string, Knowledge>([
		...known.map((minute) => [`e${minute}`, 'done'] as const),
		...waiting.map((minute) => [`e${minute}`, 'waiting'] as const),
	]);
	const listing = await listFresh(
		pages(),
		{
			look: async ({ id }: ParsedEvent) => knowledge.get(id) ?? 'fresh',
			isWanted: ({ type }: ParsedEvent) => type === 'wanted',
		},
		{ pageSize: 3, backTo: Date.parse(at(1_000_000)), ...bounds },
	);
	return { ...listing, ids: listing.fresh.map(({ id }) => id), read };
};

describe('listFresh', () => {
	it('gives what is new, oldest first', async () => {
		const { ids } = await list(eventsAt(...downFrom(9, 1)), [1, 2, 3, 4, 5, 6]);
		expect(ids).toEqual(['e7', 'e8', 'e9']);
	});

	it('reads no further than a page of known events in a row', async () => {
		const { read } = await list(eventsAt(...downFrom(20, 1)), downFrom(18, 1));
		expect(read).toBe(5);
	});

	it('finds a missed event between known ones', async () => {
		const { ids } = await list(eventsAt(...downFrom(9, 1)), [9, 8, 6, 5, 4, 3, 2, 1]);
		expect(ids).toEqual(['e7']);
	});

	it('reads back to where the last poll began, whatever is known before that', async () => {
		const known = downFrom(20, 1).filter((minute) => minute !== 6);
		const events = eventsAt(...downFrom(20, 1));
		expect((await list(events, known)).ids).toEqual([]);
		const back = await list(events, known, { backTo: Date.parse(at(5)) });
		expect(back.ids).toEqual(['e6']);
		expect(back.read).toBeLessThan(20);
	});

	it('reads to the end when it is told no bound', async () => {
		const { ids, read } = await list(eventsAt(...downFrom(20, 1)), downFrom(20, 2), { backTo: 0 });
		expect([ids, read]).toEqual([['e1'], 20]);
	});

	it('reads a list to its end that is sorted oldest first', async () => {
		const { ids } = await list(eventsAt(1, 2, 3, 4, 5, 6, 7, 8), [1, 2, 3, 4, 5, 6]);
		expect(ids).toEqual(['e7', 'e8']);
	});

	it('goes by the order of the list where events tell no time', async () => {
		const records = ['c', 'b', 'a'].map((id) => ({ id, eventType: 'wanted' }));
		expect((await list(records, [])).ids).toEqual(['a', 'b', 'c']);
	});

	it('leaves out what is not wanted, and does not stop at it', async () => {
		const unwanted = Array.from({ length: 10 }, (_unused, n) => ({
			id: `u${n}`,
			eventType: 'other',
			createdAt: at(50 - n),
		}));
		const { ids } = await list([...unwanted, ...eventsAt(9, 8, 7, 6)], [8, 7, 6], { backTo: 0 });
		expect(ids).toEqual(['e9']);
	});

	it('counts those that are known, and not those that are not wanted, towards where it may stop', async () => {
		const unwanted = [9, 8].map((minute) => ({ id: `u${minute}`, createdAt: at(minute) }));
		const bounds = { backTo: Date.parse(at(5)) };
		const events = eventsAt(4, 3);
		expect((await list([...unwanted, ...events], [4], bounds)).ids).toEqual(['e3']);
		const known = await list([...eventsAt(9, 8), ...events], [9, 8, 4], bounds);
		expect([known.ids, known.read]).toEqual([[], 3]);
		const old = [4, 3, 2].map((minute) => ({ id: `u${minute}`, createdAt: at(minute) }));
		expect((await list([...old, ...eventsAt(1)], [], bounds)).read).toBe(3);
	});

	it('stops at a page of known events that tell no time, too', async () => {
		const records = ['e1', 'e2', 'e3', 'e4'].map((id) => ({ id, eventType: 'wanted' }));
		expect((await list(records, [1, 2, 3], { waiting: [3] })).read).toBe(3);
		expect((await list(records, [], { waiting: [1] })).waitingSince).toBeUndefined();
	});

	it('keeps the oldest and leaves the newest to the next poll when there are too many', async () => {
		const listing = await list(eventsAt(...downFrom(9, 1)), [], { most: 4, backTo: 0 });
		expect(listing.ids).toEqual(['e1', 'e2', 'e3', 'e4']);
		expect(listing.complete).toBe(false);
		expect(await list(eventsAt(...downFrom(4, 1)), [], { most: 4 })).toMatchObject({
			ids: ['e1', 'e2', 'e3', 'e4'],
			complete: true,
		});
	});

	it('reads no further than it must for that where the oldest come first', async () => {
		const listing = await list(eventsAt(1, 2, 3, 4, 5, 6, 7, 8), [], { most: 4 });
		expect(listing).toMatchObject({ ids: ['e1', 'e2', 'e3', 'e4'], complete: false, read: 5 });
	});

	it('gives 5000 at most unless it is told otherwise', async () => {
		const { fresh, complete } = await list(eventsAt(...downFrom(5001, 1)), [], { backTo: 0 });
		expect([fresh.length, fresh[0]?.id, complete]).toEqual([5000, 'e1', false]);
	});

	it('counts records without an id', async () => {
		const { withoutId, ids } = await list([{ eventType: 'wanted' }, ...eventsAt(1)], []);
		expect([withoutId, ids]).toEqual([1, ['e1']]);
	});

	it('tells the time of the newest event', async () => {
		expect((await list(eventsAt(3, 2, 1), [])).newestAt).toBe(Date.parse(at(3)));
		expect((await list([], [])).newestAt).toBeUndefined();
	});

	it('leaves events alone that wait for their run to begin, and tells since when the oldest does', async () => {
		const events = eventsAt(...downFrom(9, 1));
		const listing = await list(events, [7, 5, 3, 2, 1], { waiting: [6, 4], backTo: 0 });
		expect(listing.ids).toEqual(['e8', 'e9']);
		expect(listing.waitingSince).toBe(Date.parse(at(4)));
		expect((await list(events, downFrom(9, 1))).waitingSince).toBeUndefined();
	});

	it('gives what was listed before a page that failed, oldest first, and the failure', async () => {
		const failure = new Error('page 2');
		const listing = await list([...eventsAt(9, 8, 7), { failure }, ...eventsAt(6)], [], {
			backTo: 0,
		});
		expect(listing.ids).toEqual(['e7', 'e8', 'e9']);
		expect(listing.failure).toBe(failure);
		expect(listing.complete).toBe(false);
	});

	it('throws what the ledger throws', async () => {
		const away = new Error('The ledger is not available');
		const records = async function* () {
			yield* eventsAt(1).map((event) => ({ ...event }));
		};
		const sorting = { look: () => Promise.reject(away), isWanted: () => true };
		await expect(listFresh(records(), sorting, { pageSize: 3, backTo: 0 })).rejects.toBe(away);
	});
});
