import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { proxyFor } from '../../../lib/service/network';
import { closeAll, closing, get, serve, startTcp } from './servers';
import { rejection } from './world';

afterEach(closeAll);

describe('the proxy of the environment', () => {
	/** A proxy that tunnels and forwards, and records the targets and headers. */
	async function startProxy(status = 200) {
		const tunnels: string[] = [];
		const forwarded: { url: string; headers: IncomingHttpHeaders }[] = [];
		const sockets = new Set<Socket>();
		const proxy = createServer(({ url = '', method, headers }, response) => {
			forwarded.push({ url, headers });
			if (status !== 200) {
				response.writeHead(status).end();
				return;
			}
			const onward = request(url, { method, headers }, (answer) => {
				response.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.pipe(response);
			});
			onward.end();
		});
		proxy.on('connection', (socket) => sockets.add(socket));
		proxy.on('connect', ({ url = '' }, socket: Socket) => {
			tunnels.push(url);
			if (status !== 200) {
				socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
				return;
			}
			const { hostname, port } = new URL(`http://${url}`);
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
		return { tunnels, forwarded, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
	}

	it('is handed a plain http request', async () => {
		const proxy = await startProxy();
		const service = await serve(() => ({ body: 'ok' }));
		const env = { HTTP_PROXY: proxy.url };
		expect(await get(`${service.url}/a?b=c`, { env })).toMatchObject({ body: 'ok' });
		expect(proxy.forwarded.map(({ url }) => url)).toEqual([`${service.url}/a?b=c`]);
		expect(proxy.tunnels).toEqual([]);
		expect(service.requests[0]?.headers.host).toBe(`127.0.0.1:${service.port}`);
	});

	it('gets its user and password with each forwarded request', async () => {
		const proxy = await startProxy();
		const service = await serve(() => ({ body: 'ok' }));
		const env = { HTTP_PROXY: proxy.url.replace('//', '//a%40b:c%3Ad@') };
		await get(service.url, { env });
		const sent = proxy.forwarded[0]?.headers['proxy-authorization'];
		expect(sent).toBe(`Basic ${Buffer.from('a@b:c:d').toString('base64')}`);
	});

	it('is at fault where it refuses a forwarded request for want of a password', async () => {
		const proxy = await startProxy(407);
		const error = await rejection(get('http://127.0.0.1:9/', { env: { HTTP_PROXY: proxy.url } }));
		expect(error).toMatchObject({
			message: 'the proxy rejected the request with status 407',
			retryable: false,
			neverSent: true,
		});
	});

	it('is named where it is not there', async () => {
		const port = await startTcp((socket) => socket.destroy());
		await closeAll();
		const env = { ALL_PROXY: `http://127.0.0.1:${port}` };
		for (const url of ['http://10.1.2.3/', 'https://api.example.com/']) {
			expect(await rejection(get(url, { env }))).toMatchObject({
				message: `the proxy 127.0.0.1:${port} failed: the connection was refused`,
			});
		}
	});

	it('tunnels https', async () => {
		const proxy = await startProxy(403);
		const env = { HTTPS_PROXY: proxy.url };
		expect(await rejection(get('https://api.example.com', { env }))).toMatchObject({
			message: 'the proxy rejected the request with status 403',
			retryable: false,
		});
		expect(proxy.tunnels).toEqual(['api.example.com:443']);
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

describe('which proxy a request goes through, as in n8n,', () => {
	const P = 'http://p:1/';
	const Q = 'http://q:2/';
	it.each([
		['https://a.example', {}, undefined],
		['https://a.example', { HTTP_PROXY: P }, undefined],
		['http://a.example', { HTTPS_PROXY: P }, undefined],
		['https://a.example', { HTTPS_PROXY: P, ALL_PROXY: Q }, P],
		['http://a.example', { HTTPS_PROXY: P, ALL_PROXY: Q }, Q],
		['https://a.example', { https_proxy: P, HTTPS_PROXY: Q }, P],
		['https://a.example', { https_proxy: '', HTTPS_PROXY: Q }, Q],
		['http://a.example', { http_proxy: P, ALL_PROXY: Q }, P],
		['http://a.example', { HTTP_PROXY: P, all_proxy: Q }, P],
		['http://a.example', { all_proxy: P }, P],
		['https://a.example', { npm_config_proxy: P, ALL_PROXY: Q }, P],
		['https://a.example', { npm_config_https_proxy: P, HTTPS_PROXY: Q }, P],
		['https://a.example', { HTTPS_PROXY: 'p:1' }, 'https://p:1/'],
		['http://a.example', { ALL_PROXY: 'p:1' }, 'http://p:1/'],
		['https://a.example', { ALL_PROXY: P, NO_PROXY: '*' }, undefined],
		['https://a.example', { ALL_PROXY: P, NO_PROXY: 'A.example' }, undefined],
		['https://a.example', { ALL_PROXY: P, NO_PROXY: 'b.example c.example,a.example' }, undefined],
		['https://a.example', { ALL_PROXY: P, no_proxy: 'b.example', NO_PROXY: 'a.example' }, P],
		['https://s.a.example', { ALL_PROXY: P, NO_PROXY: 'a.example' }, P],
		['https://s.a.example', { ALL_PROXY: P, NO_PROXY: '.a.example' }, undefined],
		['https://s.a.example', { ALL_PROXY: P, NO_PROXY: '*.a.example' }, undefined],
		['https://sa.example', { ALL_PROXY: P, NO_PROXY: '*a.example' }, undefined],
		['https://a.example', { ALL_PROXY: P, NO_PROXY: 'a.example:443' }, undefined],
		['https://a.example', { ALL_PROXY: P, NO_PROXY: 'a.example:8443' }, P],
		['https://a.example:8443', { ALL_PROXY: P, NO_PROXY: 'a.example:8443' }, undefined],
		['http://[::1]:9', { ALL_PROXY: P, NO_PROXY: '[::1]' }, undefined],
		['http://127.0.0.1', { ALL_PROXY: P }, P],
	])('%s with %j: %s', (url, env, proxy) => {
		expect(proxyFor(new URL(url), env)?.url.href).toBe(proxy);
	});
});
