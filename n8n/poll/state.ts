/** What a poll trigger remembers between polls: how far back it has read, so that the next poll need not read on for ever. */
import type { Ledger } from '../../lib/ledger';

export interface PollState {
	/** What the parameter said when this state was begun: another choice begins a new one. */
	readonly startFrom: 'now' | 'retained';
	/** The newest event when the trigger was first published with "now", in unix milliseconds; 0 when it tells no time. */
	readonly baselineAt: number;
	/** The newest event of the last whole poll, in unix milliseconds; 0 before it. */
	readonly newestAt: number;
	/** The oldest event that waited for its run to begin at the last whole poll, in unix milliseconds. */
	readonly waitingSince?: number | undefined;
}

export interface Remembered {
	readonly text: string | undefined;
	readonly state: PollState | undefined;
}

export async function readState(ledger: Ledger, key: string): Promise<Remembered> {
	const text = await ledger.readRecord(key);
	return { text, state: text === undefined ? undefined : parseState(text) };
}

/**
 * Keeps `state` in the place of what was remembered, and answers what is remembered from then on.
 * Another process that wrote in between wins: it polled as well, and the ledger keeps events apart.
 */
export async function writeState(
	ledger: Ledger,
	key: string,
	{ text }: Remembered,
	state: PollState,
): Promise<Remembered> {
	const next = JSON.stringify(state);
	if (next !== text) await ledger.swapRecord(key, text, next);
	return { text: next, state };
}

function parseState(text: string): PollState | undefined {
	try {
		const value = JSON.parse(text) as Record<string, unknown>;
		const { startFrom, baselineAt, newestAt, waitingSince } = value;
		if (startFrom !== 'now' && startFrom !== 'retained') return undefined;
		if (typeof baselineAt !== 'number' || typeof newestAt !== 'number') return undefined;
		return {
			startFrom,
			baselineAt,
			newestAt,
			...(typeof waitingSince === 'number' && { waitingSince }),
		};
	} catch {
		return undefined;
	}
}
