import { Readable } from 'node:stream';
import { throughHelper } from '../../../../n8n/api/apiClient';
import { rejection } from '../../service/world';

const request = {
	method: 'POST',
	url: 'https://example.com/x',
	headers: { a: 'b' },
	body: '{}',
} as const;

describe('a request through a helper of n8n', () => {
	const { signal } = new AbortController();
	it.each<['httpRequest' | 'request', object]>([
		[
			'httpRequest',
			{
				...request,
				abortSignal: signal,
				encoding: 'stream',
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			},
		],
		[
			'request',
			{
				method: 'POST',
				uri: request.url,
				headers: request.headers,
				body: '{}',
				useStream: true,
				resolveWithFullResponse: true,
				simple: false,
				followRedirect: false,
			},
		],
	])('is made in the terms of %s', async (name, terms) => {
		const helper = jest.fn<Promise<object>, [object]>(async () => ({ statusCode: 204 }));
		const helpers = name === 'request' ? { request: helper } : { httpRequest: helper };
		await throughHelper(helpers)({ ...request, signal });
		expect(helper.mock.calls).toEqual([[terms]]);
	});

	it.each<[string, unknown, string]>([
		['a stream', Readable.from([Buffer.from('{"a":'), Buffer.from('1}')]), '{"a":1}'],
		['text', '{"a":1}', '{"a":1}'],
		['bytes', Buffer.from('{"a":1}'), '{"a":1}'],
		['an object', { a: 1 }, '{"a":1}'],
		['nothing', undefined, ''],
	])('has its body read from %s', async (_name, body, expected) => {
		const headers = { 'X-One': 'a', 'x-two': ['b', 'c'], 'x-three': undefined, 'x-four': 4 };
		const send = throughHelper({
			httpRequest: async () => ({ statusCode: 201, headers, body }),
		});
		expect(await send(request)).toEqual({
			status: 201,
			headers: { 'x-one': 'a', 'x-two': 'b, c', 'x-four': '4' },
			body: expected,
		});
	});

	it('counts a bare body for success', async () => {
		const send = throughHelper({ httpRequest: async () => ({ access_token: 'abc' }) });
		expect(await send(request)).toEqual({
			status: 200,
			headers: {},
			body: '{"access_token":"abc"}',
		});
	});

	it('treats a thrown refusal as the response that it is', async () => {
		const error = Object.assign(new Error('401'), {
			response: { status: 401, headers: { 'Retry-After': '1' }, data: { message: 'no' } },
		});
		const send = throughHelper({ httpRequest: () => Promise.reject(error) });
		expect(await send(request)).toEqual({
			status: 401,
			headers: { 'retry-after': '1' },
			body: '{"message":"no"}',
		});
	});

	it('passes every other error on', async () => {
		const error = new Error('socket hang up');
		expect(
			await rejection(throughHelper({ httpRequest: () => Promise.reject(error) })(request)),
		).toBe(error);
	});

	it('is cut off within its body by its signal', async () => {
		const body = new Readable({ read: () => undefined });
		const caller = new AbortController();
		const send = throughHelper({
			httpRequest: async () => ({ statusCode: 200, headers: {}, body }),
		});
		const outcome = rejection(send({ ...request, signal: caller.signal }));
		setImmediate(() => {
			caller.abort();
		});
		expect(await outcome).toMatchObject({ name: 'AbortError' });
		expect(body.destroyed).toBe(true);
	});
});
