/**
 * What is kept of an endpoint that the trigger registered itself: a small text record, the secrets in it sealed.
 *
 * Its life: none → unfinished (marked by the process that makes the endpoint) → registered → marked again while the
 * next endpoint is made → with a previous one → previous one deleted → registered → … → unregistered. An endpoint is
 * made by the process whose mark is in the record, and by no other (`mark.ts`).
 */
import { isRecord } from '../shared/values';
import type { RegistrationContext } from './types';

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
	/** Undefined until the first endpoint is made and its secret kept. */
	readonly current?: RegisteredEndpoint;
	readonly previous?: ReplacedEndpoint;
	/** Ids of endpoints that are of no use any more, to be deleted before the next one is made. */
	readonly outdated?: readonly string[];
	/** The mark of the process that is making an endpoint. */
	readonly making?: string;
}

export interface Loaded {
	/** The record as it is kept; undefined for none. */
	readonly text?: string;
	/** Undefined for none, and for a record that cannot be read. */
	readonly registration?: Registration;
	/** When the node was unpublished, in unix milliseconds. */
	readonly unregisteredAt?: number;
}

const VERSION = 1;
/** By then n8n has surely taken its webhooks away. */
const UNPUBLISHING_AT_MOST_MS = 2 * 60 * 1000;

/** Whether n8n may still take in deliveries although the node was unpublished; a clock that was set back does not make it last. */
export function isBeingUnpublished({ unregisteredAt }: Loaded, now: number): boolean {
	return unregisteredAt !== undefined && Math.abs(now - unregisteredAt) < UNPUBLISHING_AT_MOST_MS;
}

export function serialise(registration: Registration): string {
	return JSON.stringify({ version: VERSION, ...registration });
}

/** The record of a node that is unpublished: deliveries that still come in are to make no new endpoint for it. */
export function serialiseUnregistered(unregisteredAt: number): string {
	return JSON.stringify({ version: VERSION, unregisteredAt });
}

export async function load({
	key,
	records,
}: Pick<RegistrationContext, 'key' | 'records'>): Promise<Loaded> {
	const text = await records.readRecord(key);
	return text === undefined ? {} : { text, ...parseRecord(text) };
}

/** Whether the record knows an endpoint whose secret is kept. */
export function holdsEndpoint(text: string): boolean {
	return parseRecord(text).registration?.current !== undefined;
}

function parseRecord(text: string): Omit<Loaded, 'text'> {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return {};
	}
	if (!isRecord(value) || value['version'] !== VERSION) return {};
	const { unregisteredAt, url, events, current, previous, outdated, making } = value;
	if (typeof unregisteredAt === 'number') return { unregisteredAt };
	if (typeof url !== 'string' || !Array.isArray(events)) return {};
	const registration: Registration = {
		url,
		events: textsIn(events),
		...(isEndpoint(current) && { current }),
		...(isReplaced(previous) && { previous }),
		...(Array.isArray(outdated) && { outdated: textsIn(outdated) }),
		...(typeof making === 'string' && { making }),
	};
	return { registration };
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

function textsIn(values: readonly unknown[]): string[] {
	return values.filter((value) => typeof value === 'string');
}
