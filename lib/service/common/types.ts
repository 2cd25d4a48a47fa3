/** The public types of the API client. */
import type { ServiceInterface } from './defaults';
import type { ListedResource } from './lists';

/** The settings that a person enters to reach the service; `parseApiSettings` has the rules. */
export interface ApiSettings {
	/** URL of the API, without a trailing slash, e.g. `https://api.example.com`. */
	baseUrl: string;
	/** URL of the token server, without `/oauth/token` (specification section 4). */
	authUrl: string;
	/** The API audience value of the token request. */
	audience: string;
	clientId: string;
	clientSecret: string;
	/** Whether the service's TLS certificates are not checked. */
	allowUnauthorizedCerts?: boolean;
	/** Settings that the specification does not define. */
	serviceInterface: ServiceInterface;
}

/** The required fields. */
type RequiredField = 'baseUrl' | 'authUrl' | 'audience' | 'clientId' | 'clientSecret';

/** A field of the credential, as errors name it. */
export type CredentialField = RequiredField | keyof ServiceInterface;

export interface TransportRequest {
	method: 'GET' | 'POST' | 'DELETE';
	url: string;
	/** By lowercase name. */
	headers: Record<string, string>;
	body?: string;
	signal?: AbortSignal;
	allowUnauthorizedCerts?: boolean;
}

export interface TransportResponse {
	status: number;
	/** By lowercase name; a repeated header is joined with `, `. */
	headers: Record<string, string>;
	body: string;
	/** Set by the retries if the service asks to wait for longer than they may. */
	waitSeconds?: number;
}

/** One API call, without settings, token or query. */
export interface ApiCall {
	method: TransportRequest['method'];
	path: string;
	query?: Readonly<Record<string, string>>;
	headers?: Readonly<Record<string, string>>;
	/** Sent as JSON. */
	body?: unknown;
	/** The purpose of the call, for the error about a missing scope, such as `list assets`. */
	purpose: string;
	/** Advice by status, where the default would blame the URL or the values of the request. */
	hints?: Readonly<Record<number, string>>;
	/** For a call that changes something: where to check if it is unknown whether the service carried it out. */
	mayBeDone?: string;
	/** Statuses other than 2xx that are not errors here. */
	accepted?: readonly number[];
}

/** Sends one request once and resolves with any status. Throws a `TransportError` if no complete response arrives. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** One record exactly as the service sent it; a list item that is not an object becomes `{ value }`. */
export type ApiRecord = Record<string, unknown>;

export interface ListOptions {
	/** For a list that belongs to one endpoint, such as its deliveries. */
	endpointId?: string;
	/** Most records to list, a whole number above 0. Default: all. */
	limit?: number;
	/** Further query parameters. The limit and the cursor are reserved for paging and are refused. */
	query?: Record<string, string>;
	/** Dot path of the array in the response, e.g. `data.results`, if the envelope is unknown. */
	itemsPath?: string;
	/** Most records per page, at least 1; never more than the page size of the credential. */
	pageSize?: number;
	/** Requests the next page while the caller uses the records of this one, for a caller that reads them all. Default false. */
	readAhead?: boolean;
	/** Fails if the list has more records than this. No limit by default. */
	mostRecords?: number;
	/** Lists and counts only records for which this is true, for filters that the service may not support. */
	matching?: (record: ApiRecord) => boolean;
	/** Unix milliseconds: lists only records of this time or later, and those without a time. See `since` for where the list ends. */
	createdAfter?: number;
	/** The ID of a record: the list starts after it. */
	startingAfter?: string;
	/** Called before each page; the list ends when it returns false. */
	mayRequest?: () => boolean;
	/** Called with the service's time (Unix milliseconds) when a page arrives whose response has a `Date` header. */
	onDate?: (date: number) => void;
}

/** The client of the service. It handles tokens, paging, retries and errors. */
export interface ApiClient {
	readonly serviceInterface: ServiceInterface;
	list(resource: ListedResource, options: ListOptions): AsyncIterable<ApiRecord>;
	resendDelivery(endpointId: string, deliveryId: string): Promise<ApiRecord>;
	createWebhookEndpoint(input: {
		url: string;
		events: readonly string[];
	}): Promise<{ id?: string; secret?: string; record: ApiRecord }>;
	/** Whether the endpoint exists at the service. */
	webhookEndpointExists(endpointId: string): Promise<boolean>;
	/** Whether the endpoint existed: deleting one that no longer exists is not an error. */
	deleteWebhookEndpoint(endpointId: string): Promise<boolean>;
}
