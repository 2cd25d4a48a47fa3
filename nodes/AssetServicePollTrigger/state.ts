/** What a poll trigger remembers between polls: how far back it has read, so that the next poll need not read on for ever. */
import type { Ledger } from '../../lib/ledger';

export interface PollState {
	/** The newest event when the trigger was published with "now", in unix milliseconds; null when it tells no time. */
	readonly baselineAt?: number | null;
	/** The newest event of the last whole poll, in unix milliseconds. */
	readonly newestAt?: number;
}

export interface Remembered {
	readonly text: string | undefined;
	readonly state: PollState | undefined;
}

export async function readState(ledger: Ledger, key: string): Promise<Remembered> {
	const text = await ledger.readRecord(key);
	return { text, state: text === undefined ? undefined : parseState(text) };
}

/** Another process that wrote in between wins: it polled as well, and the ledger keeps events apart. */
export async function writeState(
	ledger: Ledger,
	key: string,
	{ text }: Remembered,
	state: PollState,
): Promise<void> {
	const next = JSON.stringify(state);
	if (next !== text) await ledger.swapRecord(key, text, next);
}

function parseState(text: string): PollState | undefined {
	try {
		const value = JSON.parse(text) as Record<string, unknown>;
		const { baselineAt, newestAt } = value;
		return {
			...((typeof baselineAt === 'number' || baselineAt === null) && { baselineAt }),
			...(typeof newestAt === 'number' && { newestAt }),
		};
	} catch {
		return undefined;
	}
}
