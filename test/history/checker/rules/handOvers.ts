/** What n8n gets, and what the sender of a delivery gets. */
import type { EventView, View } from '../view';
import {
	COUNTS_AS_STORED_MS,
	FIRST_GRACE_MS,
	isBegunBy,
	LONGEST_GRACE_MS,
	MINUTE_MS,
	SECOND_MS,
	SESSION_MS,
	heldLong,
	isForged,
	isOdd,
	isStartable,
	succeeded,
	wasCutOff,
	wasReplayed,
	wasRetried,
} from './facts';
import type { Found, Rule } from './rule';

export const HAND_OVERS: readonly Rule[] = [
	{
		name: 'only signed deliveries start',
		promised: [
			{ in: 'README.md', text: 'Only deliveries with a valid signature start a workflow.' },
		],
		needs: ['forged', 'response', 'stored', 'started'],
		*check(view) {
			for (const event of view.events.filter(isForged)) {
				for (const { at } of [...event.stored, ...event.starts])
					yield { at, message: `${event.id} was forged and started` };
				for (const { at, status } of event.responses) {
					if (![0, 401, 404].includes(status))
						yield { at, message: `${event.id} was forged and got ${status}` };
				}
			}
		},
	},
	{
		name: 'odd records start nothing',
		promised: [
			{ in: 'docs/troubleshooting.md', text: 'records without a usable ID, or too large' },
		],
		needs: ['created', 'response', 'stored', 'started'],
		*check(view) {
			for (const event of view.events.filter(isOdd)) {
				for (const { at } of [...event.stored, ...event.starts])
					yield { at, message: `${event.id} cannot be used and started` };
				for (const { at, status } of event.responses) {
					if (![0, 400, 404].includes(status) && status < 500)
						yield { at, message: `${event.id} cannot be used and got ${status}` };
				}
			}
		},
	},
	{
		name: 'one hand-over at a time',
		promised: [{ in: 'docs/promises.md', text: 'Another delivery of the event is in progress' }],
		needs: ['stored', 'started', 'dropped', 'process'],
		*check(view) {
			for (const event of view.startable) {
				yield* takenFromLiving(view, event);
				const stored = event.stored.filter(({ isGuess }) => isGuess !== true);
				for (const [n, next] of stored.entries()) {
					const open = stored.slice(0, n).find((each) => isWaiting(view, event, each, next.at));
					// It was claimed before the pause.
					const isLate =
						open && view.pausedMs(next.by, { from: open.at - MINUTE_MS, to: next.at }) > 0;
					if (open && next.mode !== 'retry' && !isLate) {
						yield {
							at: next.at,
							message: `n8n got execution ${next.execution} for ${event.id} although ${open.execution} was stored and had not begun`,
						};
					}
				}
			}
		},
	},
	{
		name: 'acknowledged when stored',
		promised: [
			{
				in: 'README.md',
				text: 'An event that n8n did not store is not acknowledged, so the service delivers it again.',
			},
			{ in: 'docs/promises.md', text: 'n8n stores the execution' },
		],
		needs: ['sent', 'response', 'stored', 'started', 'ended'],
		*check(view) {
			for (const event of view.events.filter(isStartable)) {
				for (const { at, status, body } of event.responses) {
					if (status < 200 || status >= 300 || body === 'ignored') continue;
					const isStored =
						event.stored.some((stored) => stored.at <= at) || countsAsStored(view, event, at);
					if (!isStored)
						yield {
							at,
							message: `${event.id} was acknowledged (${status} ${body}) and n8n has stored no execution`,
						};
				}
				yield* acknowledgedTooEarly(view, event);
			}
			for (const event of view.startable) yield* committedTooEarly(view, event);
		},
	},
	{
		name: 'responses',
		promised: [{ in: 'docs/promises.md', text: 'n8n could not store the execution' }],
		needs: ['threw', 'unhandled', 'dropped', 'polled'],
		*check(view) {
			for (const { at, where, message } of view.all('threw'))
				yield { at, message: `${where} threw: ${message}` };
			for (const { at, message } of view.all('unhandled'))
				yield { at, message: `unhandled rejection: ${message}` };
			for (const { at, execution, error } of view.all('dropped')) {
				if (error === undefined || /cancel|abort/i.test(error)) continue;
				if (
					!view.hadFault({ from: at - MINUTE_MS, to: at + 1 }) &&
					!view.hadLoss({ from: at - MINUTE_MS, to: at })
				)
					yield { at, message: `execution ${execution} failed in the trigger: ${error}` };
			}
			yield* brokenPolls(view);
		},
	},
];

