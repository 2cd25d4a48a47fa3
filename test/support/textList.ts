/** A service whose lists are texts, as a server or as a client that needs none. */
import { createApiClient, type ApiClient, type ListedResource } from '../../lib/service';
import { SERVICE_INTERFACE } from '../../lib/service/defaults';
import { createAccessTokens } from '../../lib/service/tokens';
import type { Transport } from '../../lib/service/transport';
import type { ListedText } from './poisons';

type ListOf = (resource: ListedResource) => readonly ListedText[];

/** A service with an envelope and cursors of its own, and its settings. */
export const OTHER_LISTS = {
	...{ itemsPath: 'result.rows', hasMorePath: 'result.more', nextCursorPath: 'result.next' },
};

/** The response to a request for a token or a page of a list. `isOther`: in the form of `OTHER_LISTS`. */
export function answerOf(listOf: ListOf, path: string, query: URLSearchParams, isOther = false) {
	if (path === '/oauth/token') {
		const body = '{"access_token":"t","token_type":"Bearer","expires_in":3600,"scope":"read"}';
		return { status: 200, body };
	}
	const after = query.get('startingAfter');
	const list = listOf(path.endsWith('/assets') ? 'asset' : 'event');
	const isAfter = ({ id = '' }: ListedText) => (isOther ? `after ${id}` : id) === after;
	const start = after === null ? 0 : list.findIndex(isAfter) + 1;
	if (after !== null && start === 0) return { status: 400, body: '{"error":"unknown cursor"}' };
	const end = start + Number(query.get('limit'));
	const items = list
		.slice(start, end)
		.map(({ text }) => text)
		.join();
	const hasMore = end < list.length;
	const next = hasMore ? `"after ${list[end - 1]?.id ?? ''}"` : 'null';
	const body = isOther
		? `{"result":{"rows":[${items}],"more":${hasMore},"next":${next}}}`
		: `{"data":{"items":[${items}],"hasMore":${hasMore}}}`;
	return { status: 200, body };
}

interface Listing {
	readonly listOf: ListOf;
	/** The service's time, in Unix milliseconds. */
	readonly now?: () => number;
	readonly warn?: Parameters<typeof createApiClient>[0]['warn'];
	/** Called with the cursor of each request for a page. */
	readonly onRequest?: (after: string | null) => void;
	readonly isOther?: boolean;
}

/** Nothing is sent. */
export function clientOfTexts({
	listOf,
	now = () => Date.now(),
	warn = () => undefined,
	onRequest = () => undefined,
	isOther = false,
}: Listing): ApiClient {
	const transport: Transport = async ({ method, url }) => {
		const { pathname, searchParams } = new URL(url);
		if (method === 'GET') onRequest(searchParams.get('startingAfter'));
		const headers = { date: new Date(now()).toUTCString() };
		return { ...answerOf(listOf, pathname, searchParams, isOther), headers };
	};
	return createApiClient({
		settings: {
			...{ baseUrl: 'https://service.test', authUrl: 'https://service.test', audience: 'a' },
			...{ clientId: 'client', clientSecret: 'secret' },
			serviceInterface: { ...SERVICE_INTERFACE, ...(isOther && OTHER_LISTS) },
		},
		...{ transport, warn, tokens: createAccessTokens() },
	});
}
