/**
 * The steps after an endpoint is registered: its rotation without a lost or duplicated event (specification 6.7), and
 * unfinished work.
 */
import { printable } from '../shared/text';
import { MINUTE_MS } from '../shared/time';
import { register, rotate, warnOfDeath, type Registered } from './making';
import type { WatchedMark } from './mark';
import { isBeingUnpublished, serialise, type Loaded, type Registration } from './record';
import { openRegistration } from './secretBox';
import type { RecordSlot, RegistrationContext, WantedEndpoint } from './types';

export interface RotationPlan {
	/** The age at which an endpoint is replaced, in milliseconds; 0 for never. */
	readonly rotateAfterMs: number;
	/** How long the replaced endpoint stays active, in milliseconds. */
	readonly graceMs: number;
}

/** How much longer the secret of a deleted endpoint is accepted, for its last deliveries; older ones are stale anyway. */
const LAST_DELIVERIES_MS = 5 * MINUTE_MS;
/** When to check again if another process is creating the endpoint or was faster. */
const OTHERS_NEED_MS = 10_000;

/** When the next step is due, in Unix milliseconds; undefined for never. */
export function nextStepAt(registration: Registration, plan: RotationPlan): number | undefined {
	const { current, previous, making } = registration;
	if (current === undefined || making !== undefined) return 0;
	if (previous?.deletedAt !== undefined) return previous.deletedAt + LAST_DELIVERIES_MS;
	if (previous !== undefined) return previous.deleteAfter;
	return plan.rotateAfterMs > 0 ? current.createdAt + plan.rotateAfterMs : undefined;
}

/**
 * Runs the due step of the registration and returns when to check again, in Unix milliseconds; undefined for never.
 * If nothing is registered, creates the `wanted` endpoint; without `wanted` the node counts as unpublished.
 */
export async function stepRegistration(
	context: RegistrationContext,
	plan: RotationPlan,
	loaded: WatchedMark,
	wanted?: WantedEndpoint,
): Promise<number | undefined> {
	const { now = Date.now } = context;
	const isUnpublished = wanted === undefined || isBeingUnpublished(loaded, now());
	if (loaded.registration === undefined && isUnpublished) return undefined;
	const after = loaded.isHeld ? undefined : await step(context, loaded, plan, wanted);
	return after === undefined ? now() + OTHERS_NEED_MS : nextStepAt(after, plan);
}

/** The registration after the step; undefined when another process was faster. */
async function step(
	context: RegistrationContext,
	loaded: Loaded,
	plan: RotationPlan,
	wanted: WantedEndpoint | undefined,
): Promise<Registration | undefined> {
	const { registration } = loaded;
	if (registration?.current === undefined) {
		const unfinished = registration ?? wanted;
		return unfinished && (await register(context, loaded, unfinished));
	}
	const { current } = registration;
	if (openRegistration(registration, context.clientSecret) === undefined) {
		// Its deliveries could no longer be verified.
		context.warn(
			`the client secret of the credential has changed, so the signing secret of endpoint ${printable(current.id)} can no longer be decrypted: registering a new endpoint`,
		);
		return await register(context, loaded, registration);
	}
	return await rotationStep(context, loaded, { ...registration, current }, plan);
}

async function rotationStep(
	context: RegistrationContext,
	loaded: Loaded,
	{ making, ...registration }: Registered,
	plan: RotationPlan,
): Promise<Registration | undefined> {
	const { now = Date.now } = context;
	const { previous, ...rest } = registration;
	const dueAt = nextStepAt(registration, plan);
	if (dueAt === undefined || dueAt > now()) {
		if (making === undefined) return registration;
		warnOfDeath(context, registration);
		return await replace(context, loaded, registration);
	}
	if (previous === undefined) return await rotate(context, loaded, rest, plan.graceMs);
	if (previous.deletedAt !== undefined) return await replace(context, loaded, rest);
	await context.client.deleteWebhookEndpoint(previous.id);
	const deleted = { ...previous, deletedAt: now() };
	return await replace(context, loaded, { ...registration, previous: deleted });
}

/** Returns `next` once it is stored; undefined when another process was faster. */
async function replace(
	{ key, records }: RecordSlot,
	{ text }: Loaded,
	next: Registration,
): Promise<Registration | undefined> {
	return (await records.swapRecord(key, text, serialise(next))) ? next : undefined;
}
