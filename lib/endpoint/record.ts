/**
 * The record of an endpoint that the trigger registered itself: a small text with sealed secrets.
 *
 * Its states: none → unfinished (marked by the process that creates the endpoint) → registered → marked again while the
 * next endpoint is created → with a previous one → previous one deleted → registered → … → unregistered. Only the
 * process whose mark is in the record creates an endpoint (`mark.ts`).
 */
import { MINUTE_MS } from '../shared/time';
import { jsonIn } from '../shared/values';
import { array, literal, number, object, optional, safeParse, string } from '../vendor/zod';
import type { RecordSlot } from './types';

/** An endpoint at the service that the trigger created. */
export interface RegisteredEndpoint {
	readonly id: string;
	/** The signing secret, encrypted with a key derived from the client secret. */
	readonly sealedSecret: string;
	/** Unix milliseconds. */
	readonly createdAt: number;
}

/** The endpoint that a rotation replaced. */
interface ReplacedEndpoint extends RegisteredEndpoint {
	/** When to delete it at the service, in Unix milliseconds. */
	readonly deleteAfter: number;
	/** When it was deleted; its secret is accepted a little longer, for deliveries in transit. */
	readonly deletedAt?: number | undefined;
}

export interface Registration {
	readonly url: string;
	readonly events: readonly string[];
	/** Undefined until the first endpoint is created and its secret saved. */
	readonly current?: RegisteredEndpoint | undefined;
	readonly previous?: ReplacedEndpoint | undefined;
	/** IDs of unused endpoints, to be deleted before the next one is created. */
	readonly outdated?: readonly string[] | undefined;
	/** The mark of the process that is creating an endpoint. */
	readonly making?: string | undefined;
}

export interface Loaded {
	/** The record as stored; undefined for none. */
	readonly text?: string;
	/** Undefined for no record, or one that cannot be read. */
	readonly registration?: Registration;
	/** When the node was unpublished, in Unix milliseconds. */
	readonly unregisteredAt?: number;
}

const VERSION = 1;

const endpoint = object({ id: string(), sealedSecret: string(), createdAt: number() });
const registered = object({
	version: literal(VERSION),
	url: string(),
	events: array(string()),
	current: optional(endpoint),
	previous: optional(
		object({ ...endpoint.shape, deleteAfter: number(), deletedAt: optional(number()) }),
	),
	outdated: optional(array(string())),
	making: optional(string()),
});
const unregistered = object({ version: literal(VERSION), unregisteredAt: number() });

/** By then n8n has removed its webhooks. */
const UNPUBLISHING_AT_MOST_MS = 2 * MINUTE_MS;

/** Whether n8n may still accept deliveries although the node was unpublished; setting the clock back does not extend it. */
export function isBeingUnpublished({ unregisteredAt }: Loaded, now: number): boolean {
	return unregisteredAt !== undefined && Math.abs(now - unregisteredAt) < UNPUBLISHING_AT_MOST_MS;
}

export function serialise(registration: Registration): string {
	return JSON.stringify({ version: VERSION, ...registration });
}

/** The record of an unpublished node: deliveries that still arrive create no endpoint for it. */
export function serialiseUnregistered(unregisteredAt: number): string {
	return JSON.stringify({ version: VERSION, unregisteredAt });
}

export async function load({ key, records }: RecordSlot): Promise<Loaded> {
	const text = await records.readRecord(key);
	return text === undefined ? {} : { text, ...parseRecord(text) };
}

/** Whether the record names an endpoint whose secret is saved. */
export function hasEndpoint(text: string): boolean {
	return parseRecord(text).registration?.current !== undefined;
}

function parseRecord(text: string): Omit<Loaded, 'text'> {
	const record = jsonIn(text);
	const gone = safeParse(unregistered, record);
	if (gone.success) return { unregisteredAt: gone.data.unregisteredAt };
	const kept = safeParse(registered, record);
	if (!kept.success) return {};
	const { version, ...registration } = kept.data;
	return { registration };
}
