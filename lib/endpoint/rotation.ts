/**
 * The steps after an endpoint is registered: its rotation without a lost or duplicated event (specification 6.7), and
 * unfinished work. They run in the background when they are due; nothing else in a process runs them.
 */
import { explained } from '../shared/errors';
import { printable } from '../shared/text';
import { DAY_MS, MINUTE_MS } from '../shared/time';
import {
	isBeingUnpublished,
	type Loaded,
	type Registration,
	type RegistrationContext,
	replace,
	type WantedEndpoint,
	whileClaimed,
} from './record';
import { make, register } from './registration';
import { openRegistration } from './secretBox';

export interface RotationPlan {
	/** The age at which an endpoint is replaced, in milliseconds; 0 for never. */
	readonly rotateAfterMs: number;
	/** When an endpoint that is older is replaced, in Unix milliseconds: at once if it has come. */
	readonly rotateAt?: number | undefined;
	/** How long the replaced endpoint stays active, in milliseconds. */
	readonly graceMs: number;
}

/** How much longer the secret of a deleted endpoint is accepted, for its last deliveries; older ones are stale anyway. */
const LAST_DELIVERIES_MS = 5 * MINUTE_MS;
/** When to check again if another process is creating the endpoint or was faster. */
const OTHERS_NEED_MS = 10_000;

/** When the next step is due, in Unix milliseconds; undefined for never. */
export function nextStepAt(
	registration: Registration,
	{ rotateAfterMs, rotateAt = -Infinity }: RotationPlan,
): number | undefined {
	const { current, previous, making } = registration;
	if (current === undefined || making !== undefined) return 0;
	if (previous?.deletedAt !== undefined) return previous.deletedAt + LAST_DELIVERIES_MS;
	if (previous !== undefined) return previous.deleteAfter;
	const { createdAt } = current;
	const byAge = rotateAfterMs > 0 ? createdAt + rotateAfterMs : Infinity;
	const byDate = createdAt < rotateAt ? rotateAt : Infinity;
	const next = Math.min(byAge, byDate);
	return next === Infinity ? undefined : next;
}

/**
 * Runs the due step of the registration and returns when to check again, in Unix milliseconds; undefined for never.
 * If nothing is registered, creates the `wanted` endpoint; without `wanted` the node counts as unpublished.
 */
export async function stepRegistration(
	context: RegistrationContext,
	plan: RotationPlan,
	wanted?: WantedEndpoint,
): Promise<number | undefined> {
	const { now = Date.now } = context;
	const taken = await whileClaimed(context, 0, async (loaded) => {
		const isUnpublished = wanted === undefined || isBeingUnpublished(loaded, now());
		const registration = loaded.registration ?? (isUnpublished ? undefined : wanted);
		if (registration === undefined) return { nextAt: undefined };
		const after = await step(context, loaded, registration, plan);
		return after && { nextAt: nextStepAt(after, plan) };
	});
	return taken === undefined ? now() + OTHERS_NEED_MS : taken.nextAt;
}

/** The registration after the step; undefined if the record was changed meanwhile. */
async function step(
	context: RegistrationContext,
	loaded: Loaded,
	registration: Registration,
	plan: RotationPlan,
): Promise<Registration | undefined> {
	const { clientSecret, client, warn, now = Date.now } = context;
	const { previous, ...rest } = registration;
	const { current } = rest;
	if (current === undefined) return await register(context, loaded, registration);
	if (openRegistration(registration, clientSecret) === undefined) {
		// Its deliveries could no longer be verified.
		warn(
			`the client secret of the credential has changed, so the signing secret of endpoint ${printable(current.id)} can no longer be decrypted: registering a new endpoint`,
		);
		return await register(context, loaded, registration);
	}
	const dueAt = nextStepAt(registration, plan);
	if (dueAt === undefined || dueAt > now()) return registration;
	if (previous === undefined) {
		return await make(context, loaded, rest, (next) => ({
			...rest,
			current: next,
			previous: { ...current, deleteAfter: now() + plan.graceMs },
		}));
	}
	const isDeleted = previous.deletedAt !== undefined;
	if (!isDeleted) await client.deleteWebhookEndpoint(previous.id);
	const after = isDeleted ? rest : { ...rest, previous: { ...previous, deletedAt: now() } };
	return (await replace(context, loaded, after)) ? after : undefined;
}

/** A longer timer could overflow; a later step is checked again then. */
const LONGEST_MS = DAY_MS;
/** The pause after a failure, such as a service that is down. */
const AGAIN_AFTER_MS = 5 * MINUTE_MS;
/** The shortest pause between two steps. */
const SOONEST_MS = 100;

/** Runs the due step and returns when to check again, in Unix milliseconds; undefined for never. */
type DueStep = () => Promise<number | undefined>;
type Warn = RegistrationContext['warn'];

/** By the key of the record, in Unix milliseconds: a step has failed, and none runs before. */
const notBefore = new Map<string, number>();
const underWay = new Set<string>();
const timers = new Map<string, NodeJS.Timeout>();

/** The steps of this process: in the background, one at a time per key, and none for a while after a failure. */
export const dueSteps = {
	/** Whether a step could run now. */
	isFree: (key: string) => !underWay.has(key) && Date.now() >= (notBefore.get(key) ?? 0),

	startNow(key: string, step: DueStep, warn: Warn): void {
		void take(key, step, warn);
	},

	/**
	 * Schedules the step for `at`, then for each time that it returns, and drops the earlier schedule; undefined
	 * schedules nothing.
	 */
	plan(key: string, at: number | undefined, step: DueStep, warn: Warn): void {
		clearTimeout(timers.get(key));
		timers.delete(key);
		if (at === undefined) return;
		const delay = Math.min(LONGEST_MS, Math.max(SOONEST_MS, at - Date.now()));
		const timer = setTimeout(() => {
			void take(key, step, warn).then((nextAt) => {
				// It may have been rescheduled or cancelled in the meantime.
				if (timers.get(key) === timer) dueSteps.plan(key, nextAt, step, warn);
			});
		}, delay);
		timers.set(key, timer.unref());
	},

	/** Cancels the schedule. */
	end(key: string): void {
		clearTimeout(timers.get(key));
		timers.delete(key);
		notBefore.delete(key);
	},
};

/** Returns when to check again; never rejects. */
async function take(key: string, step: DueStep, warn: Warn): Promise<number | undefined> {
	if (!dueSteps.isFree(key)) return notBefore.get(key) ?? Date.now();
	underWay.add(key);
	try {
		const nextAt = await step();
		notBefore.delete(key);
		return nextAt;
	} catch (error) {
		warn(`could not create or replace the endpoint, will retry: ${explained(error)}`);
		const again = Date.now() + AGAIN_AFTER_MS;
		notBefore.set(key, again);
		return again;
	} finally {
		underWay.delete(key);
	}
}
