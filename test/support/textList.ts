/** A client of a service whose lists are texts. */
import { createApiClient, type ApiClient, type ListedResource } from '../../lib/service';
import { SERVICE_INTERFACE } from '../../lib/service/defaults';
import { createAccessTokens } from '../../lib/service/tokens';
import type { Transport } from '../../lib/service/transport';
import type { ListedText } from './poisons';

interface Listing {
	readonly listOf: (resource: ListedResource) => readonly ListedText[];
	/** The service's time, in Unix milliseconds. */
	readonly now?: () => number;
	readonly warn?: Parameters<typeof createApiClient>[0]['warn'];
	/** Called with the cursor of each request for a page. */
	readonly onRequest?: (after: string | null) => void;
}

/** A client of a service that lists these texts, newest first or in any other order. */
export function clientOfTexts({
	listOf,
	now = () => Date.now(),
	warn = () => undefined,
	onRequest = () => undefined,
}: Listing): ApiClient {
	const transport: Transport = async ({ url }) => {
		const { pathname, searchParams } = new URL(url);
		const answer = (body: string, status = 200) => ({
			...{ status, body, headers: { date: new Date(now()).toUTCString() } },
		});
		if (pathname === '/oauth/token') {
			return answer('{"access_token":"t","token_type":"Bearer","expires_in":3600,"scope":"read"}');
		}
		const after = searchParams.get('startingAfter');
		onRequest(after);
		const list = listOf(pathname.endsWith('/assets') ? 'asset' : 'event');
		const start = after === null ? 0 : list.findIndex(({ id }) => id === after) + 1;
		if (after !== null && start === 0) return answer('{"error":"unknown cursor"}', 400);
		const end = start + Number(searchParams.get('limit'));
		const items = list.slice(start, end).map(({ text }) => text);
		return answer(`{"data":{"items":[${items.join()}],"hasMore":${end < list.length}}}`);
	};
	return createApiClient({
		settings: {
			...{ baseUrl: 'https://service.test', authUrl: 'https://service.test', audience: 'a' },
			...{ clientId: 'client', clientSecret: 'secret', serviceInterface: SERVICE_INTERFACE },
		},
		...{ transport, warn, tokens: createAccessTokens() },
	});
}
