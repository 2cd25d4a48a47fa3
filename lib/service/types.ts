/** The shapes that the API client and those who use it agree on. */

/** What a person enters to reach the service; see `parseApiSettings` for the rules. */
export interface ApiSettings {
	/** Where the API lives, without a trailing slash, e.g. `https://api.example.com`. */
	baseUrl: string;
	/** Where tokens come from, without `/oauth/token` (specification section 4). */
	authUrl: string;
	/** The API audience value of the token request. */
	audience: string;
	clientId: string;
	clientSecret: string;
}

export interface TransportRequest {
	method: 'GET' | 'POST' | 'DELETE';
	url: string;
	/** By lower-case name. */
	headers: Record<string, string>;
	body?: string;
	signal?: AbortSignal;
}

export interface TransportResponse {
	status: number;
	/** By lower-case name; a repeated header is joined with `, `. */
	headers: Record<string, string>;
	body: string;
}

/** Sends one request, once. Answers with whatever status came; throws a `TransportError` when no whole answer came. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** One record as the service sent it, untouched; a list item that is not an object becomes `{ value }`. */
export type ApiRecord = Record<string, unknown>;

export interface ListOptions {
	/** Exact number of records at most, a whole number above 0; without it all are listed. */
	limit?: number;
	/** Further query parameters. `limit` and `startingAfter` belong to the paging and are refused. */
	query?: Record<string, string>;
	/** Dot path of the array in the answer, e.g. `data.results`, where the envelope is an unknown one. */
	itemsPath?: string;
	/** Records a page at most, 1 to 100; as many as the service allows when left out. */
	pageSize?: number;
	/** Only records for which this holds are listed and counted, for what the service may not filter itself. */
	matching?: (record: ApiRecord) => boolean;
}

/** One client of the service: tokens, paging, retries and errors are its business. */
export interface ApiClient {
	list(resource: 'asset' | 'event', options: ListOptions): AsyncIterable<ApiRecord>;
	listDeliveries(endpointId: string, options: ListOptions): AsyncIterable<ApiRecord>;
	resendDelivery(endpointId: string, deliveryId: string): Promise<ApiRecord>;
	createWebhookEndpoint(input: {
		url: string;
		events: readonly string[];
	}): Promise<{ id?: string; secret?: string; record: ApiRecord }>;
	/** Whether the service knows the endpoint; asked of its list of deliveries, as nothing else is specified. */
	webhookEndpointExists(endpointId: string): Promise<boolean>;
	/** Deleting an endpoint that is gone already is no error: `existed` is false then. */
	deleteWebhookEndpoint(endpointId: string): Promise<{ record: ApiRecord; existed: boolean }>;
}