/** What a living process holds, only it changes; but any execution may begin what is handed over, and succeed late. */
function* takenFromLiving(view: View, event: EventView): Generator<Found> {
	for (const [n, { at, by, from, to }] of event.entries.entries()) {
		const owner = event.entries.slice(0, n).findLast((line) => line.to === from);
		const isMine = owner === undefined || owner.by === by;
		if (isMine || !/^[pr]/.test(from) || /^[da]/.test(to)) continue;
		const isHandedOver = from.startsWith('p');
		// What is given back becomes what it was: of the claim of another, not even a dead one's, whatever the ledger does.
		if (isHandedOver && /^([fic]|$)/.test(to)) {
			yield { at, message: `${by} gave back ${event.id}, which ${owner.by} had claimed` };
			continue;
		}
		if (isHandedOver && /^[rb]/.test(to)) continue;
		const isAlive =
			view.downAt(owner.by) > at &&
			view.pausedMs(owner.by, { from: owner.at, to: at }) < SESSION_MS - 20 * SECOND_MS &&
			!view.hadFault({ from: at - 2 * SESSION_MS, to: at }) &&
			!view.hadLoss({ from: owner.at - SESSION_MS, to: at });
		if (isAlive) yield { at, message: `${by} took ${event.id} from ${owner.by}, which lives` };
	}
}

/** Whether the execution is stored, within its grace, and nothing was in the way of its beginning. */
function isWaiting(
	view: View,
	event: EventView,
	{ execution, by, at, mode, isDenied }: EventView['stored'][number],
	until: number,
): boolean {
	const period = { from: at - MINUTE_MS, to: until };
	// An execution that could not begin gives its events back, as soon as the ledger is there and its process runs.
	const mayBeGivenBack = view.all('dropped').some((dropped) => {
		const isOfIt = dropped.error !== undefined && dropped.events.includes(event.id);
		if (!isOfIt || dropped.at > until) return false;
		const since = { from: Math.max(dropped.at, at - 5 * SECOND_MS), to: until };
		const droppedBy = view.all('ended').find((end) => end.execution === dropped.execution)?.by;
		return (
			dropped.at >= at - 5 * SECOND_MS ||
			view.hadFault(since) ||
			(droppedBy !== undefined && view.pausedMs(droppedBy, since) > 0)
		);
	});
	const isOver = view.history.some(
		(line) =>
			(line.what === 'started' || line.what === 'dropped' || line.what === 'lost') &&
			line.execution === execution &&
			line.at <= until,
	);
	// Its process may have been paused just after that.
	const hasBegun = event.entries.some(
		(entry) =>
			entry.at <= until &&
			isBegunBy(entry, execution) &&
			view.pausedMs(entry.by, { from: entry.at, to: until }) > 0,
	);
	// Then the ledger knows that one, and no longer this claim: n8n may take long to store it.
	const isClaim = (entry: EventView['entries'][number]) =>
		entry.by === by && entry.at <= at && entry.to.startsWith('p');
	const claimedAt = event.entries.findLast(isClaim)?.at ?? at;
	const hasBegunAnother = event.starts.some((start) => start.at >= claimedAt && start.at <= until);
	// What n8n stores late has counted as stored before: the grace begins then.
	const isCommit = (entry: EventView['entries'][number]) =>
		entry.by === by && entry.at >= claimedAt && entry.at <= at && COMMITTED.test(entry.to);
	const committedAt = event.entries.find(isCommit)?.at ?? at;
	return (
		!isOver &&
		!hasBegun &&
		!hasBegunAnother &&
		isDenied !== true &&
		mode !== 'retry' &&
		until < committedAt + FIRST_GRACE_MS &&
		view.downAt(by) > until &&
		view.pausedMs(by, period) === 0 &&
		!mayBeGivenBack &&
		!view.hadFault({ from: at, to: until }) &&
		// n8n may have said to a poll that it could not store it.
		!(mode === 'trigger' && view.hadFault({ from: at, to: until }, ['n8n locked'])) &&
		!view.hadLoss(period) &&
		!wasReplayed(event, at - MINUTE_MS, until) &&
		!wasRetried(event, period)
	);
}

