/** What the simulator offers to tests, to the demo and to people: its options, its records and its handle. */

/** What an API client may do. Of the service's own names only `write:ocpp` is known; the simulator checks these. */
export const SCOPES = ['assets:read', 'webhooks:read', 'webhooks:write', 'write:ocpp'] as const;
export type Scope = (typeof SCOPES)[number];

/** What the events are like, and how they are delivered. */
export const PROFILES = ['documented', 'field'] as const;
export type Profile = (typeof PROFILES)[number];

export interface SimulatorOptions {
	/** Port on 127.0.0.1; 0 (the default) takes a free one. */
	port?: number | undefined;
	/** How many assets there are, the same ones at every start; 230 unless told. */
	assets?: number | undefined;
	/**
	 * What the events are like: `documented` (the default), calls in both directions with their answers, as the service's
	 * documentation shows them; `field`, what an operator's stations send: calls of the stations alone, most of them
	 * heartbeats, whole sessions, faults, lost connections and boot loops. `field` needs at least one asset.
	 */
	profile?: Profile | undefined;
	/**
	 * How many events the list holds at the start, never delivered, at most 8,000; 0 unless told. They are 5 minutes
	 * apart, or in the field profile as far apart as the stations send them, within 27 days.
	 */
	events?: number | undefined;
	/** Life of an access token in seconds; 3600 unless told. */
	tokenLifetimeSeconds?: number | undefined;
	/** Multiplies the waits of 1, 4, 12, 24 and 48 hours between attempts, e.g. 1/36000 for 0.1 s to 4.8 s; 1 unless told. */
	retryTimeScale?: number | undefined;
	/** Accepts plain http endpoints on this machine (the default); false asks for https everywhere, as production does. */
	allowHttpEndpoints?: boolean | undefined;
	/** How long a receiver may take to answer, in milliseconds; 30,000 (specification section 8) unless told. */
	attemptTimeoutMs?: number | undefined;
	/** Days without a success, multiplied by `retryTimeScale`, after which an endpoint gets no deliveries; never unless told. */
	disableEndpointAfterDays?: number | undefined;
	/** Order of the lists of events and deliveries; newest first unless told, since the specification does not say. */
	listOrder?: 'newestFirst' | 'oldestFirst' | undefined;
	/** How long a command with `async: false` waits for the station, in milliseconds; 30,000 unless told. */
	commandTimeoutMs?: number | undefined;
	audience?: string | undefined;
	/** Made up at each start unless given. */
	clientId?: string | undefined;
	/** Made up at each start unless given. */
	clientSecret?: string | undefined;
	/** Scopes of the client; all of them unless told. */
	scopes?: readonly Scope[] | undefined;
	/** Milliseconds since 1970, for expiry, retention and timestamps (not for the retry timers); Date.now unless told. */
	now?: (() => number) | undefined;
}

/** An event in the shape of the body that is delivered. */
export interface DeliveredEvent {
	id: string;
	type: string;
	/** ISO 8601. */
	createdAt: string;
	data: Record<string, unknown>;
}

export interface EventInput {
	/** `ocpp.message` unless told; in the field profile, without `data`, whatever is sent next. */
	type?: string | undefined;
	/** A realistic payload of that type unless told. */
	data?: Record<string, unknown> | undefined;
	/** Made up unless told. The id of a recorded event sends that event again as it was recorded. */
	id?: string | undefined;
	/** ISO 8601, for an event that is sent later than it was made; now unless told. Lists show it in its place. */
	createdAt?: string | undefined;
}

export interface EmitAllOptions {
	/** Decides the order, the copies and what comes between: the same again for the same seed. 1 unless told. */
	seed?: number | undefined;
}

/** An event that was recorded and, unless told otherwise, sent. */
export interface Emitted {
	event: DeliveredEvent;
	/** What the endpoints answered to the first attempts. */
	responses: DeliveryResponse[];
}

