/** Faults in what a poll starts. */
import { type Fault, fault } from './fault';

const KNOWLEDGE = 'lib/poll/knowledge.ts';

export const POLL: readonly Fault[] = [
	fault(
		'new conditions start what a poll had left out',
		KNOWLEDGE,
		'const isBelow = at <= frontier && at <= wantedSince;',
		'const isBelow = at <= frontier && at <= wantedSince && at < 0;',
	),
	fault(
		'events from before the publication start',
		KNOWLEDGE,
		'if (at < publishedAt) return false;',
		'if (at < publishedAt && at < 0) return false;',
	),
	fault(
		'a poll forgets the events that are not settled',
		KNOWLEDGE,
		"return { next: 'wait', account };",
		"return { next: 'done' };",
	),
	fault(
		'a lost ledger is taken for a first publication',
		'lib/poll/poll.ts',
		'const isForgotten = until !== undefined && until.polls > (remembered.state?.polls ?? -1);',
		'const isForgotten = until !== undefined && until.polls < (remembered.state?.polls ?? -1);',
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
