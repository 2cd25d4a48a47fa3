/** A simulator and receivers of its deliveries, for one test each: real servers that are closed after it. */
import { startSimulator, type EndpointInput, type SimulatorOptions } from '../../../simulator';
import { startHttpService } from '../../support/httpService';

export const ASSETS = '/asset-management/v1/assets';
export const EVENTS = '/webhooks/v1/webhook-events';
export const ENDPOINTS = '/webhooks/v1/webhook-endpoints';
export const FAR_URL = 'https://receiver.example/hook';
export const START = Date.parse('2026-01-01T00:00:00Z');

const running: { stop: () => Promise<void> }[] = [];

afterEach(async () => {
	jest.restoreAllMocks();
	await Promise.all(running.splice(0).map((each) => each.stop()));
});

export type Sent = { method?: string; body?: unknown; headers?: Record<string, string> };

/** Sends JSON (or a text as it is) and reads JSON; an empty body reads as `{}`. */
export async function send(url: string, { body, headers, ...request }: Sent = {}) {
	const response = await fetch(url, {
		method: body === undefined ? 'GET' : 'POST',
		body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
		headers: { 'content-type': 'application/json', ...headers },
		...request,
	});
	const read = JSON.parse((await response.text()) || '{}') as Record<string, unknown>;
	return { status: response.status, headers: response.headers, body: read };
}

/** Responds with these statuses, repeating the last one; 0 never responds. */
export async function receiver(...statuses: number[]) {
	const service = await startHttpService(() => {
		const status = statuses.length > 1 ? statuses.shift() : statuses[0];
		return status === 0 ? undefined : { status: status ?? 200, body: 'seen' };
	});
	running.push(service);
	return { url: `${service.url}/hook`, received: service.requests };
}

export async function setUp(options: SimulatorOptions = {}) {
	const simulator = await startSimulator(options);
	running.push(simulator);
	const { clientId, clientSecret, audience } = simulator;
	/** Asks for a token, with some fields or the whole request changed. */
	const askToken = async (fields: object = {}, request: Sent = {}) => {
		const client = { client_id: clientId, client_secret: clientSecret };
		const body = { ...client, audience, grant_type: 'client_credentials', ...fields };
		return await send(`${simulator.authUrl}/oauth/token`, { body, ...request });
	};
	/** The headers of a request with a new token. */
	const authorize = async (client = { clientId, clientSecret }) => {
		const fields = { client_id: client.clientId, client_secret: client.clientSecret };
		return { authorization: `Bearer ${String((await askToken(fields)).body['access_token'])}` };
	};
	let own: ReturnType<typeof authorize> | undefined;
	/** Calls the API, with one token for all calls unless headers are given. */
	const call = async (path: string, request: Sent = {}) =>
		await send(simulator.baseUrl + path, { headers: await (own ??= authorize()), ...request });
	const list = async (path: string) =>
		(await call(path)).body['data'] as { hasMore: boolean; items: { id: string }[] };
	/** The items of each page, up to the page that says there are no more. */
	const pages = async (path: string, after = ''): Promise<{ id: string }[][]> => {
		const { hasMore, items } = await list(path + after);
		if (!hasMore) return [items];
		return [items, ...(await pages(path, `&startingAfter=${String(items.at(-1)?.id)}`))];
	};
	/** An endpoint with a receiver that responds with these statuses. */
	const subscribe = async (input: Partial<EndpointInput> = {}, ...statuses: number[]) => {
		const to = await receiver(...statuses);
		return { ...to, ...simulator.createEndpoint({ url: to.url, ...input }) };
	};
	return { simulator, askToken, authorize, call, list, pages, subscribe };
}
