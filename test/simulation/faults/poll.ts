/** Faults in what a poll starts. */
import { type Fault, fault } from './fault';

const FINDS = 'lib/poll/events.ts';

export const POLL: readonly Fault[] = [
	fault(
		'new conditions start what a poll had left out',
		FINDS,
		'const wasRead = at <= wantedSince && !isUnread(position, { id, at });',
		'const wasRead = at < 0 && !isUnread(position, { id, at });',
	),
	fault(
		'events from before the publication start',
		FINDS,
		'if (at < publishedAt) return false;',
		'if (at < publishedAt && at < 0) return false;',
	),
	fault(
		'a poll forgets the events that are not settled',
		FINDS,
		'else this.leaveOpen(listed, account);',
		'else void account;',
	),
	fault(
		'a lost ledger is taken for a first publication',
		'lib/follow/saved.ts',
		'known.polls > (polls ?? -1)',
		'known.polls < (polls ?? -1)',
	),
	fault(
		'an odd record stops the list',
		'lib/service/paging.ts',
		'for (const each of odd) this.leftOut.add(each);',
		'if (odd.length > 0) throw endless(0);',
	),
	fault(
		'a page of odd records ends the list',
		'lib/service/paging.ts',
		'return { fresh, isNew: page.items.length > 0 };',
		'return { fresh, isNew: fresh.length > 0 };',
	),
	fault(
		'a replayed event is not marked',
		'lib/start/start.ts',
		'record: withReplay(pair.item.record, reopenedAt),',
		'record: withReplay(pair.item.record, reopenedAt && undefined),',
	),
	fault(
		'an event that a poll could not start stays claimed',
		'lib/start/start.ts',
		'await (isStored ? commitHold(hold, RETENTION_MS) : releaseHold(hold));',
		'await commitHold(hold, RETENTION_MS);',
	),
];
