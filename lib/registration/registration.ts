/** The life of an endpoint that the trigger registers itself: made, recognised, deleted. */
import {
	openRegistration,
	parseRegistration,
	sealEndpoint,
	serialise,
	type RegisteredEndpoint,
	type Registration,
} from './record';
import { RegistrationError, type RegistrationContext } from './types';

/** What the endpoint is to be. */
export interface WantedEndpoint {
	readonly url: string;
	readonly events: readonly string[];
}

export interface Loaded {
	readonly text: string;
	readonly registration: Registration;
}

export async function loadRegistration({
	key,
	records,
}: Pick<RegistrationContext, 'key' | 'records'>): Promise<Loaded | undefined> {
	const text = await records.readRecord(key);
	if (text === undefined) return undefined;
	const registration = parseRegistration(text);
	return registration === undefined ? undefined : { text, registration };
}

/**
 * Whether the endpoint that is wanted is there already. One that does not fit any more (another URL, other events,
 * a client secret that was changed) is deleted, so that the next step makes a new one and there are never two.
 */
export async function recognise(
	context: RegistrationContext,
	wanted: WantedEndpoint,
): Promise<boolean> {
	const loaded = await loadRegistration(context);
	if (loaded === undefined) return false;
	const { registration } = loaded;
	const misfit = misfitOf(registration, wanted, context.clientSecret);
	if (misfit !== undefined) {
		context.warn(`endpoint ${registration.current.id} is replaced by a new one: ${misfit}`);
		await unregister(context);
		return false;
	}
	if (await stillThere(context, registration.current.id)) return true;
	context.warn(`endpoint ${registration.current.id} is gone at the service, a new one is made`);
	await unregister(context);
	return false;
}

function misfitOf(
	registration: Registration,
	{ url, events }: WantedEndpoint,
	clientSecret: string,
): string | undefined {
	if (registration.url !== url) return 'the URL of the trigger has changed';
	if (JSON.stringify(registration.events) !== JSON.stringify(events)) {
		return 'the event types have changed';
	}
	if (openRegistration(registration, clientSecret) === undefined) {
		return 'the client secret of the credential has changed, so its signing secret can no longer be decrypted';
	}
	return undefined;
}

/** An answer that says nothing about the endpoint leaves it: a restart while the service is away must not make a second one. */
async function stillThere({ api, warn }: RegistrationContext, id: string): Promise<boolean> {
	try {
		return await api.exists(id);
	} catch (error) {
		warn(`endpoint ${id} could not be checked and is taken to exist: ${messageOf(error)}`);
		return true;
	}
}

/**
 * Makes the endpoint and keeps its id and its sealed secret.
 * Throws `RegistrationError` when the answer lacks one of them or they cannot be kept; the half-made endpoint is then deleted again.
 */
export async function register(
	context: RegistrationContext,
	wanted: WantedEndpoint,
): Promise<void> {
	const { url, events } = wanted;
	const current = await makeEndpoint(context, wanted);
	await keepOrDelete(context, current, async () => {
		// A record that cannot be read (another version) must not stand in the way.
		const expected = await context.records.readRecord(context.key);
		return await context.records.swapRecord(
			context.key,
			expected,
			serialise({ url, events, current }),
		);
	});
}

/** Creates an endpoint at the service and seals its secret. */
export async function makeEndpoint(
	{ api, clientSecret, now = Date.now }: RegistrationContext,
	{ url, events }: WantedEndpoint,
): Promise<RegisteredEndpoint> {
	const { id, secret, keys } = await api.create({ url, events });
	if (id !== undefined && secret !== undefined) {
		return sealEndpoint({ id, secret }, clientSecret, now());
	}
	const came = keys.length === 0 ? 'no fields' : `the fields ${keys.join(', ')}`;
	if (id === undefined) {
		throw new RegistrationError(
			`The service created an endpoint but answered without its id (it sent ${came})`,
			'Look for an endpoint with the URL of this trigger at the service and delete it, then register the endpoint manually.',
		);
	}
	const left = await tryToDelete(api, id);
	throw new RegistrationError(
		`The service created the endpoint ${id} but answered without its signing secret (it sent ${came})`,
		left === undefined
			? 'The endpoint was deleted again. Register the endpoint manually.'
			: `The endpoint could not be deleted again (${left}): delete ${id} at the service, then register the endpoint manually.`,
	);
}

/** Runs `keep`; when it fails, the endpoint that nobody would know of is deleted again. */
export async function keepOrDelete(
	{ api }: RegistrationContext,
	{ id }: RegisteredEndpoint,
	keep: () => Promise<boolean>,
): Promise<void> {
	let cause: unknown;
	try {
		if (await keep()) return;
	} catch (error) {
		cause = error;
	}
	const left = await tryToDelete(api, id);
	const why = cause === undefined ? 'another process changed the registration' : messageOf(cause);
	throw new RegistrationError(
		`The endpoint ${id} was created, but its signing secret could not be kept: ${why}`,
		left === undefined
			? 'The endpoint was deleted again. Publish the workflow once more.'
			: `The endpoint could not be deleted again (${left}): delete ${id} at the service.`,
		{ cause },
	);
}

/**
 * Deletes the endpoint, and the one before it if a rotation is under way, and forgets them.
 * Throws `RegistrationError` with the ids that a person has to delete at the service when that fails.
 */
export async function unregister(context: RegistrationContext): Promise<void> {
	const loaded = await loadRegistration(context);
	if (loaded === undefined) return;
	const left = await deleteEndpoints(context, loaded.registration);
	await context.records.swapRecord(context.key, loaded.text, undefined);
	if (left.length > 0) {
		throw new RegistrationError(
			`The service did not delete the endpoint ${left.join(', ')}`,
			'Delete it at the service, or with the operation Delete of the Asset Service node.',
		);
	}
}

/** Deletes every endpoint of the registration at the service, and answers with a warning which ones it did not delete. */
export async function deleteEndpoints(
	{ api, warn }: RegistrationContext,
	{ current, previous }: Registration,
): Promise<string[]> {
	const ids = [current.id];
	if (previous !== undefined && previous.deletedAt === undefined) ids.push(previous.id);
	const left: string[] = [];
	for (const id of ids) {
		const failure = await tryToDelete(api, id);
		if (failure !== undefined) left.push(`${id} (${failure})`);
	}
	if (left.length > 0) {
		warn(`the service did not delete the endpoint ${left.join(', ')}: delete it there`);
	}
	return left;
}

async function tryToDelete(
	api: RegistrationContext['api'],
	id: string,
): Promise<string | undefined> {
	try {
		await api.delete(id);
		return undefined;
	} catch (error) {
		return messageOf(error);
	}
}

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
