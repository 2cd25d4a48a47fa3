/** Wakes up when a rotation has something to do, in the process that published the workflow. */
import type { IHookFunctions } from 'n8n-workflow';
import { stepRotation } from '../../lib/registration';
import { registrationContext, rotationPlan } from './registration';

/** Timers cannot be longer than this; what is later is looked at again then. */
const LONGEST_MS = 24 * 60 * 60 * 1000;
/** After a failure, such as a service that is away. */
const AGAIN_AFTER_MS = 5 * 60 * 1000;
/** Between two steps at least. */
const SOONEST_MS = 100;

const timers = new Map<string, NodeJS.Timeout>();

/** Plans the rotations of the node; a plan that was there is replaced. */
export async function planRotations(context: IHookFunctions): Promise<void> {
	const { key } = await registrationContext(context);
	const step = async () => {
		// Read afresh: the credential may have changed since the workflow was published.
		const registration = await registrationContext(context);
		let nextAt: number | undefined;
		try {
			nextAt = await stepRotation(registration, rotationPlan(context));
		} catch (error) {
			const reason = error instanceof Error ? error.message : 'unknown error';
			registration.warn(`the rotation of the signing secret is tried again later: ${reason}`);
			nextAt = Date.now() + AGAIN_AFTER_MS;
		}
		if (nextAt !== undefined) wakeAt(nextAt);
	};
	const wakeAt = (at: number) => {
		const delay = Math.min(LONGEST_MS, Math.max(SOONEST_MS, at - Date.now()));
		clearTimeout(timers.get(key));
		const timer = setTimeout(() => {
			if (timers.get(key) !== timer) return;
			timers.delete(key);
			void step().catch(() => {
				wakeAt(Date.now() + AGAIN_AFTER_MS);
			});
		}, delay);
		timers.set(key, timer.unref());
	};
	wakeAt(Date.now());
}

/** Ends the rotations of a node that is unpublished. */
export function forgetRotations(key: string): void {
	clearTimeout(timers.get(key));
	timers.delete(key);
}
