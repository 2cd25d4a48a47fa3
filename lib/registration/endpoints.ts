/** Endpoints at the service: made with their secret sealed, deleted again when they cannot be kept. */
import { sealEndpoint, type RegisteredEndpoint, type Registration } from './record';
import { RegistrationError, type RegistrationContext, type WantedEndpoint } from './types';

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
