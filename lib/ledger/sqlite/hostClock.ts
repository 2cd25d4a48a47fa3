/** The clocks of the host, by which the SQLite ledger measures sessions and lets entries expire. */
import { readFileSync } from 'node:fs';
import { uptime as secondsUp } from 'node:os';
import { DAY_MS } from '../../shared/time';

/** Identifies the time since the host was started; only Linux has it. Elsewhere, a monotonic clock that went back shows a new start. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
/** A wall clock that is ahead by more than this was set. */
const JUMP_MS = DAY_MS;

export interface HostClock {
	/** Unix milliseconds. While the clock of the host is days ahead of where it was, the time before that continues. */
	readonly now: () => number;
	/** Milliseconds of a clock that nobody sets, the same in all processes of the host. */
	readonly monotonic: () => number;
	/** Changes when the monotonic clock starts again. */
	readonly boot: string;
}

/** Calls `onJump` once with the milliseconds that the clock was set ahead: events must not expire because of that. */
export function hostClock(
	onJump: (ms: number) => void = () => undefined,
	wall: () => number = Date.now,
	monotonic: () => number = () => Number(process.hrtime.bigint() / 1_000_000n),
	/** Like `monotonic`, but it also runs while the host is suspended. */
	uptime: () => number = () => secondsUp() * 1_000,
): HostClock {
	const offset = wall() - monotonic();
	const awake = uptime() - monotonic();
	let hasJumped = false;
	const now = () => {
		const time = wall();
		const expected = monotonic() + offset;
		if (time - expected <= JUMP_MS) return time;
		const sleptMs = Math.max(0, uptime() - monotonic() - awake);
		const aheadMs = time - expected - sleptMs;
		if (aheadMs <= JUMP_MS) return time;
		if (!hasJumped) onJump(aheadMs);
		hasJumped = true;
		return expected + sleptMs;
	};
	return { now, monotonic, boot: bootId() };
}

function bootId(): string {
	try {
		return readFileSync(BOOT_ID, 'utf8').trim();
	} catch {
		return '';
	}
}
