/** What a registration needs of the outside, handed in so that it can be tested alone. */

/** Small texts by key, shared by every process of one n8n, and surviving its restarts. */
export interface RecordStore {
	readRecord(key: string): Promise<string | undefined>;
	/**
	 * Replaces `expected` by `next` in one step (undefined: no record); false when something else is there.
	 * Rejects when the store cannot be reached.
	 */
	swapRecord(key: string, expected: string | undefined, next: string | undefined): Promise<boolean>;
}

/** The endpoint operations of the service. */
export interface EndpointApi {
	/** Creates an endpoint; `keys` are the names of the fields that the service answered. */
	create(input: { readonly url: string; readonly events: readonly string[] }): Promise<{
		readonly id?: string;
		readonly secret?: string;
		readonly keys: readonly string[];
	}>;
	/** Deletes an endpoint; one that is gone already is fine. */
	delete(endpointId: string): Promise<void>;
	/** Whether the service still has the endpoint. */
	exists(endpointId: string): Promise<boolean>;
}

/** One trigger's registration and all that it works with. */
export interface RegistrationContext {
	readonly key: string;
	readonly records: RecordStore;
	readonly api: EndpointApi;
	readonly clientSecret: string;
	/** Writes a warning for operators; never holds a secret. */
	readonly warn: (message: string) => void;
	readonly now?: () => number;
	/** Waits so many milliseconds. */
	readonly wait?: (ms: number) => Promise<unknown>;
}

/** What the endpoint is to be. */
export interface WantedEndpoint {
	readonly url: string;
	readonly events: readonly string[];
}

/** Something that a person has to correct: what happened, and what to do. */
export class RegistrationError extends Error {
	constructor(
		message: string,
		readonly hint: string,
		options?: ErrorOptions,
	) {
		super(message, options);
		this.name = 'RegistrationError';
	}
}
