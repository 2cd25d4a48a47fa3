import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { undiciTransport } from '../../../lib/service';
import type { Handler } from '../../support/httpService';
import { closeAll, get, serve, startTcp } from './servers';
import { rejection } from './world';

/** Milliseconds that only something that hangs would take: the bound under test is a shorter one. */
const HANG_MS = 600_000;

afterEach(closeAll);

describe('the pooled transport', () => {
	it('sends method, path, query, headers and body as given, and returns the complete response', async () => {
		const service = await serve(() => ({
			status: 418,
			headers: { 'x-one': 'two', 'retry-after': '3' },
			body: 'täxt',
		}));
		const answer = await undiciTransport({ env: {} })({
			method: 'POST',
			url: `${service.url}/a%2Fb?c=d%26e`,
			headers: { 'content-type': 'application/json', 'x-mine': 'yes' },
			body: '{"ü":1}',
		});
		expect(answer).toMatchObject({
			status: 418,
			headers: { 'x-one': 'two', 'retry-after': '3' },
			body: 'täxt',
		});
		expect(service.requests).toMatchObject([
			{
				method: 'POST',
				path: '/a%2Fb',
				query: { c: 'd&e' },
				headers: { 'x-mine': 'yes' },
				body: '{"ü":1}',
			},
		]);
	});

	it('joins a header that comes more than once', async () => {
		const service = await serve((_request, { response }) => {
			response.setHeader('x-one', ['a', 'b']).end();
			return undefined;
		});
		expect((await get(service.url)).headers).toMatchObject({ 'x-one': 'a, b' });
	});

	it('uses one connection for requests one after the other, whoever makes them', async () => {
		const service = await serve(() => ({ body: 'x'.repeat(100_000) }));
		for (let index = 0; index < 10; index++) await get(service.url);
		expect(service.requests).toHaveLength(10);
		expect(service.connections()).toBe(1);
	});

	it('follows no redirect', async () => {
		const service = await serve(() => ({ status: 302, headers: { location: '/elsewhere' } }));
		expect(await get(service.url)).toMatchObject({ status: 302 });
		expect(service.requests).toHaveLength(1);
	});

	it.each([
		['gzip', gzipSync],
		['deflate', deflateSync],
		['br', brotliCompressSync],
	])('reads %s', async (encoding, compress) => {
		const service = await serve(() => ({
			headers: { 'content-encoding': encoding },
			body: compress('täxt'),
		}));
		expect((await get(service.url)).body).toBe('täxt');
		expect(service.requests[0]?.headers['accept-encoding']).toContain(encoding);
	});

	it.each<[string, Handler]>([
		['with its length', () => ({ body: 'x'.repeat(2000) })],
		[
			'in pieces',
			(_request, { response }) => {
				response.writeHead(200);
				for (let piece = 0; piece < 20; piece++) response.write('x'.repeat(100));
				response.end();
				return undefined;
			},
		],
		[
			'packed small',
			() => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync('x'.repeat(100_000)) }),
		],
	])('rejects a response over the limit, %s', async (_name, handler) => {
		const service = await serve(handler);
		const error = await rejection(get(service.url, { maxBodyBytes: 1000 }));
		expect(error).toMatchObject({
			name: 'TransportError',
			code: 'RESPONSE_TOO_LARGE',
			retryable: false,
		});
	});

	it('refuses an encoding that it did not ask for, and one that is broken', async () => {
		for (const encoding of ['zstd', 'gzip']) {
			const service = await serve(() => ({ headers: { 'content-encoding': encoding }, body: 'x' }));
			expect(await rejection(get(service.url))).toMatchObject({ code: 'RESPONSE_UNREADABLE' });
		}
	});

	it('gives up if the response does not begin in time', async () => {
		const service = await serve(() => undefined);
		const timeouts = { connectMs: HANG_MS, responseMs: 50, bodyMs: HANG_MS };
		expect(await rejection(get(service.url, { timeouts }))).toMatchObject({
			message: 'the response took too long',
			retryable: true,
		});
	});

	it('gives up when the body does not end in time, although something keeps coming', async () => {
		const service = await serve((_request, { response }) => {
			response.writeHead(200);
			const timer = setInterval(() => response.write('x'), 10);
			response.on('close', () => {
				clearInterval(timer);
			});
			return undefined;
		});
		const timeouts = { connectMs: HANG_MS, responseMs: HANG_MS, bodyMs: 100 };
		expect(await rejection(get(service.url, { timeouts }))).toMatchObject({
			message: 'the response took too long to arrive completely',
			retryable: true,
		});
	});

	it.each([false, true])(
		'ends with the reason of a caller who cancels (the answer has begun: %p)',
		async (begun) => {
			const caller = new AbortController();
			const cancel = () => {
				caller.abort(new Error('cancelled by the person'));
			};
			const service = await serve((_request, { response }) => {
				if (begun) response.write('x', cancel);
				else cancel();
				return undefined;
			});
			const error = await rejection(get(service.url, {}, caller.signal));
			expect(error).toMatchObject({ message: 'cancelled by the person' });
		},
	);

	it('explains a refused connection, a broken one, and a server with another protocol', async () => {
		// Not the port of a server that was stopped: somebody else may be given it.
		expect(await rejection(get('http://127.0.0.1:1'))).toMatchObject({
			message: 'the connection was refused',
			code: 'ECONNREFUSED',
			retryable: true,
			neverSent: true,
		});
		const cutting = await serve((_request, { response }) => {
			response.destroy();
			return undefined;
		});
		expect(await rejection(get(cutting.url))).toMatchObject({
			message: 'the connection was closed',
			retryable: true,
			neverSent: false,
		});
		const port = await startTcp((socket) => socket.end('220 smtp.example.com ESMTP\r\n'));
		expect(await rejection(get(`http://127.0.0.1:${port}`))).toMatchObject({
			message: 'the server does not speak HTTP',
			retryable: false,
		});
		expect(await rejection(get(`https://127.0.0.1:${port}`))).toMatchObject({
			message: 'the server does not speak TLS on this port',
			retryable: false,
		});
	});
});
