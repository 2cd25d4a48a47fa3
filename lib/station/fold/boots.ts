/**
 * A boot starts over: if a connector reports within ten minutes of it, what is not reported again by then ended at the boot.
 * While the station is offline, the ten minutes pause.
 */
import { countBefore } from '../../shared/sorted';
import { BOOT_ASKED_MS, BOOT_MS, RESPONSE_MS } from '../common/settings';
import type { Boot, Report } from '../common/state';
import { OFFLINE, type Outage } from './outages';
import type { BootWindow } from './timeline';

/** Those that the service has neither asked for nor refused, oldest first. */
export function realBoots(all: readonly Boot[]): Boot[] {
	const asked = all.filter(({ as }) => as === 'asked');
	const refused = all.filter(({ as }) => as === 'refused');
	return all
		.filter((boot) => {
			if (boot.as !== undefined) return false;
			const isAsked = ({ t }: Boot) => t <= boot.t && boot.t - t <= BOOT_ASKED_MS;
			const isRefused = ({ t, m }: Boot) => m === boot.m && Math.abs(t - boot.t) <= RESPONSE_MS;
			return (boot.r === true || !asked.some(isAsked)) && !refused.some(isRefused);
		})
		.sort((a, b) => a.t - b.t || (a.id < b.id ? -1 : 1));
}

interface Evidence {
	readonly outages: readonly Outage[];
	/** When connectors reported a status, in order. */
	readonly reportedAt: readonly number[];
	/** Everything up to here is known. */
	readonly watermark: number;
}

/** The boots that matter: at which something ended, or that are not decided yet. */
export function windowsOf(
	boots: readonly Boot[],
	{ outages, reportedAt, watermark }: Evidence,
): BootWindow[] {
	return boots.flatMap(({ t, id }) => {
		const end = endOf(t, outages);
		const isOver = end <= watermark;
		const first = reportedAt[firstFrom(reportedAt, t)];
		// The end is not known while the station is offline.
		const isBegun = first !== undefined && first <= end;
		return isOver && !isBegun ? [] : [{ t, id, end, isBegun, isOver }];
	});
}

/** Ten minutes in which the station is connected. */
function endOf(boot: number, outages: readonly Outage[]): number {
	let end = boot + BOOT_MS;
	for (const { since, until = Infinity, isVoid } of outages) {
		if (isVoid === true || until <= boot) continue;
		if (since > end) break;
		end += until - Math.max(since, boot);
	}
	return end;
}

/** The index of the first that is not before `t`. */
function firstFrom(times: readonly number[], t: number): number {
	return countBefore(times.length, (n) => (times[n] ?? 0) < t);
}

/** Whether a report of the connection can matter to a boot before it. */
export const isUsefulToBoots = ({ t, key }: Report, boots: readonly Boot[]): boolean =>
	key === OFFLINE && boots.some((boot) => boot.as === undefined && boot.t <= t);
