import type { ApiError, ListOptions } from '../../../lib/service';
import type { Answer } from '../../support/httpService';
import { expectedLists } from '../../support/lists';
import { answering, ASSETS, clientOf, INVALID_TOKEN, start } from './client';
import { all, rejection, SECRET, startWorld, stopWorlds } from './world';

afterEach(stopWorlds);

const listError = async (answer: Answer, options: ListOptions = {}) => {
	const { client, world } = await answering(answer);
	const error = await rejection(all(client.list('asset', options)));
	return { error, world };
};

/** Matches a text that contains this one. */
const said = (text: string) => expect.stringContaining(text) as string;

describe('the error of a list', () => {
	it('names Audience if a fresh token is rejected', async () => {
		const { error, world } = await listError({ status: 401, body: { message: 'jwt audience' } });
		expect(error).toMatchObject({
			field: 'audience',
			status: 401,
			message: expect.stringMatching(/^'Audience' .*401 Unauthorized: jwt audience/) as string,
		});
		expect(world.tokensAskedFor()).toBe(2);
	});

	it.each([
		['one after the other', 1, { status: 401 }],
		['ten at a time', 10, { status: 401 }],
		['each with a 403 that calls it invalid', 10, INVALID_TOKEN],
	])('costs two tokens for 100 lists whose token is refused, %s', async (_name, atOnce, answer) => {
		const { client, world } = await answering(answer);
		const { status } = answer;
		for (let sent = 0; sent < 100; sent += atOnce) {
			const lists = Array.from({ length: atOnce }, () => all(client.list('asset', {})));
			for (const result of await Promise.allSettled(lists)) {
				expect(result).toMatchObject({ status: 'rejected', reason: { status } });
			}
		}
		expect(world.tokensAskedFor()).toBe(2);
		// The first lists ask again with the new token; the others are not sent twice with the same one.
		expect(world.service.to(ASSETS).length).toBeLessThanOrEqual(100 + atOnce);
	});

	it.each(expectedLists)('of %s speaks of the scope after a 403', async (resource, { called }) => {
		const { client } = await answering({ status: 403, body: { error: 'insufficient_scope' } });
		expect(await rejection(all(client.list(resource, { endpointId: 'we_1' })))).toMatchObject({
			status: 403,
			message: said(`is not allowed to list ${called}`),
			hint: said('scope'),
		});
	});

	it.each([SECRET, 'token-1'])('does not show %j in the target of a redirect', async (secret) => {
		const location = `https://login.example.com/${encodeURIComponent(secret)}/in?s=${secret}`;
		const { error } = await listError({ status: 302, headers: { location } });
		const { message, hint } = error as ApiError;
		expect(message).toContain('redirects to https://login.example.com/[redacted]/in (302 Found)');
		expect(message + hint).not.toContain(secret);
	});

	const BASE_URL = { field: 'baseUrl', message: said('Base URL'), hint: said('Base URL') };
	it.each<[string, Answer, Partial<Record<keyof ApiError, unknown>>]>([
		['the audience for an invalid token', INVALID_TOKEN, { field: 'audience', status: 403 }],
		['Base URL for a 404', { status: 404 }, BASE_URL],
		['Base URL for a 405', { status: 405 }, BASE_URL],
		['Base URL for a page', { body: '<html>' }, BASE_URL],
		[
			'Base URL for a redirect',
			{ status: 301, headers: { location: 'https://www.example.com' } },
			BASE_URL,
		],
		[
			'the reason, without the name of the status',
			{ status: 404, body: { message: 'no such path', error: 'Not Found' } },
			{ message: expect.stringMatching(/404 Not Found: no such path$/) as string },
		],
		[
			'a plain text',
			{ status: 400, body: 'limit\u202e is\u0007 odd\n' },
			{ message: said(': limit is odd') },
		],
		[
			'errors by field',
			{ status: 422, body: { errors: { url: ['is bad', 'is long'], events: 'is missing' } } },
			{ message: said(': url: is bad: is long; events: is missing') },
		],
		[
			'each reason once',
			{
				status: 400,
				body: { error: { message: 'one' }, error_description: 'two', errors: ['three', 'one'] },
			},
			{ message: said('responded with 400 Bad Request: two; one; three') },
		],
		[
			'nothing of a page',
			{ status: 500, body: '<html>secret page' },
			{ message: expect.stringMatching(/500 Internal Server Error$/) as string },
		],
		[
			'how long the service asks to wait',
			{ status: 429, headers: { 'retry-after': '90' } },
			{ status: 429, hint: 'Try again in 90 seconds.' },
		],
		[
			'a wait of any length',
			{ status: 429, headers: { 'retry-after': '9'.repeat(300) } },
			{ status: 429, hint: 'Try again in more than 30 days.' },
		],
		['what to do after a 429', { status: 429 }, { status: 429, hint: said('less often') }],
		[
			'what to do after a 500',
			{ status: 500, body: { errors: [{ message: 'database' }] } },
			{ status: 500, hint: said('internal fault') },
		],
		[
			'what to do after a 400',
			{ status: 400, body: { message: 'limit is odd' } },
			{ status: 400, hint: said('values of this request') },
		],
	])('names %s', async (_name, answer, expected) => {
		expect((await listError(answer)).error).toMatchObject(expected);
	});

	it('names Base URL if nothing responds there', async () => {
		const world = await startWorld();
		const { client } = clientOf(world, {
			settings: { ...world.settings, baseUrl: 'http://127.0.0.1:1' },
		});
		expect(await rejection(all(client.list('asset', {})))).toMatchObject({
			field: 'baseUrl',
			message: `Could not reach http://127.0.0.1:1${ASSETS} ('Base URL'): the connection was refused`,
		});
	});

	it.each<[string, Answer, RegExp]>([
		['JSON that is truncated', { body: '{"items":[{"id":"a"},' }, /JSON that is truncated/],
		['a list that is cut off', { body: ' [{"id":' }, /JSON that is truncated/],
		['nothing', { body: '' }, /200 OK and an empty body/],
		['white space', { body: ' \n' }, /200 OK and an empty body/],
		['an error as success', { body: { error: 'quota', message: 'used up' } }, /used up; quota/],
		[
			'an error beside an empty list',
			{ body: { data: null, errors: ['a shard is away'] } },
			/a shard is away/,
		],
	])('does not blame the address or the shape for %s', async (_name, answer, words) => {
		const { message, hint, field, status } = (await listError(answer)).error as ApiError;
		expect({ field, status }).toEqual({ field: undefined, status: 200 });
		expect(message).toMatch(words);
		expect(message + hint).not.toMatch(/Base URL|Items Path/);
	});

	it('reports the error in a success, whatever Items Path is', async () => {
		const { error } = await listError({ body: { error: 'quota' } }, { itemsPath: 'data.rows' });
		expect(error).toMatchObject({ message: said('quota') });
	});

	it('reads JSON with a byte order mark, and records next to errors', async () => {
		const body = `\ufeff${JSON.stringify({ items: [{ id: 'a' }], errors: ['b'], hasMore: false })}`;
		const { client } = await answering({ body });
		expect(await all(client.list('asset', {}))).toEqual([{ id: 'a' }]);
	});

	it.each([400, 404, 405, 410, 422])('names the cursor for a later page: %d', async (status) => {
		const { client } = await start(({ query }) =>
			query['startingAfter'] === undefined
				? { body: { items: [{ id: 'a' }], hasMore: true } }
				: { status, body: { message: 'unknown cursor' } },
		);
		const { message, hint, field } = (await rejection(all(client.list('asset', {})))) as ApiError;
		expect(field).toBeUndefined();
		expect(message).toContain('unknown cursor');
		expect(hint).toContain('Cursor Parameter');
		expect(message + hint).not.toContain('Base URL');
	});

	it('bounds and redacts a plain text', async () => {
		const body = `token-1 ${SECRET} ${'x'.repeat(10_000)}`;
		const { message } = (await listError({ status: 400, body })).error as ApiError;
		expect(message).toContain('[redacted] [redacted] xxx');
		expect(message.length).toBeLessThan(450);
	});

	it('names the endpoint when its deliveries are not found', async () => {
		const { client } = await answering({ status: 404, body: { message: 'no such endpoint' } });
		expect(await rejection(all(client.list('delivery', { endpointId: 'we_1' })))).toMatchObject({
			status: 404,
			field: undefined,
			message: said('no such endpoint'),
			hint: said('endpoint ID'),
		});
	});

	it('holds neither secret nor token where the service repeats them', async () => {
		const body = { message: `${SECRET} Bearer token-1`, data: { [SECRET]: 1, 'token-1': 2 } };
		for (const answer of [{ status: 400, body }, { body }, { status: 403, body }]) {
			const { error } = await listError(answer);
			const { message, hint } = error as { message: string; hint: string };
			expect(message).toContain('[redacted]');
			expect(message + hint).not.toContain('token-1');
			expect(message + hint).not.toContain('top-secret');
		}
	});

	it('is that of the options when they are bad, before anything is sent', async () => {
		const { client, world } = await answering({ body: [] });
		const limits = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY].map((limit) => ({ limit }));
		const reserved = ['limit', 'startingAfter'].map((name) => ({ query: { [name]: '1' } }));
		const nameless = ['', ' '].map((name) => ({ query: { [name]: '1' } }));
		for (const [all, words, hint] of [
			[limits, "'Limit' is not a whole number above 0", 'Return All'],
			[reserved, 'is reserved for paging', "from 'Query Parameters' and use"],
			[nameless, 'A query parameter has no name', 'Query Parameters'],
		] as const) {
			for (const options of all) {
				expect(() => client.list('asset', options)).toThrow(
					expect.objectContaining({
						message: said(words),
						hint: said(hint),
					}) as Error,
				);
			}
		}
		expect(() => client.list('delivery', { endpointId: '..' })).toThrow(
			"'Endpoint ID' is not an ID",
		);
		expect(world.service.requests).toEqual([]);
	});
});
