/** The mark of a process that is making an endpoint: renewed while that process lives, and watched by the others, whose clocks may differ. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { load, serialise, type Loaded, type Registration } from './record';
import type { RegistrationContext } from './types';

const RENEW_MS = 2000;
/** How often, and in which distance in milliseconds, others look: a mark that stays the same so long is a dead process's. */
const LOOKS = 100;
const LOOK_MS = 100;

export interface Settled extends Loaded {
	/** Whether a living process is still making an endpoint. */
	readonly isHeld: boolean;
}

/**
 * `loaded`, or what it becomes when the process that is making an endpoint keeps its secret, for which it waits up to
 * 10 s.
 */
export async function settled(
	context: Pick<RegistrationContext, 'key' | 'records' | 'wait'>,
	loaded: Loaded,
): Promise<Settled> {
	const { wait = sleep } = context;
	const mark = loaded.registration?.making;
	let latest = loaded;
	for (let look = 0; look < LOOKS; look += 1) {
		if (latest.registration?.making === undefined) return { ...latest, isHeld: false };
		await wait(LOOK_MS);
		latest = await load(context);
	}
	const { making } = latest.registration ?? {};
	return { ...latest, isHeld: making !== undefined && making !== mark };
}

export async function loadSettled(
	context: Pick<RegistrationContext, 'key' | 'records' | 'wait'>,
): Promise<Settled> {
	return await settled(context, await load(context));
}

export interface HeldMark {
	/** Ends the renewals and gives the record as it is kept with the mark. */
	release(): Promise<string>;
}

/** Puts `registration` with a mark in the place of the record `expected`; undefined when something else is there. */
export async function holdMark(
	{ key, records }: RegistrationContext,
	expected: string | undefined,
	registration: Registration,
): Promise<HeldMark | undefined> {
	const newText = () => serialise({ ...registration, making: randomUUID() });
	let text = newText();
	if (!(await records.swapRecord(key, expected, text))) return undefined;
	let renewal = Promise.resolve();
	const renew = async () => {
		const next = newText();
		if (await records.swapRecord(key, text, next)) text = next;
	};
	const timer = setInterval(() => {
		// One that fails is made up for by the next.
		renewal = renewal.then(renew).catch(() => undefined);
	}, RENEW_MS);
	timer.unref();
	return {
		async release() {
			clearInterval(timer);
			await renewal;
			return text;
		},
	};
}
