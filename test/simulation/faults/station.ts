/** Faults in how the station trigger follows the list, and in what it makes an incident of. */
import { type Fault, fault } from './fault';

const POLL = 'lib/station/poll.ts';
const STATION = 'lib/station/decide/station.ts';
const DURATION = 'lib/station/decide/duration.ts';

/** A poll continues after another one has replaced the head. */
const CHANGED_HEAD = {
	file: POLL,
	find: 'if (kept.text !== saved.text) {',
	replace: 'if (kept.text === null) {',
};

export const STATIONS: readonly Fault[] = [
	fault(
		'a second gap during a catch-up is read again in each poll',
		'lib/follow/follow.ts',
		'let position = afterNews(before, news, source);',
		'if (!news.isWhole && reader.failure === undefined && unreadFrom(before) < Infinity) return reader.followed(before, false);\n\tlet position = afterNews(before, news, source);',
	),
	{
		name: 'a late event makes a second incident',
		changes: [
			{
				file: DURATION,
				find: "const isEnded = incident.reported === 'closed' && until !== undefined;",
				replace: 'const isEnded = false;',
			},
			{
				file: DURATION,
				find: 'if (end < closedUntil) incident.until = closedUntil;',
				replace: 'if (end < 0 * closedUntil) incident.until = closedUntil;',
			},
		],
	},
	fault(
		'a poll reads although one of the same node still reads',
		POLL,
		'if (polling.has(publication)) return {};',
		'',
	),
	{
		name: 'the past of a publication holds up what is new',
		changes: [
			{
				file: POLL,
				find: "kind: lost === undefined ? 'look' : 'unread' };",
				replace: "kind: 'unread' };",
			},
			{
				file: POLL,
				find: 'knownUpTo: lost?.at ?? position.knownUpTo,',
				replace: 'knownUpTo: lost?.at ?? 0,',
			},
		],
	},
	{
		name: 'a poll of an old version changes what the new one knows',
		changes: [
			{
				file: 'lib/station/shards.ts',
				find: 'if (known !== undefined && known.generation > step.moment.generation) return UNCHANGED;',
				replace: '',
			},
			CHANGED_HEAD,
		],
	},
	{ name: 'a poll decides on an old copy of the ledger', changes: [CHANGED_HEAD] },
	fault(
		'the reports of a long pause are forgotten before a poll decides',
		'lib/station/common/settings.ts',
		'export const MOST_READ_REPORTS = 1_000;',
		'export const MOST_READ_REPORTS = 64;',
	),
	fault(
		'the end of a session is forgotten before its start is read',
		'lib/station/fold/compactSessions.ts',
		': isOpen(stop.t);',
		': stop.t >= cut;',
	),
	fault(
		'what was open at the publication is reported',
		STATION,
		'const isNews = first.t > publishedAt && mayOpen(assetId);',
		'const isNews = first.t > 0 * publishedAt && mayOpen(assetId);',
	),
	fault(
		'what is back soon is another incident',
		DURATION,
		'return run.since - until < resolveAfterMs;',
		'return run.since - until < 0 * resolveAfterMs;',
	),
	fault(
		'what has not lasted long enough is reported',
		DURATION,
		'if (lastsMs(run, horizon) < forMs) continue;',
		'if (lastsMs(run, horizon) < 0 * forMs) continue;',
	),
	fault(
		'what has not been listed yet counts as absent',
		'lib/station/records.ts',
		'const known = position.knownUpTo - GRACE_MS;',
		'const known = position.knownUpTo - 0 * GRACE_MS;',
	),
	fault(
		'what says that an incident is over overtakes what says that it began',
		'lib/station/reports.ts',
		"if (item['state'] !== 'resolved') return true;",
		"if (item['state'] !== '') return true;",
	),
	fault(
		'a part of the past decides after the loss of the ledger',
		'lib/station/records.ts',
		"const isHeld = known <= (toldUntil ?? -Infinity) && settings.kind !== 'sessionEnded';",
		'const isHeld = false;',
	),
	fault(
		'what an old copy of the ledger has open ends by the settings',
		'lib/station/shards.ts',
		'if (known === undefined || toldUntil !== undefined)',
		'if (known === undefined)',
	),
];
