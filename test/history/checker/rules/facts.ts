/** What several rules ask of a history. */
import type { EventView, LineOf, Period, Start, View } from '../view';

export const SECOND_MS = 1_000;

export const MINUTE_MS = 60 * SECOND_MS;

/** A process that was not heard of for this long counts as dead. */
export const SESSION_MS = 60 * SECOND_MS;

/** Whether the ledger noted that the execution has begun the event: its last field names the attempt, and so the execution. */
export const isBegunBy = ({ to }: LineOf<'entry'>, execution: string): boolean =>
	to.startsWith('r') && to.split('|').at(-1)?.startsWith(`${execution}:`) === true;

export const PAUSES_MS = [1, 5, 30, 120, 360].map((minutes) => minutes * MINUTE_MS);

export const PAUSE_AFTER_STOP_MS = 5 * MINUTE_MS;

export const MOST_ATTEMPTS = 6;

export const FIRST_GRACE_MS = 15 * MINUTE_MS;

export const COUNTS_AS_STORED_MS = 30 * SECOND_MS;

/** After polls that have failed, with n8n's durable scheduler. */
const LONGEST_PAUSE_MS = 30 * MINUTE_MS;

export const LONGEST_GRACE_MS = 240 * MINUTE_MS;

/** Starts that the ledger knows: a retry by a user need not reach it. */
export const ownStarts = ({ starts }: EventView) => starts.filter(({ mode }) => mode !== 'retry');

export const isForged = ({ created }: EventView) => created.isForged === true;
export const isOdd = ({ created }: EventView) => created.isOdd === true;
/** Neither the service nor anybody else sends such a one so that it could start. */
export const isStartable = (event: EventView) => !isForged(event) && !isOdd(event);

export const succeeded = ({ end }: Start) =>
	end?.outcome === 'success' || end?.outcome === 'waiting';

/** Whether a user may have asked for a start between the two. */
export function wasReplayed({ replays }: EventView, after: number, before: number): boolean {
	return replays.some(
		({ from, to, isTaken }) => isTaken !== false && to >= after && from <= before,
	);
}

/** Whether a retry by a user has taken the event within the period. */
export function wasRetried({ starts }: EventView, { from, to }: Period): boolean {
	return starts.some(({ mode, at }) => mode === 'retry' && at >= from && at <= to);
}

/** Whether the process that ran it may not have reported how it ended by then. */
export function mayLackEnd(
	view: View,
	{ by, end, at, acknowledge, execution }: Start,
	until: number,
): boolean {
	const from = end?.at ?? at;
	const isStopped = view.all('stopped').some((stop) => stop.execution === execution);
	return (
		// Without its hooks, n8n says only that it was stopped, also if it succeeded at that moment.
		(isStopped && view.world.reportsEnd === 'if saved') ||
		view.downAt(by) <= until ||
		view.pausedMs(by, { from: at, to: until }) > 0 ||
		view.hadFault({ from: from - MINUTE_MS, to: until }) ||
		// With Do Not Start Again, the disk need not have it at once.
		(acknowledge === 'stored' &&
			view.hadFault({ from, to: from + 90 * SECOND_MS }, ['power cut'])) ||
		// It is written in the background.
		until - from < 5 * SECOND_MS
	);
}

export const named = ({ id }: EventView, { execution, at }: Start) =>
	`${id} in execution ${execution} at ${new Date(at).toISOString()}`;

/**
 * With Do Not Start Again, an execution that was interrupted after the ledger knew that it begins is not repeated; nor one whose
 * process ended before it could write that the event is given back.
 */
export function wasCutOff(view: View, { entries }: EventView): boolean {
	return entries.some(
		({ at, by, to }) => /^[rb]\|/.test(to) && view.silentAt(by) < at + 35 * SECOND_MS,
	);
}

/** Enough for some polls, whatever the first of them met. */
export function polls({ world }: View): number {
	const pauseMs = world.isScheduled === true ? LONGEST_PAUSE_MS : 0;
	return 10 * world.pollMinutes * MINUTE_MS + 5 * MINUTE_MS + pauseMs;
}

/** By which processes the event was handed over, and from when on that counted as stored. */
export function heldLong(view: View, event: EventView): { by: string; lateAt: number }[] {
	const hungUp = event.responses.filter(({ body }) => body === 'hung up');
	const deliveries = hungUp.flatMap(({ delivery, at }) => {
		const line = view.sent.get(delivery);
		if (line === undefined) return [];
		return [{ by: line.to, lateAt: Math.max(at, line.at + COUNTS_AS_STORED_MS) }];
	});
	const polls = event.entries.flatMap(({ at, by, from, to }, n) => {
		const claimedAt = event.entries[n - 1]?.at ?? at;
		const isLate =
			from.startsWith('p') && to.startsWith('s') && at - claimedAt >= COUNTS_AS_STORED_MS;
		return isLate ? [{ by, lateAt: at }] : [];
	});
	return [...deliveries, ...polls];
}
