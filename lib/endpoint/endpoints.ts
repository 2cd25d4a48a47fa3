/** Endpoints at the service: created with their secret sealed, and deleted again if they cannot be kept. */
import { IN_INTERFACE } from '../service';
import { messageOf } from '../shared/errors';
import { printable } from '../shared/text';
import type { RegisteredEndpoint } from './record';
import { sealEndpoint } from './secretBox';
import { RegistrationError, type RegistrationContext, type WantedEndpoint } from './types';

/** Longer IDs and secrets are rejected, since they go into every record and request. */
const LONGEST = 1024;
const DELETE_BY_HAND =
	'Find the endpoint with the URL of this trigger at the service and delete it. Then use manual registration.';

/** Creates an endpoint at the service and seals its secret. */
export async function makeEndpoint(
	{ client, clientSecret, now = Date.now }: RegistrationContext,
	{ url, events }: WantedEndpoint,
): Promise<RegisteredEndpoint> {
	const { id, secret, record } = await client.createWebhookEndpoint({ url, events });
	const problem = problemOf('ID', id) ?? problemOf('signing secret', secret);
	if (id !== undefined && secret !== undefined && problem === undefined) {
		return sealEndpoint({ id, secret }, clientSecret, now());
	}
	const names = Object.keys(record).join(', ');
	const received = names === '' ? 'no fields' : printable(names);
	const isKnown = id !== undefined && id.length <= LONGEST;
	throw new RegistrationError(
		`Endpoint${isKnown ? ` ${printable(id)}` : ''} created, but the response has ${problem ?? ''}`,
		`If the response has the ID and the signing secret in other fields (received: ${received}), set 'Endpoint ID Field' and 'Endpoint Secret Field'${IN_INTERFACE}. ${isKnown ? `${await deleteAgain(client, id)} Or use manual registration.` : DELETE_BY_HAND}`,
	);
}

function problemOf(name: 'ID' | 'signing secret', text: string | undefined): string | undefined {
	if (text === undefined) return `no ${name}`;
	if (text.length > LONGEST) {
		return `${text.length} characters of ${name}, of which at most ${LONGEST} can be stored`;
	}
	const isOdd = name === 'ID' && printable(text, LONGEST) !== text;
	return isOdd ? 'control characters in its ID' : undefined;
}

/** Runs `keep`; if that fails, deletes the endpoint again, since no record would mention it. */
export async function keepOrDelete(
	{ client }: RegistrationContext,
	{ id }: RegisteredEndpoint,
	keep: () => Promise<boolean>,
): Promise<void> {
	let cause: unknown;
	try {
		if (await keep()) return;
	} catch (error) {
		cause = error;
	}
	const why = cause === undefined ? 'another process changed the registration' : messageOf(cause);
	throw new RegistrationError(
		`The endpoint ${printable(id)} was created, but its signing secret could not be saved: ${why}`,
		`${await deleteAgain(client, id)} Publish the workflow again.`,
		{ cause },
	);
}

/** Deletes an endpoint that cannot be kept, and reports the result. */
async function deleteAgain(client: RegistrationContext['client'], id: string): Promise<string> {
	const failure = await tryToDelete(client, id);
	return failure === undefined
		? 'The endpoint was deleted again.'
		: `The endpoint could not be deleted again (${failure}): delete ${printable(id)} at the service.`;
}

/** Deletes these endpoints at the service. Returns the ones that could not be deleted, with a warning in the log. */
export async function deleteEndpoints(
	{ client, warn }: RegistrationContext,
	ids: readonly string[],
): Promise<string[]> {
	const left: string[] = [];
	for (const id of ids) {
		const failure = await tryToDelete(client, id);
		if (failure !== undefined) left.push(`${printable(id)} (${failure})`);
	}
	if (left.length > 0) {
		warn(`the service did not delete the endpoint ${left.join(', ')}: delete it at the service`);
	}
	return left;
}

/** Returns why the service did not delete the endpoint; undefined if it did. */
async function tryToDelete(
	client: RegistrationContext['client'],
	id: string,
): Promise<string | undefined> {
	try {
		await client.deleteWebhookEndpoint(id);
		return undefined;
	} catch (error) {
		return messageOf(error);
	}
}
