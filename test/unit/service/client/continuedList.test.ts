/** A list that continues after a record, is bounded in its requests, and says what time the service has. */
import { all, stopWorlds } from '../world';
import { start } from './client';

afterEach(stopWorlds);

const DATE = 'Sat, 10 Jan 2026 00:00:00 GMT';

/** Three pages of two records; the response contains the time by default. */
async function pages(headers: Readonly<Record<string, string>> = { date: DATE }) {
	const { client, world } = await start(({ query }) => {
		const after = Number(query['startingAfter'] ?? 0);
		const items = [after + 1, after + 2].map((id) => ({ id }));
		return { headers, body: { data: { items, hasMore: after < 4 } } };
	});
	return {
		client,
		cursors: () =>
			world.service.to('/webhooks/v1/webhook-events').map(({ query }) => query['startingAfter']),
	};
}

it('continues after the given record', async () => {
	const { client, cursors } = await pages();
	expect(await all(client.list('event', { startingAfter: '2' }))).toEqual(
		[3, 4, 5, 6].map((id) => ({ id })),
	);
	expect(cursors()).toEqual(['2', '4']);
});

it('asks before each request, and ends where it may not', async () => {
	const { client, cursors } = await pages();
	let left = 2;
	const listed = await all(client.list('event', { mayRequest: () => left-- > 0 }));
	expect(listed.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
	expect(cursors()).toEqual([undefined, '2']);
});

it('says what time the service has, and nothing for a date that is none', async () => {
	const dates: number[] = [];
	const onDate = (date: number) => dates.push(date);
	await all((await pages()).client.list('event', { onDate }));
	expect(dates).toEqual([DATE, DATE, DATE].map((date) => Date.parse(date)));
	await all((await pages({ date: 'soon' })).client.list('event', { onDate }));
	expect(dates).toHaveLength(3);
});
