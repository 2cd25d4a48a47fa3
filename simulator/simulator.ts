/** Starts the simulator on 127.0.0.1 and returns its handle. */
import type { AddressInfo } from 'node:net';
import { createServer } from './server';
import { Service } from './service/service';
import type { Simulator, SimulatorOptions } from './shared/types';

const HOST = '127.0.0.1';

/**
 * Resolves when the server is listening.
 * @throws {Error} if the port is in use
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
	const service = new Service(options);
	const { fastify, stats } = await createServer(service);
	await fastify.listen({ host: HOST, port: options.port ?? 0 });
	const { port } = fastify.server.address() as AddressInfo;
	const url = `http://${HOST}:${port}`;
	let stopping: Promise<void> | undefined;

	return {
		baseUrl: url,
		authUrl: url,
		audience: service.audience,
		clientId: service.client.clientId,
		clientSecret: service.client.clientSecret,
		addClient: (input = {}) => service.tokens.addClient(input),
		createEndpoint: (input) => service.endpoints.create(input),
		moveEndpoint: (id, to) => service.endpoints.move(id, to),
		deleteEndpoint: (id) => service.deleteEndpoint(id),
		get endpoints() {
			return service.endpoints.all();
		},
		get events() {
			return service.events.all();
		},
		incidents: (hours) => service.incidents(hours),
		deliveries: (endpointId) => service.deliveries.list(endpointId),
		emit: (event, emitOptions) => service.emit(event, emitOptions),
		emitAll: (events, emitOptions) => service.emitAll(events, emitOptions),
		happen: (kind, options) => service.happenings.happen(kind, options),
		deliver: (to, secret, event, tamper) => service.deliver(to, secret, event, tamper),
		setStation: (assetId, station) => {
			if (!service.commands.setStation(assetId, station)) {
				throw new RangeError(`There is no asset ${assetId}.`);
			}
		},
		faults: service.faults,
		revokeTokens: () => {
			service.tokens.revokeAll();
		},
		get stats() {
			return stats();
		},
		stop: () => (stopping ??= Promise.all([service.stop(), fastify.close()]).then(() => undefined)),
	};
}
