/** Creates endpoints under a mark in the record: only one process creates the endpoint, and the others notice if it dies. */
import { printable } from '../shared/text';
import { deleteEndpoints, keepOrDelete, makeEndpoint } from './endpoints';
import { holdMark } from './mark';
import { serialise, type Loaded, type RegisteredEndpoint, type Registration } from './record';
import type { RegistrationContext, WantedEndpoint } from './types';

export type Registered = Registration & { readonly current: RegisteredEndpoint };

/**
 * Deletes the registered endpoints and creates the wanted one; undefined when another process was faster.
 * It deletes first so that there are never two.
 * Throws `RegistrationError` when the response lacks the ID or the secret, or they cannot be saved; the new endpoint is
 * then deleted again, and the record says that the endpoint is still to be created.
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
 * Creates the next endpoint in addition to the current one; undefined when another process was faster.
 * A process that gets a delivery from the new endpoint before its secret is saved sees the mark and waits for the
 * secret instead of rejecting the delivery.
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

/** The IDs of all endpoints at the service that the registration knows. */
export function endpointsOf(registration: Registration | undefined): string[] {
	const { current, previous, outdated = [] } = registration ?? {};
	const isThere = previous !== undefined && previous.deletedAt === undefined;
	return [...(current ? [current.id] : []), ...(isThere ? [previous.id] : []), ...outdated];
}

/** It is unknown whether the service created that endpoint, and the service has no list of endpoints. */
export function warnOfDeath({ warn }: RegistrationContext, { url }: WantedEndpoint): void {
	warn(
		`a process ended while it was creating an endpoint for ${printable(url)}: if the service shows another one with this URL, delete it there`,
	);
}

/** While it runs, the record holds `before` with a mark; after a failure, without it. */
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
		// If the mark cannot be removed, at least it is no longer renewed.
		const marked = await mark.stopRenewing();
		await records.swapRecord(key, marked, serialise(before)).catch(() => false);
		throw error;
	}
}
