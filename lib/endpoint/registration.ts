/**
 * Creates and deletes a trigger's endpoint at the service when its workflow is published and unpublished. Its secret is
 * sealed before it is kept; an endpoint that cannot be kept is deleted again.
 */
import { randomUUID } from 'node:crypto';
import { IN_INTERFACE, networkOf } from '../service';
import { messageOf, PackageError } from '../shared/errors';
import { printable } from '../shared/text';
import { MINUTE_MS } from '../shared/time';
import {
	load,
	type Loaded,
	type Registration,
	type RegistrationContext,
	replace,
	serialise,
	type WantedEndpoint,
	whileClaimed,
} from './record';
import { openRegistration, sealEndpoint } from './secretBox';

/** Longer than the session of a process that was killed. */
const PUBLISH_WITHIN_MS = 1.1 * MINUTE_MS;

/**
 * Creates the wanted endpoint unless it exists. Replaces one that no longer fits (another URL, other events, a changed
 * client secret), and finishes the work of a process that died.
 * Throws `PackageError` if that fails, also when another process has been at it for over a minute.
 */
export async function ensureRegistered(
	context: RegistrationContext,
	wanted: WantedEndpoint,
): Promise<Registration> {
	const registration = await whileClaimed(context, PUBLISH_WITHIN_MS, async (loaded) => {
		const found = loaded.registration;
		if (found?.current === undefined) return await register(context, loaded, wanted);
		const misfit = await misfitOf(context, found, found.current.id, wanted);
		if (misfit === undefined) return found;
		context.warn(`replacing endpoint ${printable(found.current.id)}: ${misfit}`);
		return await register(context, loaded, wanted);
	});
	if (registration !== undefined) return registration;
	throw new PackageError('Another n8n process is still registering or deleting this endpoint', {
		hint: 'Wait a minute, then publish the workflow again.',
	});
}

/**
 * Why the endpoint has to be replaced; undefined if it fits. If the service cannot say, the endpoint is assumed to exist: a
 * restart while it is down must not create a second one.
 */
async function misfitOf(
	{ client, clientSecret, warn }: RegistrationContext,
	registration: Registration,
	id: string,
	{ url, events }: WantedEndpoint,
): Promise<string | undefined> {
	if (registration.url !== url) return 'the URL of the trigger has changed';
	if (JSON.stringify(registration.events) !== JSON.stringify(events)) {
		return 'the event types have changed';
	}
	if (openRegistration(registration, clientSecret) === undefined) {
		return 'the client secret of the credential has changed, so its signing secret can no longer be decrypted';
	}
	try {
		const exists = await client.webhookEndpointExists(id);
		return exists ? undefined : 'it no longer exists at the service';
	} catch (error) {
		const why = messageOf(error);
		warn(`endpoint ${printable(id)} could not be checked and is assumed to exist: ${why}`);
		return undefined;
	}
}

/**
 * Deletes the endpoint, and the previous one during a rotation, and records only that the node is unpublished.
 * Throws `PackageError` with the IDs that the service did not delete, which a person has to delete there.
 */
export async function unregister(context: RegistrationContext): Promise<void> {
	const { now = Date.now } = context;
	for (;;) {
		const loaded = await load(context);
		const left = await deleteEndpoints(context, endpointsOf(loaded.registration));
		// A process that changed the registration in the meantime may have created an endpoint.
		if (!(await replace(context, loaded, now()))) continue;
		if (left.length === 0) return;
		throw new PackageError(`The service did not delete the endpoint ${left.join(', ')}`, {
			hint: 'Delete it at the service, or with Webhook Endpoint > Delete of the Asset Service node.',
		});
	}
}

/**
 * Deletes the registered endpoints and creates the wanted one; undefined if the record was changed meanwhile.
 * It deletes first so that there are never two. For the process that holds the claim, like `make`.
 */
export async function register(
	context: RegistrationContext,
	loaded: Loaded,
	{ url, events }: WantedEndpoint,
): Promise<Registration | undefined> {
	const before = { url, events, outdated: endpointsOf(loaded.registration) };
	return await make(context, loaded, before, (current) => ({ url, events, current }));
}

/**
 * Creates an endpoint. Until its secret is saved, the record is `before` with a mark, so that a delivery from the new
 * endpoint waits for the secret instead of being rejected, and a death is noticed.
 * Throws `PackageError` when the response lacks the ID or the secret, or they cannot be saved; the new endpoint is
 * then deleted again, and the record says that the endpoint is still to be created.
 */
