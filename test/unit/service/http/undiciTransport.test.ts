import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { undiciTransport } from '../../../../lib/service';
import { startHttpService, type Handler, type HttpService } from '../../../support/httpService';
import { rejection } from '../world';

/** Milliseconds that only something that hangs would take: the bound under test is a shorter one. */
const HANG_MS = 600_000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	await Promise.all(closing.splice(0).map((close) => close()));
});

async function serve(handler: Handler): Promise<HttpService> {
	const service = await startHttpService(handler);
	closing.push(() => service.stop());
	return service;
}

const get = (
	url: string,
	options: Parameters<typeof undiciTransport>[0] = {},
	signal?: AbortSignal,
) =>
	undiciTransport({ env: {}, ...options })({
		method: 'GET',
		url,
		headers: {},
		...(signal && { signal }),
	});

/** A server that speaks no HTTP; answers with its port. */
async function startTcp(talk: (socket: Socket) => void): Promise<number> {
	const sockets = new Set<Socket>();
	const server = createTcpServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => undefined);
		talk(socket);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	closing.push(() => {
		for (const socket of sockets) socket.destroy();
		return new Promise((resolve) => server.close(resolve));
	});
	return (server.address() as AddressInfo).port;
}

describe('the pooled transport', () => {
	it('sends method, path, query, headers and body as given, and answers with all of the answer', async () => {
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
		['with its length told', () => ({ body: 'x'.repeat(2000) })],
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
	])('refuses an answer over the bound, %s', async (_name, handler) => {
		const service = await serve(handler);
		const error = await rejection(get(service.url, { maxBodyBytes: 1000 }));
		expect(error).toMatchObject({
			name: 'TransportError',
			code: 'ANSWER_TOO_LARGE',
			retryable: false,
		});
	});

	it('refuses an encoding that it did not ask for, and one that is broken', async () => {
		for (const encoding of ['zstd', 'gzip']) {
			const service = await serve(() => ({ headers: { 'content-encoding': encoding }, body: 'x' }));
			expect(await rejection(get(service.url))).toMatchObject({ code: 'ANSWER_UNREADABLE' });
		}
	});

	it('gives up when the answer does not begin in time', async () => {
		const service = await serve(() => undefined);
		const timeouts = { connectMs: HANG_MS, answerMs: 50, bodyMs: HANG_MS };
		expect(await rejection(get(service.url, { timeouts }))).toMatchObject({
			message: 'the answer took too long',
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
		const timeouts = { connectMs: HANG_MS, answerMs: HANG_MS, bodyMs: 100 };
		expect(await rejection(get(service.url, { timeouts }))).toMatchObject({
			message: 'the answer took too long to arrive in full',
			retryable: true,
		});
	});

	it('gives up when the connection is not made in time', async () => {
		// A TLS server that never shakes hands: the connection is not made before it has.
		const port = await startTcp(() => undefined);
		const timeouts = { connectMs: 100, answerMs: HANG_MS, bodyMs: HANG_MS };
		expect(await rejection(get(`https://127.0.0.1:${port}`, { timeouts }))).toMatchObject({
			message: 'the connection took too long',
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

	it('explains a refused connection, a cut one, and a server that speaks something else', async () => {
		// Not the port of a server that was stopped: somebody else may be given it.
		expect(await rejection(get('http://127.0.0.1:1'))).toMatchObject({
			message: 'the connection was refused',
			code: 'ECONNREFUSED',
			retryable: true,
		});
		const cutting = await serve((_request, { response }) => {
			response.destroy();
			return undefined;
		});
		expect(await rejection(get(cutting.url))).toMatchObject({
			message: 'the connection was cut',
			retryable: true,
		});
		const port = await startTcp((socket) => socket.end('220 smtp.example.com ESMTP\r\n'));
		expect(await rejection(get(`http://127.0.0.1:${port}`))).toMatchObject({
			message: 'it does not speak HTTP',
			retryable: false,
		});
		expect(await rejection(get(`https://127.0.0.1:${port}`))).toMatchObject({
			message: 'it does not speak TLS there',
			retryable: false,
		});
	});
});

describe('the proxy of the environment', () => {
	/** A proxy that tunnels, and remembers where to. */
	async function startProxy(status = 200) {
		const tunnels: string[] = [];
		const sockets = new Set<Socket>();
		const proxy = createServer();
		proxy.on('connection', (socket) => sockets.add(socket));
		proxy.on('connect', (request, socket: Socket) => {
			tunnels.push(request.url ?? '');
			if (status !== 200) {
				socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
				return;
			}
			const { hostname, port } = new URL(`http://${request.url ?? ''}`);
			const onward = connect(Number(port), hostname, () => {
				socket.write('HTTP/1.1 200 OK\r\n\r\n');
				onward.pipe(socket);
				socket.pipe(onward);
			});
			sockets.add(onward);
		});
		await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
		closing.push(() => {
			for (const socket of sockets) socket.destroy();
			return new Promise((resolve) => proxy.close(resolve));
		});
		return { tunnels, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
	}

	it.each(['HTTP_PROXY', 'http_proxy'])('is used where %s names one', async (name) => {
		const proxy = await startProxy();
		const service = await serve(() => ({ body: 'ok' }));
		expect(await get(service.url, { env: { [name]: proxy.url } })).toMatchObject({ body: 'ok' });
		expect(proxy.tunnels).toEqual([`127.0.0.1:${service.port}`]);
	});

	it('is used for https where HTTPS_PROXY names one', async () => {
		const proxy = await startProxy(403);
		const env = { HTTPS_PROXY: proxy.url };
		expect(await rejection(get('https://api.example.com', { env }))).toMatchObject({
			message: 'the proxy refused with status 403',
			retryable: false,
		});
		expect(proxy.tunnels).toEqual(['api.example.com:443']);
	});

	it('is left aside for hosts that NO_PROXY names', async () => {
		const proxy = await startProxy();
		const service = await serve(() => ({ body: 'ok' }));
		const env = { HTTP_PROXY: proxy.url, NO_PROXY: 'example.com,127.0.0.1' };
		expect(await get(service.url, { env })).toMatchObject({ body: 'ok' });
		expect(proxy.tunnels).toEqual([]);
	});

	it('that is no address is named without its password', async () => {
		const env = { HTTP_PROXY: 'http://user:hunter2@:bad' };
		const error = await rejection(get('http://127.0.0.1:9', { env }));
		expect(error).toMatchObject({
			code: 'PROXY_INVALID',
			hint: expect.stringContaining('HTTP_PROXY') as string,
		});
		expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
	});
});
