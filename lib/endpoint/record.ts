/**
 * The record of an endpoint that the trigger registered itself: a small text with sealed secrets.
 *
 * Its states: none → making (a process creates the endpoint) → registered → making the next one → with a previous one →
 * previous one deleted → registered → … → unregistered.
 *
 * Only the process that holds the claim of the record creates endpoints and takes steps. Like any claim of the ledger, it
 * ends with the session of its process: 60 seconds after that was killed, another one continues. Every step swaps the
 * record that it has read, so a process that was paused and lost its claim changes nothing any more.
 */
import {
	claimOrWait,
	type Ledger,
	ledgerKey,
	recordFormat,
	type Records,
	releaseHold,
} from '../ledger';
import type { ApiClient } from '../service';
import { sleep } from '../shared/pace';
import { printable } from '../shared/text';
import { MINUTE_MS } from '../shared/time';
import { array, number, object, optional, type output, string, union } from '../vendor/zod';

/** Where a registration is kept. */
interface RecordSlot {
	readonly key: string;
	/** Shared by all processes of an n8n instance; survives restarts. */
	readonly records: Records;
	readonly openLedger: () => Promise<Ledger>;
}

/** The registration of one trigger, with its dependencies. */
export interface RegistrationContext extends RecordSlot {
	readonly client: Pick<
		ApiClient,
		'createWebhookEndpoint' | 'deleteWebhookEndpoint' | 'webhookEndpointExists'
	>;
	readonly clientSecret: string;
	/** Whether deliveries signed with this secret could be verified. */
	readonly fitsScheme: (signingSecret: string) => boolean;
	/** Logs a warning for operators. The message must not contain a secret. */
	readonly warn: (message: string) => void;
	readonly now?: () => number;
}

/** The endpoint that should exist. */
export interface WantedEndpoint {
	readonly url: string;
	readonly events: readonly string[];
}

/** An endpoint at the service that the trigger created. Times are in Unix milliseconds. */
const endpoint = object({
	id: string(),
	/** The signing secret, encrypted with a key derived from the client secret. */
	sealedSecret: string(),
	createdAt: number(),
});
const registered = object({
	url: string(),
	events: array(string()),
	/** Absent until the first endpoint is created and its secret saved. */
	current: optional(endpoint),
	/** The endpoint that a rotation replaced. It is deleted after the grace; its secret is accepted a little longer, for deliveries in transit. */
	previous: optional(
		object({ ...endpoint.shape, deleteAfter: number(), deletedAt: optional(number()) }),
	),
	/** IDs of unused endpoints, to be deleted before the next one is created. */
	outdated: optional(array(string())),
	/** Names a creation that has not ended: its process is creating an endpoint, or died over it. */
	making: optional(string()),
});
const unregistered = object({ unregisteredAt: number() });
const format = recordFormat(
	{ what: 'a registered webhook endpoint', number: 1 },
	union([unregistered, registered]),
);

export type Registration = WantedEndpoint &
	Readonly<Omit<output<typeof registered>, keyof WantedEndpoint>>;

export interface Loaded {
	/** The record as stored; undefined for none. */
	readonly text?: string;
	/** Undefined for no record, or one that cannot be read. */
	readonly registration?: Registration;
	/** When the node was unpublished, in Unix milliseconds. */
	readonly unregisteredAt?: number;
}

/** By then n8n has removed its webhooks. */
const UNPUBLISHING_AT_MOST_MS = 2 * MINUTE_MS;

/** Whether n8n may still accept deliveries although the node was unpublished; setting the clock back does not extend it. */
export function isBeingUnpublished({ unregisteredAt }: Loaded, now: number): boolean {
	return unregisteredAt !== undefined && Math.abs(now - unregisteredAt) < UNPUBLISHING_AT_MOST_MS;
}

/** Replaces the record that was loaded; false if it has changed since. A number: when the node was unpublished. */
export async function replace(
	{ key, records }: RecordSlot,
	{ text }: Loaded,
	next: Registration | number,
): Promise<boolean> {
	return await records.swapRecord(key, text, serialise(next));
}

/** Of an unpublished node a record stays: deliveries that still arrive create no endpoint for it. */
export function serialise(next: Registration | number): string {
	if (typeof next === 'number') return format.write({ unregisteredAt: next });
	return format.write({ ...next, events: [...next.events] });
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
	const record = format.read(text);
	if (record === undefined) return {};
	return 'unregisteredAt' in record ? record : { registration: record };
}

/** How often a delivery checks whether the secret of a new endpoint is saved, and the pause in milliseconds. */
const CHECKS = 100;
const CHECK_MS = 100;

/** Returns `loaded`; while a process creates an endpoint, waits up to 10 s for it to save the secret. */
export async function untilMade(slot: RecordSlot, loaded: Loaded): Promise<Loaded> {
	let latest = loaded;
	for (let check = 0; check < CHECKS && latest.registration?.making !== undefined; check += 1) {
		await sleep(CHECK_MS);
		latest = await load(slot);
	}
	return latest;
}

/** The result of `work`, which gets the record; undefined if another process had the claim for `waitMs` milliseconds. */
export async function whileClaimed<T>(
	context: RegistrationContext,
	waitMs: number,
	work: (loaded: Loaded) => Promise<T>,
): Promise<T | undefined> {
	const ledger = await context.openLedger();
	const claimed = await claimOrWait(ledger, ledgerKey('endpoint', context.key), waitMs);
	if (claimed.state !== 'claimed') return undefined;
	try {
		return await work(await takeOver(context));
	} finally {
		await releaseHold({ ledger, claims: [claimed.claim] });
	}
}

/** The record without what a process left that died while it created an endpoint, since nobody else has the claim. */
async function takeOver(context: RegistrationContext): Promise<Loaded> {
	const loaded = await load(context);
	if (loaded.registration?.making === undefined) return loaded;
	const { making, ...registration } = loaded.registration;
	// It is unknown whether the service created it, and the service has no list of endpoints.
	context.warn(
		`a process ended while it was creating an endpoint for ${printable(registration.url)}: if the service shows another one with this URL, delete it there`,
	);
	const isReplaced = await replace(context, loaded, registration);
	return isReplaced ? { text: serialise(registration), registration } : await load(context);
}
