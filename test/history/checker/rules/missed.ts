/** Events that have to start, or to start again. */
import type { EventView, View } from '../view';
import {
	FIRST_GRACE_MS,
	LONGEST_GRACE_MS,
	MINUTE_MS,
	MOST_ATTEMPTS,
	PAUSES_MS,
	PAUSE_AFTER_STOP_MS,
	SECOND_MS,
	isForged,
	named,
	ownStarts,
	polls,
	succeeded,
	wasCutOff,
} from './facts';
import type { Rule } from './rule';

export const MISSED: readonly Rule[] = [
	{
		name: 'missed events start',
		promised: [
			{
				in: 'README.md',
				text: 'A poll trigger in the same workflow starts events that never arrived or that n8n lost.',
			},
			{ in: 'docs/promises.md', text: 'The delivery never arrives' },
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
					!view.polled().some((poll) => !poll.error && poll.at > at && poll.at < event.listedAt);
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
		promised: [{ in: 'docs/promises.md', text: 'n8n loses the execution before it starts' }],
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
				text: '**Start Again**: after a failure, the event starts again with the next delivery or poll.',
			},
			{ in: 'docs/promises.md', text: 'The execution fails' },
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
];

/** An event that is not done by then has missed its start: after the last fault, the grace of a lost execution, and some polls. */
function dueBy(view: View, event: EventView): number {
	const { listedAt, created } = event;
	const since = Math.max(view.quietAt, listedAt === Infinity ? 0 : listedAt, created.at);
	return Math.max(since, lostBy(view, event)) + polls(view);
}

/** When n8n must have lost the last execution of the event: its grace is over. */
function lostBy(view: View, { stored }: EventView): number {
	const last = stored.at(-1);
	const grace = Math.min(FIRST_GRACE_MS * 2 ** Math.max(0, stored.length - 1), LONGEST_GRACE_MS);
	return last ? Math.max(last.at, view.quietAt) + grace + 2 * MINUTE_MS : 0;
}
