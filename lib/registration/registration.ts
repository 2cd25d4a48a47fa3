/** The life of the endpoint that a trigger registers itself: recognised, registered, unregistered. */
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteEndpoints, keepOrDelete, makeEndpoint, messageOf } from './endpoints';
import {
	isRotating,
	openRegistration,
	parseRegistration,
	serialise,
	type Registration,
} from './record';
import { RegistrationError, type RegistrationContext, type WantedEndpoint } from './types';

/** How often, and in which distance in milliseconds, is looked whether a registration is settled. */
const SETTLE_LOOKS = 100;
const SETTLE_LOOK_MS = 100;

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
 * The registration after what another process is doing to it, for which it waits up to 10 s: one that makes the next
 * endpoint is about to keep its secret.
 */
export async function loadSettled(
	context: Pick<RegistrationContext, 'key' | 'records' | 'now'>,
): Promise<Loaded | undefined> {
	const { now = Date.now } = context;
	for (let look = 0; ; look += 1) {
		const loaded = await loadRegistration(context);
		const isSettled = loaded === undefined || !isRotating(loaded.registration, now());
		if (isSettled || look === SETTLE_LOOKS) return loaded;
		await sleep(SETTLE_LOOK_MS);
	}
}

/**
 * Whether the endpoint that is wanted is there already. One that does not fit any more (another URL, other events,
 * a client secret that was changed) is deleted, so that the next step makes a new one and there are never two.
 */
export async function recognise(
	context: RegistrationContext,
	wanted: WantedEndpoint,
): Promise<boolean> {
	for (;;) {
		const loaded = await loadSettled(context);
		if (loaded === undefined) return false;
		const { registration } = loaded;
		const misfit =
			misfitOf(registration, wanted, context.clientSecret) ??
			(await absence(context, registration.current.id));
		if (misfit === undefined) return true;
		context.warn(`endpoint ${registration.current.id} is replaced by a new one: ${misfit}`);
		if (await forget(context, loaded)) return false;
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

/** An answer that says nothing about the endpoint leaves it: a restart while the service is away must not make a second one. */
async function absence(
	{ api, warn }: RegistrationContext,
	id: string,
): Promise<string | undefined> {
	try {
		return (await api.exists(id)) ? undefined : 'the service has it no more';
	} catch (error) {
		warn(`endpoint ${id} could not be checked and is taken to exist: ${messageOf(error)}`);
		return undefined;
	}
}

/**
 * Makes the endpoint and keeps its id and its sealed secret; nothing is made where another process was faster.
 * Throws `RegistrationError` when the answer lacks one of them or they cannot be kept; the half-made endpoint is then deleted again.
 */
export async function register(
	context: RegistrationContext,
	wanted: WantedEndpoint,
): Promise<void> {
	const { key, records } = context;
	let expected: string | undefined;
	do {
		if (await recognise(context, wanted)) return;
		expected = await records.readRecord(key);
		// A record that cannot be read (another version) must not stand in the way.
	} while (expected !== undefined && parseRegistration(expected) !== undefined);
	const { url, events } = wanted;
	const current = await makeEndpoint(context, wanted);
	await keepOrDelete(
		context,
		current,
		async () => await records.swapRecord(key, expected, serialise({ url, events, current })),
	);
}

/**
 * Deletes the endpoint, and the one before it if a rotation is under way, and forgets them.
 * Throws `RegistrationError` with the ids that a person has to delete at the service when that fails.
 */
export async function unregister(context: RegistrationContext): Promise<void> {
	for (;;) {
		const loaded = await loadRegistration(context);
		if (loaded === undefined || (await forget(context, loaded))) return;
	}
}

/** False when another process has changed the registration in the meantime: what it made is still there. */
async function forget(
	context: RegistrationContext,
	{ registration, text }: Loaded,
): Promise<boolean> {
	const left = await deleteEndpoints(context, registration);
	if (!(await context.records.swapRecord(context.key, text, undefined))) return false;
	if (left.length === 0) return true;
	throw new RegistrationError(
		`The service did not delete the endpoint ${left.join(', ')}`,
		'Delete it at the service, or with the operation Delete of the Asset Service node.',
	);
}
