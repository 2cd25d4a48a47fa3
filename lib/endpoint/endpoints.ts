/** Endpoints at the service: made with their secret sealed, deleted again when they cannot be kept. */
import { printable } from '../shared/printable';
import { messageOf } from '../shared/thrown';
import type { RegisteredEndpoint } from './record';
import { sealEndpoint } from './secretBox';
import { RegistrationError, type RegistrationContext, type WantedEndpoint } from './types';

/** An id or secret longer than this is refused: it would go into every record and request. */
const LONGEST = 1024;
const DELETE_BY_HAND =
	'Look for an endpoint with the URL of this trigger at the service and delete it, then register the endpoint manually.';

/** Creates an endpoint at the service and seals its secret. */
export async function makeEndpoint(
	{ client, clientSecret, now = Date.now }: RegistrationContext,
	{ url, events }: WantedEndpoint,
): Promise<RegisteredEndpoint> {
	const { id, secret, record } = await client.createWebhookEndpoint({ url, events });
	const problem = problemOf('id', id) ?? problemOf('signing secret', secret);
	if (id !== undefined && secret !== undefined && problem === undefined) {
		return sealEndpoint({ id, secret }, clientSecret, now());
	}
	const names = Object.keys(record).join(', ');
	const came = names === '' ? 'no fields' : `the fields ${printable(names)}`;
	const isKnown = id !== undefined && id.length <= LONGEST;
	throw new RegistrationError(
		`The service created ${isKnown ? `the endpoint ${printable(id)}` : 'an endpoint'} but answered ${problem ?? ''} (it sent ${came})`,
		isKnown ? `${await deleteAgain(client, id)} Register the endpoint manually.` : DELETE_BY_HAND,
	);
}

function problemOf(name: 'id' | 'signing secret', text: string | undefined): string | undefined {
	if (text === undefined) return `without its ${name}`;
	if (text.length > LONGEST) {
		return `with ${text.length} characters of ${name}, where at most ${LONGEST} can be kept`;
	}
	const isOdd = name === 'id' && printable(text, LONGEST) !== text;
	return isOdd ? 'with control characters in its id' : undefined;
}

/** Runs `keep`; when that fails, deletes the endpoint again, since nobody would know of it. */
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
		`The endpoint ${printable(id)} was created, but its signing secret could not be kept: ${why}`,
		`${await deleteAgain(client, id)} Publish the workflow once more.`,
		{ cause },
	);
}

/** Deletes an endpoint that cannot be kept, and says what became of it. */
async function deleteAgain(client: RegistrationContext['client'], id: string): Promise<string> {
	const failure = await tryToDelete(client, id);
	return failure === undefined
		? 'The endpoint was deleted again.'
		: `The endpoint could not be deleted again (${failure}): delete ${printable(id)} at the service.`;
}

/** Deletes these endpoints at the service; warns of those that it did not delete, and returns them. */
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
		warn(`the service did not delete the endpoint ${left.join(', ')}: delete it there`);
	}
	return left;
}

/** Returns why the service did not delete the endpoint; undefined when it did. */
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
