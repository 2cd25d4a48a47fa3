/** A fixed address on 127.0.0.1 in front of servers that change, like the address of a service that fails over. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
	readonly port: number;
	/** Breaks all connections; new ones go to this port. */
	moveTo(port: number): void;
	stop(): Promise<void>;
}

export async function startTcpProxy(port: number): Promise<TcpProxy> {
	let target = port;
	const sockets = new Set<Socket>();
	const breakAll = () => {
		for (const socket of sockets) socket.destroy();
	};
	const server = createServer((incoming) => {
		const outgoing = connect(target, '127.0.0.1');
		for (const [socket, other] of [
			[incoming, outgoing],
			[outgoing, incoming],
		] as const) {
			sockets.add(socket);
			socket.pipe(other);
			socket.on('error', () => other.destroy());
			socket.on('close', () => {
				sockets.delete(socket);
				other.destroy();
			});
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	server.unref();
	return {
		port: (server.address() as AddressInfo).port,
		moveTo(next) {
			target = next;
			breakAll();
		},
		async stop() {
			const closed = new Promise((resolve) => server.close(resolve));
			breakAll();
			await closed;
		},
	};
}
