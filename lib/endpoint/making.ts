/** Makes endpoints under a mark in the record: of many processes one makes the endpoint, and the others notice when it dies. */
import { printable } from '../shared/printable';
import { deleteEndpoints, keepOrDelete, makeEndpoint } from './endpoints';
import { holdMark } from './mark';
import { serialise, type Loaded, type RegisteredEndpoint, type Registration } from './record';
import type { RegistrationContext, WantedEndpoint } from './types';

export type Registered = Registration & { readonly current: RegisteredEndpoint };

/**
 * Deletes whatever was registered and makes the wanted endpoint; undefined when another process was faster.
 * The deletion comes first, so that there are never two.
 * Throws `RegistrationError` when the answer lacks id or secret or they cannot be kept; the half-made endpoint is then
 * deleted again, and the record says that the endpoint is still to be made.
 */
export async function register(
	context: RegistrationContext,
	loaded: Loaded,
	{ url, events }: WantedEndpoint,
): Promise<Registration | undefined> {
	const unfinished = { url, events, outdated: endpointsOf(loaded.registration) };
	return await makeMarked(context, loaded, unfinished, (current) => ({ url, events, current }));
}

/**
 * Makes the next endpoint in addition to the one that is there; undefined when another process was faster.
 * A process that meets a signature of the new endpoint before its secret is kept sees the mark and waits for the
 * secret, instead of refusing the delivery.
 */
export async function rotate(
	context: RegistrationContext,
	loaded: Loaded,
	before: Registered,
	graceMs: number,
): Promise<Registration | undefined> {
	const { now = Date.now } = context;
	return await makeMarked(context, loaded, before, (current) => ({
		...before,
		current,
		previous: { ...before.current, deleteAfter: now() + graceMs },
	}));
}

/** The ids of all endpoints at the service that the registration knows. */
export function endpointsOf(registration: Registration | undefined): string[] {
	const { current, previous, outdated = [] } = registration ?? {};
	const isThere = previous !== undefined && previous.deletedAt === undefined;
	return [...(current ? [current.id] : []), ...(isThere ? [previous.id] : []), ...outdated];
}

/** It is unknown whether the service made that endpoint, and it offers no list of them. */
export function warnOfDeath({ warn }: RegistrationContext, { url }: WantedEndpoint): void {
	warn(
		`a process ended while it was creating an endpoint for ${printable(url)}: if the service shows another one with this URL, delete it there`,
	);
}

/** Meanwhile the record holds `before` with a mark, and after a failure without it. */
async function makeMarked(
	context: RegistrationContext,
	loaded: Loaded,
	before: Registration,
	after: (current: RegisteredEndpoint) => Registration,
): Promise<Registration | undefined> {
	const { key, records } = context;
	const mark = await holdMark(context, loaded.text, before);
	if (mark === undefined) return undefined;
	if (loaded.registration?.making !== undefined) warnOfDeath(context, before);
	try {
		await deleteEndpoints(context, before.outdated ?? []);
		const current = await makeEndpoint(context, before);
		const registration = after(current);
		await keepOrDelete(
			context,
			current,
			async () => await records.swapRecord(key, await mark.stopRenewing(), serialise(registration)),
		);
		return registration;
	} catch (error) {
		// Where the mark cannot be taken back, it is at least no longer renewed.
		const marked = await mark.stopRenewing();
		await records.swapRecord(key, marked, serialise(before)).catch(() => false);
		throw error;
	}
}
