/** Rotation without a lost or doubled event: a second endpoint with the same URL, both secrets accepted for a time, then the first one deleted (specification 6.7). */
import { randomUUID } from 'node:crypto';
import { deleteEndpoints, keepOrDelete, makeEndpoint } from './endpoints';
import { isRotating, ROTATING_AT_MOST_MS, serialise, type Registration } from './record';
import { loadRegistration } from './registration';
import type { RegistrationContext } from './types';

export interface RotationPlan {
	/** The age at which an endpoint is replaced, in milliseconds; 0 for never. */
	readonly rotateAfterMs: number;
	/** How long the replaced endpoint goes on, in milliseconds. */
	readonly graceMs: number;
}

/** A deleted endpoint's secret is accepted so much longer: its last deliveries are on their way, older ones are stale anyway. */
const LAST_DELIVERIES_MS = 5 * 60 * 1000;

function markOf(now: number): Pick<Registration, 'rotatingSince' | 'rotatingBy'> {
	return { rotatingSince: now, rotatingBy: randomUUID() };
}

/** When there is something to do next, in unix milliseconds; undefined for never. */
export function nextStepAt(registration: Registration, plan: RotationPlan): number | undefined {
	const { current, previous } = registration;
	if (previous?.deletedAt !== undefined) return previous.deletedAt + LAST_DELIVERIES_MS;
	if (previous !== undefined) return previous.deleteAfter;
	return plan.rotateAfterMs > 0 ? current.createdAt + plan.rotateAfterMs : undefined;
}

/** Does what is due and answers when to come again, in unix milliseconds; undefined for never. */
export async function stepRotation(
	context: RegistrationContext,
	plan: RotationPlan,
): Promise<number | undefined> {
	const { now = Date.now } = context;
	const loaded = await loadRegistration(context);
	if (loaded === undefined) return undefined;
	const { registration, text } = loaded;
	const dueAt = nextStepAt(registration, plan);
	if (dueAt === undefined || dueAt > now()) return dueAt;
	if (registration.previous === undefined) {
		if (isRotating(registration, now())) return now() + ROTATING_AT_MOST_MS;
		await replaceEndpoint(context, registration, text, plan);
	} else if (registration.previous.deletedAt === undefined) {
		await context.api.delete(registration.previous.id);
		const deleted = { ...registration.previous, deletedAt: now() };
		await context.records.swapRecord(
			context.key,
			text,
			serialise({ ...registration, previous: deleted }),
		);
	} else {
		const { previous, ...rest } = registration;
		await context.records.swapRecord(context.key, text, serialise(rest));
	}
	const after = await loadRegistration(context);
	return after === undefined ? undefined : nextStepAt(after.registration, plan);
}

/**
 * Replaces an endpoint whose signing secret can no longer be decrypted. Its deliveries could never be verified again,
 * so it is deleted first; false when another process is at it.
 */
export async function replaceLostEndpoint(context: RegistrationContext): Promise<boolean> {
	const { key, records, now = Date.now } = context;
	const loaded = await loadRegistration(context);
	if (loaded === undefined || isRotating(loaded.registration, now())) return false;
	const { registration, text } = loaded;
	// After a failure the mark stays, and keeps the next attempt off for a while.
	const marked = serialise({ ...registration, ...markOf(now()) });
	if (!(await records.swapRecord(key, text, marked))) return false;
	await deleteEndpoints(context, registration);
	const current = await makeEndpoint(context, registration);
	const { url, events } = registration;
	await keepOrDelete(
		context,
		current,
		async () => await records.swapRecord(key, marked, serialise({ url, events, current })),
	);
	return true;
}

/**
 * The mark goes first: a process that meets a signature of the new endpoint before its secret is kept
 * sees the mark and waits for the secret, instead of refusing the delivery.
 */
async function replaceEndpoint(
	context: RegistrationContext,
	registration: Registration,
	text: string,
	{ graceMs }: RotationPlan,
): Promise<void> {
	const { key, records, now = Date.now } = context;
	const { rotatingSince, ...settled } = registration;
	const marked = serialise({ ...settled, ...markOf(now()) });
	if (!(await records.swapRecord(key, text, marked))) return;
	try {
		const current = await makeEndpoint(context, registration);
		const previous = { ...registration.current, deleteAfter: now() + graceMs };
		await keepOrDelete(
			context,
			current,
			async () =>
				await records.swapRecord(key, marked, serialise({ ...settled, current, previous })),
		);
	} catch (error) {
		await records.swapRecord(key, marked, serialise(settled));
		throw error;
	}
}
