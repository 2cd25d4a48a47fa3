/** What is kept of an endpoint that the trigger registered itself: a small text record, the secrets in it sealed. */
import { openSecret, sealSecret } from './secretBox';

/** An endpoint at the service, made by the trigger. */
export interface RegisteredEndpoint {
	readonly id: string;
	/** The signing secret, encrypted with a key derived from the client secret. */
	readonly sealedSecret: string;
	/** Unix milliseconds. */
	readonly createdAt: number;
}

/** The endpoint that a rotation replaced. */
export interface ReplacedEndpoint extends RegisteredEndpoint {
	/** Deleted at the service from then on, in unix milliseconds. */
	readonly deleteAfter: number;
	/** When it was deleted; its secret is accepted a little longer, for what was on its way. */
	readonly deletedAt?: number;
}

export interface Registration {
	readonly url: string;
	readonly events: readonly string[];
	readonly current: RegisteredEndpoint;
	readonly previous?: ReplacedEndpoint;
	/** Since when a process is making the next endpoint, in unix milliseconds. */
	readonly rotatingSince?: number;
	/** Tells one process's mark from another's of the same millisecond; nobody reads it. */
	readonly rotatingBy?: string;
}

const VERSION = 1;
/** A process that has not made the next endpoint by then has died over it. */
export const ROTATING_AT_MOST_MS = 2 * 60 * 1000;

/** Whether a process is making the next endpoint. */
export function isRotating({ rotatingSince }: Registration, now: number): boolean {
	return rotatingSince !== undefined && now - rotatingSince < ROTATING_AT_MOST_MS;
}

export function serialise(registration: Registration): string {
	return JSON.stringify({ version: VERSION, ...registration });
}

/** Reads a record; undefined when it is not one of this version, which counts as not registered. */
export function parseRegistration(text: string): Registration | undefined {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return undefined;
	}
	if (!isRecord(value) || value['version'] !== VERSION) return undefined;
	const { url, events, current, previous, rotatingSince } = value;
	if (typeof url !== 'string' || !Array.isArray(events) || !isEndpoint(current)) return undefined;
	return {
		url,
		events: events.filter((event) => typeof event === 'string'),
		current,
		...(isReplaced(previous) && { previous }),
		...(typeof rotatingSince === 'number' && { rotatingSince }),
	};
}

/** Makes the record of an endpoint, its secret sealed and bound to its id. */
export function sealEndpoint(
	{ id, secret }: { readonly id: string; readonly secret: string },
	clientSecret: string,
	createdAt: number,
): RegisteredEndpoint {
	return { id, sealedSecret: sealSecret(secret, clientSecret, id), createdAt };
}

/** The secrets in plain text, for the verifier; undefined when the client secret is not the one they were sealed with. */
export function openRegistration(
	{ current, previous }: Registration,
	clientSecret: string,
): { readonly signingSecret: string; readonly previousSigningSecret?: string } | undefined {
	const signingSecret = openSecret(current.sealedSecret, clientSecret, current.id);
	if (signingSecret === undefined) return undefined;
	const previousSigningSecret =
		previous === undefined
			? undefined
			: openSecret(previous.sealedSecret, clientSecret, previous.id);
	return { signingSecret, ...(previousSigningSecret !== undefined && { previousSigningSecret }) };
}

function isEndpoint(value: unknown): value is RegisteredEndpoint {
	return (
		isRecord(value) &&
		typeof value['id'] === 'string' &&
		typeof value['sealedSecret'] === 'string' &&
		typeof value['createdAt'] === 'number'
	);
}

function isReplaced(value: unknown): value is ReplacedEndpoint {
	return isEndpoint(value) && typeof (value as Partial<ReplacedEndpoint>).deleteAfter === 'number';
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
