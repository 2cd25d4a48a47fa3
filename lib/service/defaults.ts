/**
 * Every value that the service's specification does not define, and the limits of the client, each with its source. The
 * lists have their own table, `lists.ts`.
 *
 * Sources: "section n" is the interface specification; "published" are the public pages of a service known to support
 * this interface; "inferred" follows only from the resource-oriented paths; "convention" is common practice of HTTP
 * services; "ours" is chosen here.
 */

/** The fields of requests and responses. */
export const FIELDS = {
	/** Published (assets): `{ data: { items, hasMore } }`. The other accepted shapes use the same names. */
	data: 'data',
	items: 'items',
	hasMore: 'hasMore',
	/** Convention: the spelling of other services. */
	has_more: 'has_more',
	/** Published: the field with the ID of an asset or a delivery. */
	id: 'id',
	/** Convention: fields of an error response with the reason. `errors` is a list of texts, or of objects with one of these. */
	error: {
		texts: ['message', 'error_description', 'error', 'detail', 'title'],
		list: 'errors',
	},
} as const;

/** Published (events and deliveries): the result of a delivery. */
export const DELIVERY = {
	/** Its field. As query parameter of the list: assumed. */
	statusField: 'status',
	/** Published (delivery and retries): hours from each failed attempt to the next one; the service gives up after the last one. */
	retryHours: [1, 4, 12, 24, 48],
} as const;

/**
 * The parts of the interface that the specification does not define: the defaults, if the credential's Service Interface is
 * empty.
 */
export const SERVICE_INTERFACE = {
	/** Records to request per page; 0 sends no limit, so that the service chooses. Published for assets: the most per page. */
	pageSize: 100,
	/** Query parameter of the page size. Section 4 for events and deliveries; published for assets. */
	limitParameter: 'limit',
	/** Query parameter of the ID of the last record of the previous page. Published for assets, assumed for events and deliveries. */
	cursorParameter: 'startingAfter',
	/**
	 * Dot paths in the response of a list: of its records, of whether there is more, and of where the next page begins. Several
	 * are separated by commas, and the first one that leads to a value counts. Empty: by its shape (published for assets, and
	 * what other services send), and after the last record. Assumed.
	 */
	itemsPath: '',
	hasMorePath: '',
	nextCursorPath: '',
	/** Such paths in an event of the list, otherwise as delivered. Published (events and deliveries), but for the asset at the top. */
	eventIdPath: 'id',
	eventTypePath: 'type, eventType',
	eventTimePath: 'createdAt',
	eventPayloadPath: 'data, payload',
	eventAssetIdPath: 'data.asset.id, payload.asset.id, data.assetId, payload.assetId',
	/** Words for the status of a delivery, separated by commas. Published (events and deliveries). */
	succeededWords: 'success',
	failedWords: 'failed',
	/** Endpoints are created here with POST, and deleted with DELETE at this path followed by their ID. Inferred. */
	endpointsPath: '/webhooks/v1/webhook-endpoints',
	/**
	 * POST without a body sends a delivery again. `{endpointId}` and `{deliveryId}` are replaced by encoded IDs. Published:
	 * delivery and retries.
	 */
	resendPath: '/webhooks/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/resend',
	/** Inferred: fields of the request that creates an endpoint. */
	endpointUrlField: 'url',
	endpointEventsField: 'events',
	/** Inferred: fields of its response, as dot paths, in `data` or next to it. */
	endpointIdField: 'id',
	/** Published (validating signatures): shown once. */
	endpointSecretField: 'secret',
	/**
	 * Words of `asset.connectivity` events for both states of a connection, separated by commas. Ours: what services call it.
	 * White space, `_` and `-` in a word do not count.
	 */
	connectedWords:
		'connected, connect, reconnected, reconnect, online, up, reachable, available, alive, open, opened, established, restored, connection open, connection opened, connection established, connection restored, back online',
	disconnectedWords:
		'disconnected, disconnect, disconnection, offline, down, unreachable, unavailable, not connected, not reachable, not available, no connection, lost, closed, close, dead, timeout, timed out, connection lost, connection closed, connection failed, connection timeout, went offline',
	/** The dot path of the word in the event's data. Inferred from the events of a service known to support this interface. */
	connectionPath: 'status',
};

export type ServiceInterface = typeof SERVICE_INTERFACE;

/** Ours: how often and for how long a safe request is retried. */
export const RETRIES = {
	/** Convention: statuses that may change a moment later. */
	statuses: new Set([408, 425, 429, 500, 502, 503, 504]) as ReadonlySet<number>,
	/** Attempts after the first one. */
	maxRetries: 4,
	/** From the start of the first attempt, in milliseconds; no attempt begins or continues after that. */
	totalMs: 60_000,
	/** Longest wait before the first retry, in milliseconds. It doubles with each further retry, minus up to half of it at random. */
	baseDelayMs: 500,
} as const;

/** Ours. */
export const LIMITS = {
	/** Bytes per response, compressed or not. */
	bodyBytes: 64 * 1024 * 1024,
	/** Values per page of a list; `RECORD_BOUNDS` has those of a record. 64 MB of real records have fewer values. */
	values: 4_000_000,
	/** For one attempt. */
	timeouts: {
		connectMs: 10_000,
		/** From the end of the request to the head of the response. */
		responseMs: 30_000,
		/** From the head of the response to the end of its body. */
		bodyMs: 60_000,
	},
	/** Connections to one server at the same time; further requests wait for one of them. */
	connections: 64,
} as const;

/** Ours, but for the path. */
export const TOKENS = {
	/** Section 4: the token route, under the auth URL. */
	path: '/oauth/token',
	/** A token is not used in the last part of its life, so that it does not expire in transit: the shorter of both. */
	marginMs: 60_000,
	marginShare: 0.1,
	/**
	 * Milliseconds without another token request, at most until the token expires, after a just renewed token is refused
	 * with a 401 too.
	 */
	refusedMs: 60_000,
	/** Access tokens kept in one process. */
	most: 500,
} as const;

/** Ours: the client's user agent. */
export const USER_AGENT = 'n8n-nodes-asset-service';
