/** A service in another form: the client follows its lists by the settings of the credential. */
import {
	createApiClient,
	parseApiSettings,
	recordsOf,
	undiciTransport,
} from '../../../lib/service';
import { startSimulator } from '../../../simulator';
import { useForEach } from '../../support/lifetime';

const simulator = useForEach(() =>
	startSimulator({
		assets: 25,
		events: 25,
		form: {
			list: ({ items, hasMore, next }) => ({ result: { rows: items, more: hasMore, next } }),
			listedEvent: ({ id, type, createdAt, data }) => ({
				...{ meta: { uid: id, at: createdAt }, kind: type, body: data },
			}),
		},
	}),
);

const paths = {
	...{ itemsPath: 'result.rows', hasMorePath: 'result.more', nextCursorPath: 'result.next' },
	eventPaths: { id: 'meta.uid', type: 'kind', time: 'meta.at', payload: 'body' },
};

const clientWith = (serviceInterface: object) => {
	const { baseUrl, authUrl, audience, clientId, clientSecret } = simulator;
	const settings = { baseUrl, authUrl, audience, clientId, clientSecret, serviceInterface };
	return createApiClient({
		settings: parseApiSettings(settings),
		transport: undiciTransport({ env: {} }),
	});
};

it('lists its assets and events to their end, each once', async () => {
	const client = clientWith({ ...paths, pageSize: 10 });
	const assets = await Array.fromAsync(recordsOf(client.list('asset', {})));
	expect(new Set(assets.map(({ id }) => id)).size).toBe(25);
	const events = await Array.fromAsync(recordsOf(client.list('event', {})));
	expect(events).toEqual(
		simulator.events.toReversed().map((event) => expect.objectContaining(event) as unknown),
	);
});

it('cannot be read without them, which the error says', async () => {
	const list = Array.fromAsync(clientWith({}).list('event', {}));
	await expect(list).rejects.toMatchObject({
		message: expect.stringContaining("it is an object with 'result'") as string,
		hint: expect.stringContaining("'Items Path'") as string,
	});
});

it('refuses the ID of a record as a cursor, since it has its own', async () => {
	const { nextCursorPath: _, ...others } = paths;
	const list = Array.fromAsync(clientWith({ ...others, pageSize: 10 }).list('event', {}));
	await expect(list).rejects.toMatchObject({ status: 400 });
});
