/** What becomes due after an endpoint is registered: its rotation without a lost or doubled event (specification 6.7), and what a process left undone. */
import { printable } from '../shared/printable';
import { register, rotate } from './making';
import {
	isUnderWay,
	load,
	serialise,
	UNDER_WAY_AT_MOST_MS,
	type Loaded,
	type Registration,
} from './record';
import { openRegistration } from './secretBox';
import type { RegistrationContext, WantedEndpoint } from './types';

export interface RotationPlan {
	/** The age at which an endpoint is replaced, in milliseconds; 0 for never. */
	readonly rotateAfterMs: number;
	/** How long the replaced endpoint goes on, in milliseconds. */
	readonly graceMs: number;
}

/** A deleted endpoint's secret is accepted so much longer: its last deliveries are on their way, older ones are stale anyway. */
const LAST_DELIVERIES_MS = 5 * 60 * 1000;

/** When there is something to do next, in unix milliseconds; undefined for never. */
export function nextStepAt(registration: Registration, plan: RotationPlan): number | undefined {
	const { current, previous, making } = registration;
	const othersAreDoneAt = making === undefined ? 0 : making.since + UNDER_WAY_AT_MOST_MS;
	if (current === undefined) return othersAreDoneAt;
	if (previous?.deletedAt !== undefined) return previous.deletedAt + LAST_DELIVERIES_MS;
	if (previous !== undefined) return previous.deleteAfter;
	if (plan.rotateAfterMs === 0) return undefined;
	return Math.max(current.createdAt + plan.rotateAfterMs, othersAreDoneAt);
}

/**
 * Does what is due and answers when to come again, in unix milliseconds; undefined for never.
 * With nothing registered it makes the `wanted` endpoint; without one the node counts as unpublished, and nothing is made.
 */
export async function stepRegistration(
	context: RegistrationContext,
	plan: RotationPlan,
	wanted?: WantedEndpoint,
): Promise<number | undefined> {
	const { now = Date.now } = context;
	const loaded = await load(context);
	const { registration, unregisteredAt } = loaded;
	if (registration === undefined && (!wanted || isUnderWay(unregisteredAt, now()))) {
		return undefined;
	}
	const isMaking = isUnderWay(registration?.making?.since, now());
	const after = isMaking ? registration : await step(context, loaded, plan, wanted);
	// Where another process was faster, it has this time to end.
	return after === undefined ? now() + UNDER_WAY_AT_MOST_MS : nextStepAt(after, plan);
}

/** The registration after the step; undefined when another process was faster. */
async function step(
	context: RegistrationContext,
	loaded: Loaded,
	plan: RotationPlan,
	wanted: WantedEndpoint | undefined,
): Promise<Registration | undefined> {
	const { clientSecret, now = Date.now } = context;
	const registration = loaded.registration;
	if (registration?.current === undefined) {
		const unfinished = registration ?? wanted;
		return unfinished && (await register(context, loaded, unfinished));
	}
	const { current, previous, ...rest } = registration;
	if (openRegistration(registration, clientSecret) === undefined) {
		// Its deliveries could never be verified again.
		context.warn(
			`the client secret of the credential has changed, so the signing secret of endpoint ${printable(current.id)} can no longer be decrypted; a new endpoint is registered`,
		);
		return await register(context, loaded, registration);
	}
	const dueAt = nextStepAt(registration, plan);
	if (dueAt === undefined || dueAt > now()) return registration;
	if (previous === undefined) {
		return await rotate(context, loaded, { ...rest, current }, plan.graceMs);
	}
	if (previous.deletedAt !== undefined) return await swapped(context, loaded, { ...rest, current });
	await context.api.delete(previous.id);
	const deleted = { ...previous, deletedAt: now() };
	return await swapped(context, loaded, { ...registration, previous: deleted });
}

async function swapped(
	{ key, records }: RegistrationContext,
	{ text }: Loaded,
	next: Registration,
): Promise<Registration | undefined> {
	return (await records.swapRecord(key, text, serialise(next))) ? next : undefined;
}
