/** Creates and deletes a trigger's endpoint when its workflow is published and unpublished. */
import { messageOf } from '../shared/errors';
import { printable } from '../shared/text';
import { deleteEndpoints } from './endpoints';
import { endpointsOf, register } from './making';
import { watchMark } from './mark';
import { load, serialiseUnregistered, type Registration } from './record';
import { openRegistration } from './secretBox';
import { RegistrationError, type RegistrationContext, type WantedEndpoint } from './types';

/**
 * Creates the wanted endpoint unless it exists. Replaces one that no longer fits (another URL, other events, a changed
 * client secret), and finishes the work of a process that died.
 * Throws `RegistrationError` if that fails, also when another process has been creating the endpoint for over 10 s.
 */
export async function ensureRegistered(
	context: RegistrationContext,
	wanted: WantedEndpoint,
): Promise<Registration> {
	for (;;) {
		const loaded = await watchMark(context);
		const { registration, isHeld } = loaded;
		if (registration?.current !== undefined) {
			const { id } = registration.current;
			const misfit =
				misfitOf(registration, wanted, context.clientSecret) ?? (await absence(context, id));
			if (misfit === undefined) return registration;
			context.warn(`replacing endpoint ${printable(id)}: ${misfit}`);
		}
		if (isHeld) {
			throw new RegistrationError(
				'Another n8n process is still registering this endpoint',
				'Wait a minute, then publish the workflow again.',
			);
		}
		const made = await register(context, loaded, wanted);
		if (made !== undefined) return made;
	}
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

/** If the service cannot say, the endpoint is assumed to exist: a restart while it is down must not create a second one. */
async function absence(
	{ client, warn }: RegistrationContext,
	id: string,
): Promise<string | undefined> {
	try {
		const exists = await client.webhookEndpointExists(id);
		return exists ? undefined : 'it no longer exists at the service';
	} catch (error) {
		warn(
			`endpoint ${printable(id)} could not be checked and is assumed to exist: ${messageOf(error)}`,
		);
		return undefined;
	}
}

/**
 * Deletes the endpoint, and the previous one during a rotation, and records only that the node is unpublished.
 * Throws `RegistrationError` with the IDs that the service did not delete, which a person has to delete there.
 */
export async function unregister(context: RegistrationContext): Promise<void> {
	const { key, records, now = Date.now } = context;
	for (;;) {
		const { text, registration } = await load(context);
		const left = await deleteEndpoints(context, endpointsOf(registration));
		// Another process that changed the registration in the meantime may have created an endpoint.
		if (!(await records.swapRecord(key, text, serialiseUnregistered(now())))) continue;
		if (left.length === 0) return;
		throw new RegistrationError(
			`The service did not delete the endpoint ${left.join(', ')}`,
			'Delete it at the service, or with Webhook Endpoint > Delete of the Asset Service node.',
		);
	}
}
