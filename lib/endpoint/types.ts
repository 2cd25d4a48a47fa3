/** What a registration works with, handed in so that it can be tested by itself. */
import type { Records } from '../ledger';
import type { ApiClient } from '../service';

/** Where one registration is kept. */
export interface RecordSlot {
	readonly key: string;
	/** Shared by every process of one n8n, and outlives its restarts. */
	readonly records: Records;
}

/** One trigger's registration and all that it works with. */
export interface RegistrationContext extends RecordSlot {
	readonly client: Pick<
		ApiClient,
		'createWebhookEndpoint' | 'deleteWebhookEndpoint' | 'webhookEndpointExists'
	>;
	readonly clientSecret: string;
	/** Writes a warning for operators; never holds a secret. */
	readonly warn: (message: string) => void;
	readonly now?: () => number;
	/** Resolves after this many milliseconds. */
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
