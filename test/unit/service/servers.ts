/** Servers for the tests of the pooled transport, and requests through it. */
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { undiciTransport } from '../../../lib/service';
import { startHttpService, type Handler, type HttpService } from '../../support/httpService';

/** What is open, by how it is closed. */
export const closing: (() => Promise<unknown>)[] = [];
/** Closes all that is open; for `afterEach`. */
export async function closeAll(): Promise<void> {
	await Promise.all(closing.splice(0).map((close) => close()));
}

export async function serve(handler: Handler): Promise<HttpService> {
	const service = await startHttpService(handler);
	closing.push(() => service.stop());
	return service;
}

/** Gets this address through the transport under test. */
export const get = (
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

/** A server that does not speak HTTP; returns its port. */
export async function startTcp(talk: (socket: Socket) => void): Promise<number> {
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
