/** The mark of a process that creates an endpoint, which renews it. Others watch it, since their clocks may differ. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { load, serialise, type Loaded, type Registration } from './record';
import type { RecordSlot, RegistrationContext } from './types';

const RENEW_MS = 2000;
/** How often other processes check, and the pause in milliseconds: a mark that stays the same belongs to a dead process. */
const CHECKS = 100;
const CHECK_MS = 100;

type WatchedSlot = RecordSlot & Pick<RegistrationContext, 'wait'>;

/** The record when no process is creating an endpoint any more, or after 10 s. */
export interface WatchedMark extends Loaded {
	/** Whether a living process is still creating an endpoint. */
	readonly isHeld: boolean;
}

/** Returns `loaded`, or the loaded record. If a process is creating an endpoint, waits up to 10 s for it to save the secret. */
export async function watchMark(slot: WatchedSlot, loaded?: Loaded): Promise<WatchedMark> {
	const { wait = sleep } = slot;
	let latest = loaded ?? (await load(slot));
	const mark = latest.registration?.making;
	for (let check = 0; check < CHECKS; check += 1) {
		if (latest.registration?.making === undefined) return { ...latest, isHeld: false };
		await wait(CHECK_MS);
		latest = await load(slot);
	}
	const { making } = latest.registration ?? {};
	return { ...latest, isHeld: making !== undefined && making !== mark };
}

interface HeldMark {
	/** Stops the renewals and returns the record as stored, with the mark. */
	stopRenewing(): Promise<string>;
}

/** Replaces the record `expected` with `registration` and a mark; undefined if the record is not `expected`. */
export async function holdMark(
	{ key, records }: RecordSlot,
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
		// If it fails, the next renewal makes up for it.
		renewal = renewal.then(renew).catch(() => undefined);
	}, RENEW_MS);
	timer.unref();
	return {
		async stopRenewing() {
			clearInterval(timer);
			await renewal;
			return text;
		},
	};
}
