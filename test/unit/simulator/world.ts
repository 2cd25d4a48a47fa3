/** A simulator and receivers of its deliveries, for one test each: real servers that are closed after it. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../simulator';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
	await Promise.all(closers.splice(0).map(async (close) => await close()));
});

export interface Answer {
	status: number;
	headers: Headers;
	body: Record<string, unknown>;
}

export interface Received {
	headers: IncomingHttpHeaders;
	body: string;
}

export interface Receiver {
	readonly url: string;
	readonly received: Received[];
	/** The status of every further answer; 0 never answers. */
	readonly answerWith: (status: number) => void;
}

export async function simulatorFor(options: SimulatorOptions = {}): Promise<Simulator> {
	const simulator = await startSimulator(options);
	closers.push(() => simulator.stop());
	return simulator;
}

export async function receiver(): Promise<Receiver> {
	const received: Received[] = [];
	let status = 200;
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
			if (status !== 0) response.writeHead(status).end('seen');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	closers.push(
		() =>
			new Promise((resolve) => {
				server.close(resolve);
				server.closeAllConnections();
			}),
	);
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/hook`,
		received,
		answerWith: (next) => {
			status = next;
		},
	};
}

/** Sends JSON (or a text as it is) and reads JSON; an empty body reads as `{}`. */
export async function send(
	url: string,
	options: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
	const { method = options.body === undefined ? 'GET' : 'POST', body, headers } = options;
	const response = await fetch(url, {
		method,
		...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
		headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
	});
	const text = await response.text();
	return {
		status: response.status,
		headers: response.headers,
		body: JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>,
	};
}

export function tokenRequest(simulator: Simulator) {
	const { clientId, clientSecret, audience } = simulator;
	return {
		client_id: clientId,
		client_secret: clientSecret,
		audience,
		grant_type: 'client_credentials',
	};
}

export async function accessToken(
	simulator: Simulator,
	client: { clientId: string; clientSecret: string } = simulator,
): Promise<string> {
	const { body } = await send(`${simulator.authUrl}/oauth/token`, {
		body: {
			...tokenRequest(simulator),
			client_id: client.clientId,
			client_secret: client.clientSecret,
		},
	});
	return String(body['access_token']);
}

/** Calls the API with a token of its own. */
export async function caller(simulator: Simulator) {
	const authorization = `Bearer ${await accessToken(simulator)}`;
	return async (path: string, options: { method?: string; body?: unknown } = {}): Promise<Answer> =>
		await send(`${simulator.baseUrl}${path}`, { ...options, headers: { authorization } });
}

export interface ListPage {
	hasMore: boolean;
	items: ({ id: string } & Record<string, unknown>)[];
}

export function pageOf({ body }: Answer): ListPage {
	return body['data'] as ListPage;
}
