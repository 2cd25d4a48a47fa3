/** The types that the API client shares with its users. */
import type { ServiceInterface } from './defaults';
import type { ListedResource } from './lists';

/** What a person enters to reach the service; `parseApiSettings` has the rules. */
export interface ApiSettings {
	/** Where the API lives, without a trailing slash, e.g. `https://api.example.com`. */
	baseUrl: string;
	/** Where tokens come from, without `/oauth/token` (specification section 4). */
	authUrl: string;
	/** The API audience value of the token request. */
	audience: string;
	clientId: string;
	clientSecret: string;
	/** Whether the service's TLS certificates are not checked. */
	allowUnauthorizedCerts?: boolean;
	/** Where the specification is silent. */
	serviceInterface: ServiceInterface;
}

/** The fields that have to be filled in. */
type RequiredField = 'baseUrl' | 'authUrl' | 'audience' | 'clientId' | 'clientSecret';

/** A field of the credential, as errors name it. */
export type CredentialField = RequiredField | keyof ServiceInterface;

export interface TransportRequest {
	method: 'GET' | 'POST' | 'DELETE';
	url: string;
	/** By lower-case name. */
	headers: Record<string, string>;
	body?: string;
	signal?: AbortSignal;
	allowUnauthorizedCerts?: boolean;
}

export interface TransportResponse {
	status: number;
	/** By lower-case name; a repeated header is joined with `, `. */
	headers: Record<string, string>;
	body: string;
	/** Set by the retries when the service asks for a wait that would go beyond their bounds. */
	waitSeconds?: number;
}

/** One call of the API, without settings, token or query. */
export interface Call {
	method: TransportRequest['method'];
	path: string;
	query?: Readonly<Record<string, string>>;
	headers?: Readonly<Record<string, string>>;
	/** Sent as JSON. */
	body?: unknown;
	/** What the call is for, in the error about a missing scope, such as `list assets`. */
	purpose: string;
	/** What to do about a status, where the usual words would blame the address or the values of the request. */
	hints?: Readonly<Record<number, string>>;
	/** For a call that changes something: where to look when it is uncertain whether the service carried it out. */
	mayBeDone?: string;
	/** Statuses besides 2xx that are not an error here. */
	accepted?: readonly number[];
}

/** Sends one request, once, and resolves with whatever status came. Throws a `TransportError` when no complete response came. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** One record as the service sent it, untouched; a list item that is not an object becomes `{ value }`. */
export type ApiRecord = Record<string, unknown>;

export interface ListOptions {
	/** For the list of one endpoint, such as its deliveries. */
	endpointId?: string;
	/** Most records to list, a whole number above 0; without it all are listed. */
	limit?: number;
	/** Further query parameters. The limit and the cursor belong to the paging and are refused. */
	query?: Record<string, string>;
	/** Dot path of the array in the response, e.g. `data.results`, where the envelope is unknown. */
	itemsPath?: string;
	/** Most records of a page, at least 1; never more than the page size of the credential. */
	pageSize?: number;
	/** Asks for the next page while the records of one are used: for a caller that takes them all. Default false. */
	readAhead?: boolean;
	/** Only records for which this is true are listed and counted, for what the service may not filter itself. */
	matching?: (record: ApiRecord) => boolean;
	/** Unix milliseconds: only records of this time or later, and those without a time. See `since` for where it ends. */
	createdAfter?: number;
	/** The ID of a record: the list continues after it. */
	startingAfter?: string;
	/** Asked before each page; the list ends there when it is false. */
	mayRequest?: () => boolean;
	/** Called with the service's own time (unix milliseconds) as each page arrives, if its response has a `Date` header. */
	onDate?: (date: number) => void;
}

/** The client of the service: it sees to tokens, paging, retries and errors. */
export interface ApiClient {
	list(resource: ListedResource, options: ListOptions): AsyncIterable<ApiRecord>;
	resendDelivery(endpointId: string, deliveryId: string): Promise<ApiRecord>;
	createWebhookEndpoint(input: {
		url: string;
		events: readonly string[];
	}): Promise<{ id?: string; secret?: string; record: ApiRecord }>;
	/** Whether the service knows the endpoint. */
	webhookEndpointExists(endpointId: string): Promise<boolean>;
	/** Whether there was such an endpoint: deleting one that no longer exists is not an error. */
	deleteWebhookEndpoint(endpointId: string): Promise<boolean>;
}