/**
 * What n8n still stores 30 s after the delivery of a sender that has hung up, or after the claim of a poll, counts as stored:
 * until n8n says that it could not, or, if its process dies, for the grace of a lost execution.
 */
function countsAsStored(view: View, event: EventView, at: number): boolean {
	return heldLong(view, event).some(({ by, lateAt }) => {
		if (lateAt > at) return false;
		const resultAt = view.storingEndedAt(event.id, lateAt);
		if (view.downAt(by) < resultAt) return at < lateAt + LONGEST_GRACE_MS;
		return at <= resultAt + 2 * SECOND_MS || view.hadFault({ from: resultAt, to: at });
	});
}

/** What a claim becomes once n8n has stored it: with a time and a holder. One that is given back has neither. */
const COMMITTED = /^s[^|]*\|[^|]+\|[^|]*\|[^|]*\|[^|]+\|/;

/** A ledger that was lost meanwhile says nothing about what n8n has stored. */
function* committedTooEarly(view: View, event: EventView): Generator<Found> {
	for (const [n, { at, by, to }] of event.entries.entries()) {
		if (!COMMITTED.test(to)) continue;
		const isStored = [...event.stored, ...event.starts].some((each) => each.at <= at);
		const claimedAt = event.entries
			.slice(0, n)
			.findLast((entry) => entry.by === by && entry.to.startsWith('p'))?.at;
		const isLate = claimedAt !== undefined && at - claimedAt >= COUNTS_AS_STORED_MS;
		if (!isStored && !isLate && !isMixedUp(view, at) && !countsAsStored(view, event, at))
			yield { at, message: `${event.id} counts as stored by ${by}, and n8n has not stored it` };
	}
}

/** An execution is stored, and begins, within this time, or counts as stored. */
const MIXED_UP_MS = 2 * MINUTE_MS;

/**
 * After the ledger was lost, an execution that was handed over before can begin what has been claimed again since: all of that
 * batch then counts as stored, and is given back if n8n cannot store it.
 */
function isMixedUp(view: View, at: number): boolean {
	return view.losses.some(
		(lostAt) =>
			at - MIXED_UP_MS < lostAt &&
			view.all('started').some((started) => lostAt < started.at && started.at <= at),
	);
}

/** With Start Again, a 200 at its own URL says that an execution has succeeded. */
function* acknowledgedTooEarly(view: View, event: EventView): Generator<Found> {
	if (view.losses.length > 0 || view.world.reportsEnd === 'never') return;
	for (const { at, status, body, delivery } of event.responses) {
		const line = view.sent.get(delivery);
		if (
			line === undefined ||
			line.url !== 'own' ||
			status < 200 ||
			status >= 300 ||
			body === 'ignored'
		)
			continue;
		const settings = [view.settingsAt(line.at), view.settingsAt(at)];
		if (!settings.every((each) => each?.acknowledge === 'succeeded')) continue;
		const before = event.starts.filter((start) => start.at <= at);
		const isDone = before.some((start) => succeeded(start) && (start.end?.at ?? Infinity) <= at);
		const isFinal =
			before.some(({ acknowledge }) => acknowledge === 'stored') || wasCutOff(view, event);
		if (!isDone && !isFinal)
			yield {
				at,
				message: `${event.id} was acknowledged (${status} ${body}) before an execution had succeeded`,
			};
	}
}

/** A poll may fail only with its list, or with the ledger. */
function* brokenPolls(view: View): Generator<Found> {
	for (const { at, by, error } of view.all('polled')) {
		if (error === undefined) continue;
		const recent = { from: at - 2 * MINUTE_MS, to: at + 1 };
		// It failed before its process was paused, and says so afterwards.
		const period = { ...recent, from: recent.from - view.pausedMs(by, recent) };
		const isExplained =
			view.hadFault(period) || view.hadFault(period, ['listFails']) || view.hadLoss(period);
		if (!isExplained) yield { at, message: `a poll failed: ${error}` };
	}
}
