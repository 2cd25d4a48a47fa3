/** Whether a poll continues, or is the first one of a publication: of other settings, or of a ledger that has lost its data. */
import { digestOf } from './common/settings';
import { firstHead, type Head } from './head';
import type { StationPollOptions } from './options';
import type { Readings } from './reading';

/** The head as it was, or that of a publication. */
export function headOf(options: StationPollOptions, before: Head | undefined, polledAt: number) {
	const { settings, memory, warn } = options;
	const digest = digestOf(settings);
	const known = memory.read();
	const isKnown = known?.digest === digest;
	const isLost = isKnown && known.watermark > (before?.watermark ?? -1);
	const { catchUpMs } = settings;
	if (before?.digest === digest && !isLost) {
		const oldest = polledAt - catchUpMs;
		if (before.walk !== undefined || before.frontier >= oldest) {
			return { head: before, isPublication: false };
		}
		const since = new Date(before.frontier).toISOString();
		const until = new Date(oldest).toISOString();
		warn('skipped', `events created from ${since} to ${until} are skipped: see 'Catch Up (Hours)'`);
		return { head: { ...before, frontier: oldest }, isPublication: false };
	}
	const lost = isLost ? known : undefined;
	if (lost !== undefined) {
		const at = new Date(lost.watermark).toISOString();
		warn(
			'lost',
			`the event ledger is not the one that it was (its data was lost, or replaced by a backup): incidents up to ${at} count as reported`,
		);
	}
	const publication = { digest, publishedAt: polledAt, now: polledAt, catchUpMs, lost, before };
	return { head: firstHead(publication), isPublication: true };
}

/** What is listed at publication began before it. */
export function published(head: Head, isWhole: boolean, { newestAt, serviceNow }: Readings): Head {
	if (head.toldUntil !== undefined) return head;
	const isNewestKnown = isWhole || head.walk?.isOldestFirst === false;
	const publishedAt = isNewestKnown ? (newestAt ?? serviceNow) : serviceNow;
	return { ...head, publishedAt };
}
