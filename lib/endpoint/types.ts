/** The types of a registration. Its dependencies are arguments, so it can be tested by itself. */
import type { Records } from '../ledger';
import type { ApiClient } from '../service';
import { PackageError } from '../shared/errors';

/** Where a registration is kept. */
export interface RecordSlot {
	readonly key: string;
	/** Shared by all processes of an n8n instance; survives restarts. */
	readonly records: Records;
}

/** The registration of one trigger, with its dependencies. */
export interface RegistrationContext extends RecordSlot {
	readonly client: Pick<
		ApiClient,
		'createWebhookEndpoint' | 'deleteWebhookEndpoint' | 'webhookEndpointExists'
	>;
	readonly clientSecret: string;
	/** Logs a warning for operators. The message must not contain a secret. */
	readonly warn: (message: string) => void;
	readonly now?: () => number;
	/** Resolves after this many milliseconds. */
	readonly wait?: (ms: number) => Promise<unknown>;
}

/** The endpoint that should exist. */
export interface WantedEndpoint {
	readonly url: string;
	readonly events: readonly string[];
}

/** A registration that a user has to fix. */
export class RegistrationError extends PackageError {
	override readonly name = 'RegistrationError';

	constructor(message: string, hint: string, { cause }: ErrorOptions = {}) {
		super(message, { hint, cause });
	}
}
