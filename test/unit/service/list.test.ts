import type { Answer } from '../../support/httpService';
import { expectedLists } from '../../support/lists';
import { answering, ASSETS, INVALID_TOKEN, start } from './client';
import { all, rejection, stopWorlds } from './world';

afterEach(stopWorlds);

describe('a list', () => {
	it.each(expectedLists)('of %s is asked for as specified', async (resource, { path }) => {
		const { client, world } = await answering({
			body: { data: { items: [{ id: 'a', n: null }], hasMore: false } },
		});
		const query = { assetGroups: 'g1,g2', 'odd name': 'ü&' };
		const options = { limit: 7, query, endpointId: 'we_1' };
		expect(await all(client.list(resource, options))).toEqual([{ id: 'a', n: null }]);
		expect(world.service.to(path)).toMatchObject([
			{
				method: 'GET',
				query: { ...query, limit: '7' },
				headers: { authorization: 'Bearer token-1' },
				body: '',
			},
		]);
	});

	it('distinguishes IDs that are too large for a number, and continues from the last of them', async () => {
		const long = '9007199254740993';
		const { client, world } = await start(({ query }) => ({
			body: query['startingAfter']
				? '{"items":[],"hasMore":false}'
				: `{"items":[{"id":9007199254740992},{"id":${long},"n":1e30,"asset_id":-${long},"id_of":${long}},{"id":7}, {"id" : ${long}4}]}`,
		}));
		expect(await all(client.list('event', {}))).toEqual([
			{ id: '9007199254740992' },
			{ id: long, n: 1e30, asset_id: `-${long}`, id_of: Number(long) },
			{ id: 7 },
			{ id: `${long}4` },
		]);
		expect(world.service.requests.at(-1)?.query['startingAfter']).toBe(`${long}4`);
	});

	it('is tried again after passing failures, and the token is kept', async () => {
		let asked = 0;
		const { client, world } = await start(() =>
			++asked < 4 ? { status: 503 } : { body: { items: [{ id: 'a' }], hasMore: false } },
		);
		expect(await all(client.list('asset', {}))).toEqual([{ id: 'a' }]);
		expect(world.service.to(ASSETS)).toHaveLength(4);
		expect(world.tokensAskedFor()).toBe(1);
	});

	it.each<[string, Answer]>([
		['a 401', { status: 401 }],
		['a 403 that calls it invalid (RFC 6750)', INVALID_TOKEN],
		[
			'a 403 that calls it invalid after another challenge',
			{
				status: 403,
				headers: {
					'www-authenticate': 'Basic realm="a", bearer realm="b", Error=invalid_token',
				},
			},
		],
		[
			'a 403 that calls it invalid in single quotes',
			{
				status: 403,
				headers: { 'www-authenticate': "Bearer realm='api', error = 'invalid_token'" },
			},
		],
		['a 403 that calls it invalid in its body', { status: 403, body: { error: 'invalid_token' } }],
	])(
		'gets one new token for many callers whose token was refused with %s',
		async (_name, refusal) => {
			const { client, world } = await start(({ headers }) =>
				headers.authorization === 'Bearer token-1' ? refusal : { body: [] },
			);
			await Promise.all(Array.from({ length: 20 }, () => all(client.list('asset', {}))));
			expect(world.tokensAskedFor()).toBe(2);
		},
	);

	it.each([
		...['Bearer error="insufficient_scope"', 'Bearer scope="invalid_token"', 'Bearer'],
		"Bearer error='insufficient_scope', error_description='invalid_token'",
	])('gets no new token after a 403 with %s', async (challenge) => {
		const { client, world } = await answering({
			status: 403,
			headers: { 'www-authenticate': challenge },
			body: { error: 'insufficient_scope', error_description: 'invalid_token' },
		});
		expect(await rejection(all(client.list('asset', {})))).toMatchObject({ status: 403 });
		expect([world.tokensAskedFor(), world.service.to(ASSETS).length]).toEqual([1, 1]);
	});
});

describe('a list that continues after a record', () => {
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
});