export interface EmitOptions {
	/** False records the event in the list and sends nothing, as if every delivery had been missed. */
	deliver?: boolean | undefined;
	/** How many deliveries each endpoint gets, all at the same time; 1 unless told. */
	copies?: number | undefined;
}

/** What a receiver answered to one attempt. */
export interface DeliveryResult {
	/** HTTP status, 0 when no answer came. */
	status: number;
	/** Headers of the answer by lower-case name. */
	headers: Record<string, string>;
	/** At most the first 64 KiB of the answer. */
	body: string;
	/** Why no whole answer came: an error code such as `ECONNREFUSED`, or `timeout`. */
	error?: string;
}

/** What a receiver answered to the first attempt of a recorded delivery. */
export interface DeliveryResponse extends DeliveryResult {
	deliveryId: string;
	endpointId: string;
}

/** What is wrong with a delivery: see `signedDelivery` for each. */
export type Tamper = 'none' | 'forged' | 'altered' | 'stale' | 'future' | 'truncated' | 'unsigned';

export interface EndpointInput {
	url: string;
	/** Exact event types; every event unless told. */
	events?: readonly string[] | undefined;
	/** Made up unless given. */
	secret?: string | undefined;
}

export interface Endpoint {
	readonly id: string;
	readonly url: string;
	/** `['*']` is every event. */
	readonly events: string[];
	readonly secret: string;
	/** Without a success for too long: it gets no deliveries any more. See `disableEndpointAfterDays`. */
	readonly disabled: boolean;
}

export interface DeliveryAttempt {
	status: 'success' | 'failed';
	/** Null when no answer came. */
	statusCode: number | null;
	/** ISO 8601. */
	timestamp: string;
}

/** A delivery as the service lists it. */
export interface DeliveryRecord {
	id: string;
	eventId: string;
	eventType: string;
	payload: Record<string, unknown>;
	status: 'success' | 'failed';
	attempts: DeliveryAttempt[];
	createdAt: string;
}

/** How a station responds to commands. */
export const COMMAND_RESPONSES = ['accepted', 'rejected', 'error', 'none', 'offline'] as const;

export interface StationInput {
	/**
	 * `accepted` (as every station does unless told), `rejected`, `error` (a CALL_ERROR), `none` (it gets the command and
	 * never responds), or `offline` (no command reaches it).
	 */
	commands: (typeof COMMAND_RESPONSES)[number];
	/** Milliseconds until it responds; 0 unless told. */
	afterMs?: number | undefined;
}

/** A command as the service was asked for it. */
export interface CommandStat {
	/** Its OCPP message ID. */
	requestId: string;
	assetId: string;
	action: string;
	/** How many requests had this ID. */
	requests: number;
	/** How often the station got it: 0 while it has been offline at each request, otherwise 1. */
	executed: number;
}

/** What goes wrong with requests of a method and path; several wishes in one fault are combined. */
export interface Fault {
	/** Any method unless told. */
	method?: string | undefined;
	/** The whole path without the query, or an expression that is tried on it. */
	path: string | RegExp;
	/** Hits only requests with this query parameter, such as `startingAfter`, which later pages have; any request unless told. */
	queryParameter?: string | undefined;
	/** Answers with this status; 429 when only `retryAfter` is told, 200 when only `body` is. */
	status?: number | undefined;
	/** A number is seconds; a text, such as an HTTP date, goes out as it is. */
	retryAfter?: string | number | undefined;
	/** Answers this many milliseconds later. */
	delayMs?: number | undefined;
	/** Resets the connection, before the answer or (`midBody`) after its head and a part of its body. */
	reset?: boolean | 'midBody' | undefined;
	/** Body of the answer, sent as application/json: a text goes out as it is, so that it can be malformed. */
	body?: unknown;
	/** Answers the first page whatever `startingAfter` says. */
	ignoreCursor?: boolean | undefined;
	/** Answers a list as if it were asked for without filters. */
	ignoreFilters?: boolean | undefined;
	/** Takes these fields out of the `data` of the real answer, after the real work was done. */
	omitFields?: readonly string[] | undefined;
	/** Revokes the bearer token of the request before it is looked at. */
	revokeToken?: boolean | undefined;
	/** How many requests it hits; all of them until `clear()` unless told. */
	times?: number | undefined;
}