export async function make(
	context: RegistrationContext,
	loaded: Loaded,
	before: Registration,
	after: (current: NonNullable<Registration['current']>) => Registration,
): Promise<Registration | undefined> {
	const unfinished = { ...before, making: randomUUID() };
	if (!(await replace(context, loaded, unfinished))) return undefined;
	const marked = { text: serialise(unfinished) };
	try {
		await deleteEndpoints(context, before.outdated ?? []);
		const current = await createEndpoint(context, before);
		const registration = after(current);
		const failure = await failureOf(async () => {
			const isKept = await replace(context, marked, registration);
			if (!isKept) throw new Error('another process changed the registration');
		});
		if (failure === undefined) return registration;
		throw new PackageError(
			`The endpoint ${printable(current.id)} was created, but its signing secret could not be saved: ${failure}`,
			{ hint: `${await deleteAgain(context, current.id)} Publish the workflow again.` },
		);
	} catch (error) {
		await replace(context, marked, before).catch(() => false);
		throw error;
	}
}

/** The IDs of all endpoints at the service that the registration knows. */
function endpointsOf(registration: Registration | undefined): string[] {
	const { current, previous, outdated = [] } = registration ?? {};
	const isThere = previous !== undefined && previous.deletedAt === undefined;
	return [...(current ? [current.id] : []), ...(isThere ? [previous.id] : []), ...outdated];
}

/** Longer IDs and secrets are rejected, since they go into every record and request. */
const LONGEST = 1024;
const DELETE_BY_HAND =
	'Find the endpoint with the URL of this trigger at the service and delete it. Then use manual registration.';

async function createEndpoint(
	context: RegistrationContext,
	{ url, events }: WantedEndpoint,
): Promise<NonNullable<Registration['current']>> {
	const { client, clientSecret, fitsScheme, now = Date.now } = context;
	const { id, secret, record } = await client.createWebhookEndpoint({ url, events });
	const problem = problemOf('ID', id) ?? problemOf('signing secret', secret);
	const isComplete = id !== undefined && secret !== undefined && problem === undefined;
	if (isComplete && fitsScheme(secret)) return sealEndpoint({ id, secret }, clientSecret, now());

	const names = Object.keys(record).join(', ');
	const received = names === '' ? 'no fields' : printable(names);
	const isKnown = id !== undefined && id.length <= LONGEST;
	const created = `Endpoint${isKnown ? ` ${printable(id)}` : ''} created, but`;
	const deleted = isKnown ? await deleteAgain(context, id) : DELETE_BY_HAND;
	const fields = `(received: ${received}), set 'Endpoint ID Field' and 'Endpoint Secret Field'${IN_INTERFACE}`;
	throw isComplete
		? new PackageError(`${created} its signing secret does not fit 'Scheme' of the trigger`, {
				hint: `Select the scheme that the service uses. If the secret is in another field ${fields}. ${deleted}`,
				isFinal: true,
			})
		: new PackageError(`${created} the response has ${problem ?? ''}`, {
				hint: `If the response has the ID and the signing secret in other fields ${fields}. ${deleted}${isKnown ? ' Or use manual registration.' : ''}`,
				isFinal: true,
			});
}

function problemOf(name: 'ID' | 'signing secret', text: string | undefined): string | undefined {
	if (text === undefined) return `no ${name}`;
	if (text.length > LONGEST) {
		return `${text.length} characters of ${name}, of which at most ${LONGEST} can be stored`;
	}
	const isOdd = name === 'ID' && printable(text, LONGEST) !== text;
	return isOdd ? 'control characters in its ID' : undefined;
}

/** Deletes an endpoint that cannot be kept, and reports the result. */
async function deleteAgain({ client }: RegistrationContext, id: string): Promise<string> {
	const failure = await failureOf(() => client.deleteWebhookEndpoint(id));
	return failure === undefined
		? 'The endpoint was deleted again.'
		: `The endpoint could not be deleted again (${failure}): delete ${printable(id)} at the service.`;
}

/** Deletes these endpoints at the service. Returns the ones that could not be deleted, with a warning in the log. */
async function deleteEndpoints(
	{ client, warn }: RegistrationContext,
	ids: readonly string[],
): Promise<string[]> {
	const left: string[] = [];
	for (const id of ids) {
		const failure = await failureOf(() => client.deleteWebhookEndpoint(id));
		if (failure !== undefined) left.push(`${printable(id)} (${failure})`);
	}
	if (left.length > 0) {
		warn(`the service did not delete the endpoint ${left.join(', ')}: delete it at the service`);
	}
	return left;
}

/** The message of the error that `work` throws; undefined if it succeeds. */
async function failureOf(work: () => Promise<unknown>): Promise<string | undefined> {
	try {
		await work();
		return undefined;
	} catch (error) {
		return messageOf(error);
	}
}

/**
 * True for plain http on a public host: the service does not deliver there (specification 6.1).
 * False for https, and for hosts of this machine or a private network: it may be behind a proxy, or a test.
 */
export function isPublicHttp(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { protocol, hostname } = new URL(url);
	return protocol === 'http:' && networkOf(hostname) === 'public';
}

/**
 * Whether an endpoint with this URL can get deliveries: https, or http on this machine, for a simulator (specification 6.1).
 */
export function canDeliverTo(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { protocol, hostname } = new URL(url);
	return protocol === 'https:' || (protocol === 'http:' && networkOf(hostname) === 'loopback');
}
