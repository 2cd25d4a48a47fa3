/** A service whose lists are texts, as a server or as a client that needs none. */
import { createApiClient, type ApiClient, type ListedResource } from '../../lib/service';
import { SERVICE_INTERFACE } from '../../lib/service/defaults';
import { createAccessTokens } from '../../lib/service/tokens';
import type { Transport } from '../../lib/service/transport';
import type { ListedText } from './poisons';

type ListOf = (resource: ListedResource) => readonly ListedText[];

/** The response to a request for a token or a page of a list. */
export function answerOf(listOf: ListOf, path: string, query: URLSearchParams) {
	if (path === '/oauth/token') {
		const body = '{"access_token":"t","token_type":"Bearer","expires_in":3600,"scope":"read"}';
		return { status: 200, body };
	}
	const after = query.get('startingAfter');
	const list = listOf(path.endsWith('/assets') ? 'asset' : 'event');
	const start = after === null ? 0 : list.findIndex(({ id }) => id === after) + 1;
	if (after !== null && start === 0) return { status: 400, body: '{"error":"unknown cursor"}' };
	const end = start + Number(query.get('limit'));
	const items = list.slice(start, end).map(({ text }) => text);
	const body = `{"data":{"items":[${items.join()}],"hasMore":${end < list.length}}}`;
	return { status: 200, body };
}

interface Listing {
	readonly listOf: ListOf;
	/** The service's time, in Unix milliseconds. */
	readonly now?: () => number;
	readonly warn?: Parameters<typeof createApiClient>[0]['warn'];
	/** Called with the cursor of each request for a page. */
	readonly onRequest?: (after: string | null) => void;
}

/** Nothing is sent. */
export function clientOfTexts({
	listOf,
	now = () => Date.now(),
	warn = () => undefined,
	onRequest = () => undefined,
}: Listing): ApiClient {
	const transport: Transport = async ({ method, url }) => {
		const { pathname, searchParams } = new URL(url);
		if (method === 'GET') onRequest(searchParams.get('startingAfter'));
		const headers = { date: new Date(now()).toUTCString() };
		return { ...answerOf(listOf, pathname, searchParams), headers };
	};
	return createApiClient({
		settings: {
			...{ baseUrl: 'https://service.test', authUrl: 'https://service.test', audience: 'a' },
			...{ clientId: 'client', clientSecret: 'secret', serviceInterface: SERVICE_INTERFACE },
		},
		...{ transport, warn, tokens: createAccessTokens() },
	});
}
