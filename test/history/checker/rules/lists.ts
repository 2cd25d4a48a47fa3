/** What users ask for with Replay, conditions and Reconcile, and nothing else. */
import type { EventView, Start, View } from '../view';
import {
	MINUTE_MS,
	SECOND_MS,
	heldLong,
	isStartable,
	mayLackEnd,
	named,
	ownStarts,
	polls,
	succeeded,
	wasReplayed,
} from './facts';
import type { Found, Rule } from './rule';

export const LISTS: readonly Rule[] = [
	{
		name: 'replay starts once more',
		promised: [
			{ in: 'docs/promises.md', text: 'You [replay](./nodes.md#replay) the event' },
			{ in: 'docs/nodes.md', text: 'Until an execution succeeds, the event has a field `_replay`' },
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
			for (const event of view.events.filter(isStartable)) {
				for (const start of event.starts) {
					if (wasReplayed(event, -Infinity, start.at)) continue;
					// It was read and found wanted before the process was paused.
					const stored = event.stored.find(({ execution }) => execution === start.execution);
					const pausedMs = view.pausedMs(stored?.by ?? start.by, {
						from: start.at - MINUTE_MS,
						to: start.at,
					});
					const from = event.created.at - pausedMs;
					if (
						!view.isWantedEver(event, { from, to: start.at }) &&
						!isReadByOlder(view, event, start)
					) {
						yield {
							at: start.at,
							message: `${named(event, start)} started although it is not wanted`,
						};
					}
					// What a delivery may have claimed; one that was ignored has not.
					const isDelivered = event.responses.some(
						({ at, body }) => at < start.at && body !== 'ignored',
					);
					if (start.mode !== 'trigger' || isDelivered) continue;
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
		promised: [{ in: 'docs/nodes.md', text: 'Events up to then do not start by themselves' }],
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
			const [last, before] = view.all('reconciled').toReversed();
			if (last === undefined || last.at < view.quietAt || view.losses.length > 0) return;
			const from = Math.max(before?.at ?? 0, view.quietAt);
			for (const { event: id, state, execution } of last.events) {
				const event = view.events.find((each) => each.id === id);
				// It looks at the events of each page as it reads it: an execution can begin or end before it has read all pages.
				const page = view
					.all('page')
					.find(
						({ reader, at, events }) => reader === 'action' && at > from && events.includes(id),
					);
				const possible = event && statesBetween(view, event, page?.at ?? last.at);
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
];

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
	const page = view
		.all('page')
		.find(
			({ reader, at, events }) => reader === 'poll' && at < first.at && events.includes(event.id),
		);
	// What the poll before the last one has started is settled for the last one.
	const settledBy = view
		.polled()
		.filter(
			({ at, by, error }) =>
				error === undefined && page?.by === by && at >= page.at && at < first.at,
		)
		.at(-2)?.at;
	if (settledBy === undefined) return;
	// An older event that is not settled keeps the poll reading from there.
	const isHeld = view.events.some((other) => {
		if (
			other.id === event.id ||
			!isStartable(other) ||
			(other.created.createdAt ?? 0) > createdAt + MINUTE_MS
		)
			return false;
		if (!view.isWantedEver(other, { from: other.created.at, to: first.at - 1 })) return false;
		if (
			other.listedAt < (view.publications[0]?.at ?? 0) &&
			other.starts.length === 0 &&
			other.replays.length === 0
		)
			return false;
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

/** Whether a poll that began before the conditions changed was still reading, and found it wanted. */
function isReadByOlder(view: View, event: EventView, start: Start): boolean {
	return view.all('page').some(({ reader, at, events, version = 0 }) => {
		const settings = view.publications[version - 1]?.settings;
		const isIn = reader === 'poll' && at < start.at && events.includes(event.id);
		return isIn && settings !== undefined && view.isWanted(event, settings);
	});
}

/** What Reconcile may show; undefined where the history does not say. */
type Shown = { states: string[]; executions?: string[] } | undefined;

/** What it may show if it looked at this time or later. */
function statesBetween(view: View, event: EventView, from: number): Shown {
	const atEnd = statesOf(view, event);
	const hasChanged = event.starts.some(({ at, end }) => at >= from || (end?.at ?? 0) >= from);
	if (atEnd === undefined || !hasChanged) return atEnd;
	const starts = event.starts.filter(({ at }) => at < from);
	const isRunning = starts.some(({ end }) => (end?.at ?? Infinity) >= from);
	const stored = event.stored.filter(({ at }) => at < from);
	// How its process fared before its end, `statesOf` cannot know.
	const atFirst = isRunning ? undefined : statesOf(view, { ...event, starts, stored });
	const states = [...atEnd.states, ...(atFirst?.states ?? []), 'running', 'pending', 'stored'];
	return { ...atEnd, states };
}

/** What it may show at the end of the history. */
function statesOf(view: View, event: EventView): Shown {
	const starts = ownStarts(event);
	const last = starts.at(-1);
	if (event.replays.length > 0 || event.starts.length > starts.length) return undefined;
	if (last === undefined) return { states: ['missing', 'pending', 'stored', 'interrupted'] };
	const executions = starts.map(({ execution }) => execution);
	if (view.world.reportsEnd === 'never')
		return { states: ['begun', 'pending', 'stored'], executions };
	const isOpen = last.end === undefined && view.downAt(last.by) === Infinity;
	// They may have begun in the ledger, and been cut off before their nodes ran.
	const later = event.stored.filter(({ at }) => at > last.at).map(({ execution }) => execution);
	if (isOpen || later.length > 0)
		return {
			states: ['running', 'pending', 'stored', 'done', 'asleep', 'failed', 'interrupted'],
			executions: [...executions, ...later],
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
	if (last.end?.outcome === 'not saved') {
		// That it was stopped is known all the same.
		const states = last.end.isCanceled ? ['failed'] : [];
		return { states: [...states, 'interrupted', 'running', 'pending'], executions };
	}
	// It began once more, and was given back.
	const isGivenBack = view
		.all('dropped')
		.some(({ at, events, error }) => at > last.at && error && events.includes(event.id));
	return { states: ['failed', 'pending', ...(isGivenBack ? ['stored'] : [])], executions };
}