export interface Faults {
	/** A request is hit by the first fault that matches and has times left. */
	add(fault: Fault): void;
	clear(): void;
}

export interface RequestStat {
	method: string;
	/** Without the query. */
	path: string;
	query: Record<string, string>;
	/** 0 while there is no answer, and when the connection was reset. */
	status: number;
}

/** Counts since the start. Requests to `/_simulator/` are in none of them. */
export interface SimulatorStats {
	tokenRequests: number;
	/** Connections that carried at least one request. */
	connections: number;
	/** The latest 100,000, in the order of arrival. */
	requests: RequestStat[];
	/** Attempts of recorded deliveries, resends included, and how many retries wait for their time. */
	deliveries: { attempts: number; succeeded: number; failed: number; pendingRetries: number };
	endpoints: { created: number; deleted: number; mostAtOnce: number };
	/** In the order in which they were first requested. */
	commands: CommandStat[];
}

export interface ClientInput {
	/** Made up unless given; a known id replaces that client, tokens it has stay valid. */
	clientId?: string | undefined;
	clientSecret?: string | undefined;
	scopes?: readonly Scope[] | undefined;
	tokenLifetimeSeconds?: number | undefined;
}

export interface Simulator {
	/** `http://127.0.0.1:<port>`. */
	readonly baseUrl: string;
	/** Without `/oauth/token`. */
	readonly authUrl: string;
	readonly audience: string;
	readonly clientId: string;
	readonly clientSecret: string;
	/** A further API client of the same network. */
	addClient(input?: ClientInput): { clientId: string; clientSecret: string };
	/** @throws {Error} when the URL is not one the service delivers to */
	createEndpoint(input: EndpointInput): Endpoint;
	/** Gives an endpoint another address, for a receiver whose address is known later than the secret. */
	moveEndpoint(id: string, url: string): boolean;
	deleteEndpoint(id: string): boolean;
	readonly endpoints: readonly Endpoint[];
	/** Retained events, oldest first. */
	readonly events: readonly DeliveredEvent[];
	/** Retained deliveries of an endpoint, oldest first. */
	deliveries(endpointId: string): readonly DeliveryRecord[];
	/** Records an event and sends it, signed, to every endpoint subscribed to its type. Resolves when the first attempts are answered. */
	emit(event?: EventInput, options?: EmitOptions): Promise<Emitted>;
	/**
	 * Records some events of one story and sends them as the profile does, each when the one before is answered.
	 * `documented`: each once, in order. `field`: out of order, at least one of them twice, and between them routine
	 * messages of other assets (heartbeats, stations that are available), which are recorded, too.
	 * Their `createdAt` tells the order: it is never changed, and unless told a second apart, the last one now.
	 * Answers the given events in the given order, and all that was sent.
	 */
	emitAll(
		events: readonly EventInput[],
		options?: EmitAllOptions,
	): Promise<{ events: DeliveredEvent[]; sent: Emitted[] }>;
	/** Sends one delivery to any URL, recorded nowhere and never retried. */
	deliver(
		url: string,
		secret: string,
		event: DeliveredEvent,
		tamper?: Tamper,
	): Promise<DeliveryResult>;
	/**
	 * Decides how a station responds to commands from now on.
	 * @throws {RangeError} when there is no such asset
	 */
	setStation(assetId: string, station: StationInput): void;
	readonly faults: Faults;
	/** Makes every access token invalid. */
	revokeTokens(): void;
	readonly stats: SimulatorStats;
	/** Closes the server and every connection, drops pending retries and attempts. */
	stop(): Promise<void>;
}
