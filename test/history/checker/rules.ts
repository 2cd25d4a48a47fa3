/**
 * The promises of the package, one rule each. A rule knows the history and nothing of the code. It names the sentences in the
 * docs that promise it; `docs.test.ts` holds both together.
 */
import type { Fact } from '../history';
import type { EventView, Period, Start, View } from './view';

export interface Found {
	readonly at: number;
	readonly message: string;
}

export interface Rule {
	readonly name: string;
	/** Sentences, or cells of tables, as they stand in the docs. */
	readonly promised: readonly {
		readonly in: 'README.md' | 'docs/nodes.md';
		readonly text: string;
	}[];
	/** A history that cannot say all of this would pass by accident, so the rule does not judge it. */
	readonly needs: readonly Fact[];
	readonly check: (view: View) => Iterable<Found>;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** A process that was not heard of for this long counts as dead. */
const SESSION_MS = 60 * SECOND_MS;
const PAUSES_MS = [1, 5, 30, 120, 360].map((minutes) => minutes * MINUTE_MS);
const PAUSE_AFTER_STOP_MS = 5 * MINUTE_MS;
const MOST_ATTEMPTS = 6;
const FIRST_GRACE_MS = 15 * MINUTE_MS;
const COUNTS_AS_STORED_MS = 30 * SECOND_MS;
const LONGEST_GRACE_MS = 240 * MINUTE_MS;

/** Starts that the ledger knows: a retry by a user need not reach it. */
const ownStarts = ({ starts }: EventView) => starts.filter(({ mode }) => mode !== 'retry');
const isForged = ({ created }: EventView) => created.isForged === true;
const succeeded = ({ end }: Start) => end?.outcome === 'success' || end?.outcome === 'waiting';

/** Whether a user may have asked for a start between the two. */
function wasReplayed({ replays }: EventView, after: number, before: number): boolean {
	return replays.some(
		({ from, to, isTaken }) => isTaken !== false && to >= after && from <= before,
	);
}

/** Whether a retry by a user has taken the event within the period. */
function wasRetried({ starts }: EventView, { from, to }: Period): boolean {
	return starts.some(({ mode, at }) => mode === 'retry' && at >= from && at <= to);
}

/** Each start with the one before it that counts, and how many there were since it was replayed. */
function* repetitions(
	view: View,
	event: EventView,
): Generator<{ start: Start; before: Start; attempts: number; earlier: Start[] }> {
	let earlier: Start[] = [];
	for (const start of ownStarts(event)) {
		const before = earlier.at(-1);
		if (before !== undefined) {
			const period = { from: before.at, to: start.at };
			const isNew =
				wasReplayed(event, before.at, start.at) ||
				view.hadLoss(period) ||
				wasRetried(event, period);
			if (isNew) earlier = [];
			else yield { start, before, attempts: earlier.length, earlier: [...earlier] };
		}
		earlier.push(start);
	}
}

/** Whether the process that ran it may not have reported how it ended by then. */
function mayLackEnd(view: View, { by, end, at, acknowledge }: Start, until: number): boolean {
	const from = end?.at ?? at;
	return (
		view.downAt(by) <= until ||
		view.pausedMs(by, { from: at, to: until }) > 0 ||
		view.hadFault({ from: from - MINUTE_MS, to: until }) ||
		// With Once Stored, the disk need not have it at once.
		(acknowledge === 'stored' &&
			view.hadFault({ from, to: from + 90 * SECOND_MS }, ['power cut'])) ||
		// It is written in the background.
		until - from < 5 * SECOND_MS
	);
}

/** Whether its process could count as dead by then. */
function mayBeDead(view: View, { by, at }: Start, until: number): boolean {
	return (
		view.downAt(by) <= until ||
		view.pausedMs(by, { from: at, to: until }) > SESSION_MS - 20 * SECOND_MS
	);
}

/** When the ledger says that it began: while the ledger fails, the execution asks for up to 30 s whether it may start. */
function begunAt(view: View, { at }: Start): number {
	const from = at - 30 * SECOND_MS;
	return view.hadFault({ from, to: at }) ? from : at;
}

const named = ({ id }: EventView, { execution, at }: Start) =>
	`${id} in execution ${execution} at ${new Date(at).toISOString()}`;

export const RULES: readonly Rule[] = [
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
		name: 'one execution',
		promised: [
			{
				in: 'README.md',
				text: 'If an event is delivered several times, the nodes after the trigger run in only one execution.',
			},
			{
				in: 'README.md',
				text: '**Once Stored** (default): an execution that fails or is interrupted does not run again.',
			},
			{ in: 'docs/nodes.md', text: 'The execution begins' },
		],
		needs: ['started', 'ended', 'process'],
		*check(view) {
			for (const event of view.events) {
				for (const { start, before, earlier } of repetitions(view, event)) {
					if (before.acknowledge === 'stored') {
						yield {
							at: start.at,
							message: `${named(event, start)} started although ${before.execution} had begun with Once Stored`,
						};
					}
					const running = earlier.find(
						(each) => (each.end?.at ?? Infinity) > start.at && !mayBeDead(view, each, start.at),
					);
					if (running)
						yield {
							at: start.at,
							message: `${named(event, start)} started while ${running.execution} was running`,
						};
				}
			}
		},
	},
	{
		name: 'one hand-over at a time',
		promised: [{ in: 'docs/nodes.md', text: 'Another delivery of the event is in progress' }],
		needs: ['stored', 'started', 'dropped', 'process'],
		*check(view) {
			for (const event of view.events) {
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
			{ in: 'docs/nodes.md', text: 'n8n stores the execution' },
		],
		needs: ['sent', 'response', 'stored', 'started', 'ended'],
		*check(view) {
			for (const event of view.events.filter((each) => !isForged(each))) {
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
		},
	},
	{
		name: 'missed events start',
		promised: [
			{
				in: 'README.md',
				text: 'A poll trigger in the same workflow starts events that never arrived or that n8n lost.',
			},
			{ in: 'docs/nodes.md', text: 'The delivery never arrives' },
		],
		needs: ['listed', 'started', 'settled'],
		*check(view) {
			if (!view.world.hasPoll) return;
			const first = view.publications[0];
			for (const event of view.events) {
				if (event.starts.length > 0 || first === undefined || isForged(event)) continue;
				if (wasCutOff(view, event)) continue;
				// From before the loss, nothing starts by itself. The clocks may differ, and an event need not have a time.
				const { at, createdAt = at - 5 * MINUTE_MS } = event.created;
				if (view.hadLoss({ from: Math.min(at, createdAt) - 5 * SECOND_MS, to: view.endAt }))
					continue;
				// The first poll after the loss cannot know whether it had started before.
				const isListedFirst = (at: number) =>
					!view
						.all('polled')
						.some((poll) => !poll.error && poll.at > at && poll.at < event.listedAt);
				if (event.created.createdAt === undefined && view.losses.some(isListedFirst)) continue;
				const isNew =
					event.listedAt > first.at &&
					(event.created.createdAt ?? Infinity) > first.at + 5 * SECOND_MS;
				if (!isNew && view.world.startFrom === 'now') continue;
				if (!view.isWantedAlways(event, { from: event.created.at - 5 * MINUTE_MS, to: view.endAt }))
					continue;
				// Listed after it was filtered out, or could have been: it does not start because the filters change.
				if (
					view.hadOtherFilters({
						from: event.created.at - 5 * MINUTE_MS,
						to: event.listedAt + polls(view),
					})
				)
					continue;
				const until = dueBy(view, event);
				if (until < view.endAt)
					yield { at: view.endAt, message: `${event.id} is listed and has never started` };
			}
		},
	},
	{
		name: 'lost executions start again',
		promised: [{ in: 'docs/nodes.md', text: 'n8n loses the execution before it starts' }],
		needs: ['response', 'stored', 'started', 'settled'],
		*check(view) {
			if (!view.world.hasWebhook) return;
			for (const event of view.events.filter((each) => !isForged(each))) {
				const last = event.responses.at(-1);
				if (
					event.starts.length > 0 ||
					last === undefined ||
					last.status < 200 ||
					last.status >= 300
				)
					continue;
				if (wasCutOff(view, event)) continue;
				if (last.body === 'ignored' || !event.stored.some(({ at }) => at < last.at)) continue;
				if (lostBy(view, event) < last.at)
					yield {
						at: last.at,
						message: `${event.id} was lost, was delivered again, and has never started`,
					};
			}
		},
	},
	{
		name: 'repeats until success',
		promised: [
			{
				in: 'README.md',
				text: '**Once Succeeded**: after a failure, the event starts again with the next delivery or poll.',
			},
			{ in: 'docs/nodes.md', text: 'The execution fails' },
		],
		needs: ['listed', 'started', 'ended', 'settled'],
		*check(view) {
			if (!view.world.hasPoll) return;
			for (const event of view.events) {
				const starts = ownStarts(event);
				const last = starts.at(-1);
				if (
					last?.acknowledge !== 'succeeded' ||
					starts.length >= MOST_ATTEMPTS ||
					starts.some(succeeded)
				)
					continue;
				if (event.starts.length > starts.length || event.replays.length > 0) continue;
				if (view.hadLoss({ from: event.created.at, to: view.endAt })) continue;
				// It counts as running as long as its process lives.
				const hasNoEnd =
					last.end === undefined ||
					(last.end.outcome === 'not saved' && view.world.reportsEnd === 'if saved');
				if (hasNoEnd && view.downAt(last.by) === Infinity) continue;
				if (
					!view.isWantedAlways(event, { from: last.at, to: view.endAt }) ||
					event.listedAt === Infinity
				)
					continue;
				// It may have begun once without a start.
				const pause = Math.max(
					PAUSES_MS[Math.min(starts.length, PAUSES_MS.length - 1)] ?? 0,
					PAUSE_AFTER_STOP_MS,
				);
				const until =
					Math.max(
						last.end?.at ?? last.at,
						view.quietAt,
						view.downAt(last.by) === Infinity ? 0 : view.downAt(last.by),
					) +
					pause +
					polls(view);
				const isOpen = event.stored.some(({ at }) => at > last.at);
				if (until < view.endAt && (!isOpen || dueBy(view, event) < view.endAt)) {
					yield {
						at: view.endAt,
						message: `${named(event, last)} ended as ${last.end?.outcome ?? 'interrupted'} and did not start again`,
					};
				}
			}
		},
	},
	{
		name: 'never after success',
		promised: [{ in: 'docs/nodes.md', text: 'The execution succeeds' }],
		needs: ['started', 'ended'],
		*check(view) {
			for (const event of view.events) {
				for (const { start, earlier } of repetitions(view, event)) {
					const success = earlier.find(
						(each) => each.end?.outcome === 'success' && each.end.at <= start.at,
					);
					if (success && isKnownEnd(view, event, success, start.at)) {
						yield {
							at: start.at,
							message: `${named(event, start)} started although ${success.execution} had succeeded`,
						};
					}
				}
			}
		},
	},
	{
		name: 'asleep is final',
		promised: [{ in: 'docs/nodes.md', text: 'A Wait node puts the execution to sleep' }],
		needs: ['started', 'ended', 'asleep'],
		*check(view) {
			for (const event of view.events) {
				for (const { start, earlier } of repetitions(view, event)) {
					const slept = earlier.find(
						(each) => each.end?.outcome === 'waiting' && each.end.at <= start.at,
					);
					if (slept && isKnownEnd(view, event, slept, start.at)) {
						yield {
							at: start.at,
							message: `${named(event, start)} started although ${slept.execution} was asleep`,
						};
					}
				}
			}
		},
	},
	{
		name: 'pauses between attempts',
		promised: [
			{ in: 'docs/nodes.md', text: 'You stop the execution, or it times out' },
			{
				in: 'docs/nodes.md',
				text: 'The pauses between attempts are 1, 5 and 30 minutes, 2 hours, then 6 hours.',
			},
		],
		needs: ['started', 'ended', 'clock'],
		*check(view) {
			for (const event of view.events) {
				for (const { start, before, attempts } of repetitions(view, event)) {
					const { outcome, at } = before.end ?? {};
					const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? 0;
					const isKnown =
						(outcome === 'error' || outcome === 'canceled') &&
						at !== undefined &&
						!mayLackEnd(view, before, start.at);
					const since = isKnown ? at : begunAt(view, before);
					const needed =
						isKnown && outcome === 'canceled' ? Math.max(pause, PAUSE_AFTER_STOP_MS) : pause;
					if (start.at < since + needed - 100) {
						yield {
							at: start.at,
							message: `${named(event, start)} started ${Math.round((start.at - since) / 1000)} s after attempt ${attempts}`,
						};
					}
				}
			}
		},
	},
	{
		name: 'six attempts',
		promised: [
			{
				in: 'docs/nodes.md',
				text: 'A poll trigger stops after six attempts, about nine hours;',
			},
		],
		needs: ['started', 'listed'],
		*check(view) {
			for (const event of view.events) {
				for (const { start, attempts } of repetitions(view, event)) {
					if (start.mode === 'trigger' && attempts >= MOST_ATTEMPTS)
						yield {
							at: start.at,
							message: `${named(event, start)} is attempt ${attempts + 1}, by a poll`,
						};
				}
			}
		},
	},
	{
		name: 'interrupted executions',
		promised: [{ in: 'docs/nodes.md', text: 'A crash or restart interrupts the execution' }],
		needs: ['started', 'ended', 'process'],
		*check(view) {
			for (const event of view.events) {
				for (const { start, before } of repetitions(view, event)) {
					if (before.end !== undefined || view.downAt(before.by) > start.at) continue;
					const isClosed = view
						.all('process')
						.some(({ process, is }) => process === before.by && is === 'exited');
					// A session that ended in order is dead at once; n8n waits for what runs, for a while.
					const silentAt = view.silentAt(before.by);
					if (!isClosed && start.at < silentAt + SESSION_MS - 21 * SECOND_MS) {
						yield {
							at: start.at,
							message: `${named(event, start)} started before the process of ${before.execution} counted as dead`,
						};
					}
				}
			}
		},
	},
	{
		name: 'replay starts once more',
		promised: [
			{ in: 'docs/nodes.md', text: 'You [replay](#replay) the event' },
			{ in: 'docs/nodes.md', text: 'A replayed event has a field `_replay`.' },
		],
		needs: ['started', 'replayed', 'marks'],
		*check(view) {
			for (const event of view.events) {
				for (const start of event.starts) {
					const isAsked = event.replays.some(
						({ from, isTaken }) => from <= start.at && isTaken !== false,
					);
					if (start.isMarked && !isAsked)
						yield {
							at: start.at,
							message: `${named(event, start)} is marked as replayed, and was not`,
						};
				}
				if (view.world.hasPoll) yield* replayedTooLate(view, event);
			}
		},
	},
	{
		name: 'nothing else starts',
		promised: [
			{
				in: 'docs/nodes.md',
				text: '**Now**: events created after the workflow is first published.',
			},
			{ in: 'docs/nodes.md', text: 'Only events that meet all conditions start the workflow' },
		],
		needs: ['created', 'published', 'started'],
		*check(view) {
			for (const { at, event, execution } of view.strangers)
				yield { at, message: `${event} in execution ${execution} was never created` };
			const first = view.publications[0];
			for (const event of view.events.filter((each) => !isForged(each))) {
				for (const start of event.starts) {
					if (wasReplayed(event, -Infinity, start.at)) continue;
					// It was read and found wanted before the process was paused.
					const stored = event.stored.find(({ execution }) => execution === start.execution);
					const pausedMs = view.pausedMs(stored?.by ?? start.by, {
						from: start.at - MINUTE_MS,
						to: start.at,
					});
					const from = event.created.at - pausedMs;
					if (!view.isWantedEver(event, { from, to: start.at })) {
						yield {
							at: start.at,
							message: `${named(event, start)} started although it is not wanted`,
						};
					}
					if (start.mode !== 'trigger' || event.responses.some(({ at }) => at < start.at)) continue;
					if (first && event.listedAt < first.at && view.world.startFrom === 'now') {
						yield { at: start.at, message: `${named(event, start)} is older than the publication` };
					}
					if (view.holds('page', 'polled')) yield* filteredBefore(view, event, start);
				}
			}
		},
	},
	{
		name: 'a lost ledger starts nothing again',
		promised: [
			{ in: 'docs/nodes.md', text: 'Nothing that it started before starts again by itself.' },
		],
		needs: ['started', 'listed', 'fault'],
		*check(view) {
			for (const event of view.events) {
				const starts = ownStarts(event);
				for (const [n, start] of starts.entries()) {
					const before = starts[n - 1];
					if (before?.mode !== 'trigger' || start.mode !== 'trigger') continue;
					const period = { from: before.at, to: start.at };
					if (
						!view.hadLoss(period) ||
						wasReplayed(event, before.at, start.at) ||
						before.acknowledge === 'succeeded'
					)
						continue;
					// What a process remembers of its last poll dies with it.
					const isAlive = view
						.all('process')
						.every(
							({ is, at }) => is !== 'killed' || at < before.at - 10 * MINUTE_MS || at > start.at,
						);
					const lostAt = view.losses.find((at) => at >= before.at) ?? 0;
					if (isAlive && lostAt > before.at + 2 * polls(view))
						yield {
							at: start.at,
							message: `${named(event, start)} started again after the ledger was lost`,
						};
				}
			}
		},
	},
	{
		name: 'states of Reconcile',
		promised: [
			{
				in: 'docs/nodes.md',
				text: 'One item per listed event, with its state in the event ledger',
			},
		],
		needs: ['reconciled', 'started', 'ended', 'quiet'],
		*check(view) {
			const last = view.all('reconciled').at(-1);
			if (last === undefined || last.at < view.quietAt || view.losses.length > 0) return;
			for (const { event: id, state, execution } of last.events) {
				const event = view.events.find((each) => each.id === id);
				const possible = event && statesOf(view, event);
				if (possible === undefined || possible.states.includes(state)) {
					if (
						possible?.executions &&
						execution !== undefined &&
						!possible.executions.includes(execution)
					) {
						yield {
							at: last.at,
							message: `${id} is shown with execution ${execution}, and began in ${possible.executions.join()}`,
						};
					}
					continue;
				}
				yield {
					at: last.at,
					message: `${id} is shown as ${state}, not as ${possible.states.join(' or ')}`,
				};
			}
		},
	},
	{
		name: 'responses',
		promised: [{ in: 'docs/nodes.md', text: 'n8n could not store the execution' }],
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

/** Whether the execution is stored, within its grace, and nothing was in the way of its beginning. */
function isWaiting(
	view: View,
	event: EventView,
	{ execution, by, at, mode, isDenied }: EventView['stored'][number],
	until: number,
): boolean {
	const period = { from: at - MINUTE_MS, to: until };
	// An execution that could not begin gives its events back, as soon as the ledger is there.
	const mayBeGivenBack = view
		.all('dropped')
		.some(
			(dropped) =>
				dropped.error !== undefined &&
				dropped.events.includes(event.id) &&
				dropped.at <= until &&
				(dropped.at >= at - 5 * SECOND_MS ||
					view.hadFault({ from: Math.max(dropped.at, at - 5 * SECOND_MS), to: until })),
		);
	const isOver = view.history.some(
		(line) =>
			(line.what === 'started' || line.what === 'dropped' || line.what === 'lost') &&
			line.execution === execution &&
			line.at <= until,
	);
	// Then the ledger knows that one.
	const hasBegunAnother = event.starts.some((start) => start.at >= at && start.at <= until);
	return (
		!isOver &&
		!hasBegunAnother &&
		isDenied !== true &&
		mode !== 'retry' &&
		until < at + FIRST_GRACE_MS &&
		view.endsAt(by) > until &&
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

/** With Once Stored, an execution that was interrupted after the ledger knew that it begins is not repeated. */
function wasCutOff(view: View, { entries }: EventView): boolean {
	return entries.some(
		({ at, by, to }) => /^[rb]\|/.test(to) && view.downAt(by) < at + 35 * SECOND_MS,
	);
}

/** When n8n must have lost the last execution of the event: its grace is over. */
function lostBy(view: View, { stored }: EventView): number {
	const last = stored.at(-1);
	const grace = Math.min(FIRST_GRACE_MS * 2 ** Math.max(0, stored.length - 1), LONGEST_GRACE_MS);
	return last ? Math.max(last.at, view.quietAt) + grace + 2 * MINUTE_MS : 0;
}

/** An event that is not done by then has missed its start: after the last fault, the grace of a lost execution, and some polls. */
function dueBy(view: View, event: EventView): number {
	const { listedAt, created } = event;
	const since = Math.max(view.quietAt, listedAt === Infinity ? 0 : listedAt, created.at);
	return Math.max(since, lostBy(view, event)) + polls(view);
}

/** Enough for some polls, whatever the first of them met. */
function polls({ world }: View): number {
	return 10 * world.pollMinutes * MINUTE_MS + 5 * MINUTE_MS;
}

/** Whether the ledger knew by then how it had ended. */
function isKnownEnd(view: View, { entries }: EventView, ended: Start, until: number): boolean {
	const endedAt = ended.end?.at ?? Infinity;
	// Until the disk has it, a power cut takes it.
	const isLate = ended.acknowledge === 'stored' || view.hadFault({ from: endedAt, to: until });
	const syncedMs = isLate ? 90 * SECOND_MS : SECOND_MS;
	return (
		entries.some(
			({ at, to }) =>
				at >= endedAt &&
				at < until &&
				/^[ad]/.test(to) &&
				!view.hadFault({ from: at, to: at + syncedMs }, ['power cut']),
		) || !mayLackEnd(view, ended, until)
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

/** By which processes the event was handed over, and from when on that counted as stored. */
function heldLong(view: View, event: EventView): { by: string; lateAt: number }[] {
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

/** With Once Succeeded, a 200 at its own URL says that an execution has succeeded. */
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
		const before = ownStarts(event).filter((start) => start.at <= at);
		const isDone = before.some((start) => succeeded(start) && (start.end?.at ?? Infinity) <= at);
		const isFinal =
			before.some(({ acknowledge }) => acknowledge === 'stored') || wasCutOff(view, event);
		if (!isDone && !isFinal && event.starts.length === before.length)
			yield {
				at,
				message: `${event.id} was acknowledged (${status} ${body}) before an execution had succeeded`,
			};
	}
}

/** At its next polls, each replayed event starts, marked. */
function* replayedTooLate(view: View, event: EventView): Generator<Found> {
	for (const { to, isTaken } of event.replays) {
		if (isTaken !== true || view.losses.length > 0 || event.listedAt === Infinity) continue;
		if (!view.isWantedAlways(event, { from: to, to: view.endAt })) continue;
		const until = Math.max(to, view.quietAt) + polls(view);
		const started = event.starts.find(({ at }) => at >= to - SECOND_MS);
		yield* unmarked(view, event, to);
		// An execution that was stored before it, or lost after it, has its grace.
		const isOpen = event.stored.some(({ at }) => at >= to - 2 * MINUTE_MS);
		if (!view.holds('settled') || until > view.endAt || isOpen) continue;
		if (started === undefined || started.at > until)
			yield {
				at: Math.min(until, view.endAt),
				message: `${event.id} was replayed at ${new Date(to).toISOString()} and did not start`,
			};
	}
}

/** Until an execution has succeeded, each that n8n gets after the replay is marked. */
function* unmarked(view: View, event: EventView, to: number): Generator<Found> {
	const storedAt = (start: Start) =>
		event.stored.find(({ execution, mode }) => execution === start.execution && mode !== 'retry')
			?.at;
	const after = event.starts.filter((start) => (storedAt(start) ?? to) > to);
	const success = after.find(succeeded);
	// It was handed over before the replay, and n8n stored it after.
	const isEarlier = heldLong(view, event).some(({ lateAt }) => lateAt <= to);
	const isMarked = (start: Start) => start.isMarked || (isEarlier && start === after[0]);
	for (const start of after.slice(0, success && after.indexOf(success) + 1)) {
		if (!isMarked(start))
			yield { at: start.at, message: `${named(event, start)} was replayed and is not marked` };
	}
}

/** A poll has listed it, and it was not wanted: it does not start because it is now. */
function* filteredBefore(view: View, event: EventView, start: Start): Generator<Found> {
	const widened = view.publications.findLast(({ at }) => at <= start.at);
	const first = view.publications.find(
		({ at, settings }) => at > event.created.at && at <= start.at && view.isWanted(event, settings),
	);
	const settings = view.settingsAt(event.created.at);
	if (
		widened === undefined ||
		first === undefined ||
		settings === undefined ||
		view.isWanted(event, settings)
	)
		return;
	if (view.losses.length > 0 || event.created.createdAt === undefined) return;
	const { createdAt } = event.created;
	const polled = view
		.all('polled')
		.find(({ at, error }) => error === undefined && at > event.listedAt + 30 * SECOND_MS);
	const isListed = view
		.all('page')
		.some(
			({ at, reader, events }) => reader === 'poll' && at < first.at && events.includes(event.id),
		);
	if (
		polled === undefined ||
		!isListed ||
		polled.at > first.at - 2 * view.world.pollMinutes * MINUTE_MS
	)
		return;
	// An older event that is not settled keeps the poll reading from there.
	const isHeld = view.events.some((other) => {
		if (
			other.id === event.id ||
			isForged(other) ||
			(other.created.createdAt ?? 0) > createdAt + MINUTE_MS
		)
			return false;
		if (!view.isWantedEver(other, { from: other.created.at, to: first.at })) return false;
		if (
			other.listedAt < (view.publications[0]?.at ?? 0) &&
			other.starts.length === 0 &&
			other.replays.length === 0
		)
			return false;
		const settledBy = polled.at;
		const begun = other.starts.filter(({ at }) => at < settledBy);
		return (
			begun.length === 0 ||
			(begun.some(({ acknowledge }) => acknowledge === 'succeeded') &&
				!begun.some((each) => succeeded(each) && (each.end?.at ?? Infinity) < settledBy)) ||
			other.replays.length > 0
		);
	});
	if (!isHeld)
		yield {
			at: start.at,
			message: `${named(event, start)} started because of new conditions, and a poll had listed it before`,
		};
}

/** What Reconcile may show; undefined where the history does not say. */
function statesOf(
	view: View,
	event: EventView,
): { states: string[]; executions?: string[] } | undefined {
	const starts = ownStarts(event);
	const last = starts.at(-1);
	if (event.replays.length > 0 || event.starts.length > starts.length) return undefined;
	if (last === undefined) return { states: ['missing', 'pending', 'stored', 'interrupted'] };
	const executions = starts.map(({ execution }) => execution);
	if (view.world.reportsEnd === 'never')
		return { states: ['begun', 'pending', 'stored'], executions };
	const isOpen = last.end === undefined && view.downAt(last.by) === Infinity;
	if (isOpen || event.stored.some(({ at }) => at > last.at))
		return {
			states: ['running', 'pending', 'stored', 'done', 'asleep', 'failed', 'interrupted'],
			executions,
		};
	const ended = starts.filter(
		(start) => !mayLackEnd(view, start, (start.end?.at ?? 0) + 10 * SECOND_MS),
	);
	if (ended.some((start) => start.end?.outcome === 'success'))
		return { states: ['done'], executions };
	if (!ended.includes(last))
		return {
			states: ['interrupted', 'failed', 'done', 'asleep', 'running', 'pending', 'stored'],
			executions,
		};
	if (last.end?.outcome === 'waiting') return { states: ['asleep', 'done'], executions };
	if (last.end?.outcome === 'not saved')
		return { states: ['interrupted', 'running', 'pending'], executions };
	return { states: ['failed', 'pending'], executions };
}

/** A poll may fail only with its list, or with the ledger. */
function* brokenPolls(view: View): Generator<Found> {
	for (const { at, error } of view.all('polled')) {
		if (error === undefined) continue;
		const period = { from: at - 2 * MINUTE_MS, to: at + 1 };
		const isExplained =
			view.hadFault(period) || view.hadFault(period, ['listFails']) || view.hadLoss(period);
		if (!isExplained) yield { at, message: `a poll failed: ${error}` };
	}
}
