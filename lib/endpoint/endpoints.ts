/** Endpoints at the service: made with their secret sealed, deleted again when they cannot be kept. */
import { messageOf } from '../shared/thrown';
import { printable } from '../shared/printable';
import type { RegisteredEndpoint } from './record';
import { sealEndpoint } from './secretBox';
import { RegistrationError, type RegistrationContext, type WantedEndpoint } from './types';

/** Nothing longer is kept of what the service sends: it would go into every record and request. */
const LONGEST = 1024;
const DELETE_BY_HAND =
	'Look for an endpoint with the URL of this trigger at the service and delete it, then register the endpoint manually.';

/** Creates an endpoint at the service and seals its secret. */
export async function makeEndpoint(
	{ api, clientSecret, now = Date.now }: RegistrationContext,
	{ url, events }: WantedEndpoint,
): Promise<RegisteredEndpoint> {
	const { id, secret, keys } = await api.create({ url, events });
	const problem = problemOf('id', id) ?? problemOf('signing secret', secret);
	if (id !== undefined && secret !== undefined && problem === undefined) {
		return sealEndpoint({ id, secret }, clientSecret, now());
	}
	const came = keys.length === 0 ? 'no fields' : `the fields ${printable(keys.join(', '))}`;
	if (id === undefined || id.length > LONGEST) {
		throw new RegistrationError(
			`The service created an endpoint but answered ${problem ?? ''} (it sent ${came})`,
			DELETE_BY_HAND,
		);
	}
	const left = await tryToDelete(api, id);
	throw new RegistrationError(
		`The service created the endpoint ${printable(id)} but answered ${problem ?? ''} (it sent ${came})`,
		left === undefined
			? 'The endpoint was deleted again. Register the endpoint manually.'
			: `The endpoint could not be deleted again (${left}): delete ${printable(id)} at the service, then register the endpoint manually.`,
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
		`The endpoint ${printable(id)} was created, but its signing secret could not be kept: ${why}`,
		left === undefined
			? 'The endpoint was deleted again. Publish the workflow once more.'
			: `The endpoint could not be deleted again (${left}): delete ${printable(id)} at the service.`,
		{ cause },
	);
}

/** Deletes these endpoints at the service, and answers with a warning which ones it did not delete. */
export async function deleteEndpoints(
	{ api, warn }: RegistrationContext,
	ids: readonly string[],
): Promise<string[]> {
	const left: string[] = [];
	for (const id of ids) {
		const failure = await tryToDelete(api, id);
		if (failure !== undefined) left.push(`${printable(id)} (${failure})`);
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
