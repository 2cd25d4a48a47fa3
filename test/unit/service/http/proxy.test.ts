import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { rejection } from '../world';
import { closeAll, closing, get, serve } from './servers';

afterEach(closeAll);

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
