/** Events that have to start, or to start again. */
import type { EventView, Start, View } from '../view';
import {
	FIRST_GRACE_MS,
	LONGEST_GRACE_MS,
	MINUTE_MS,
	MOST_ATTEMPTS,
	PAUSES_MS,
	PAUSE_AFTER_STOP_MS,
	SECOND_MS,
	isStartable,
	named,
	ownStarts,
	polls,
	succeeded,
	wasCutOff,
} from './facts';
import type { Found, Rule } from './rule';

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
				if (first === undefined || !isStartable(event)) continue;
				if (wasCutOff(view, event)) continue;
				// From before the loss, nothing starts by itself. The clocks may differ, and an event need not have a time.
				const { at: createdBy, createdAt = createdBy - 5 * MINUTE_MS } = event.created;
				if (view.hadLoss({ from: Math.min(createdBy, createdAt) - 5 * SECOND_MS, to: view.endAt }))
					continue;
				// The first poll after the loss cannot know whether it had started before.
				const isListedFirst = (at: number) =>
					!view.polled().some((poll) => !poll.error && poll.at > at && poll.at < event.listedAt);
				if (event.created.createdAt === undefined && view.losses.some(isListedFirst)) continue;
				if (!isNew(view, event)) continue;
				if (!view.isWantedAlways(event, { from: event.created.at - 5 * MINUTE_MS, to: view.endAt }))
					continue;
				// Listed after it was filtered out, or could have been: it does not start because the filters change, unless it was stored.
				const foundBy = event.listedAt + polls(view);
				const wasStored = event.entries.some(({ at, to }) => at < foundBy && to.startsWith('s'));
				const period = { from: event.created.at - 5 * MINUTE_MS, to: foundBy };
				if (!wasStored && view.hadOtherFilters(period)) continue;
				const [start] = event.starts;
				const at = start === undefined ? view.endAt : handedOverAt(event, start);
				if (dueBy(view, event, start) + lookBackMs(event.listedAt - createdAtOf(event)) < at)
					yield { at, message: `${event.id} is listed and has not started in time` };
			}
		},
	},
	{
		name: 'lost executions start again',
		promised: [{ in: 'docs/promises.md', text: 'n8n loses the execution before it starts' }],
		needs: ['response', 'stored', 'started', 'settled'],
		*check(view) {
			if (!view.world.hasWebhook) return;
			for (const event of view.events.filter(isStartable)) {
				const last = event.responses.at(-1);
				if (
					event.starts.length > 0 ||
					last === undefined ||
					last.status < 200 ||
					last.status >= 300
				)
					continue;
				// A ledger from before the event was given back knows it as begun.
				if (wasCutOff(view, event)) continue;
				if (view.hadLoss({ from: event.created.at, to: view.endAt })) continue;
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
				if (event.starts.length > ownStarts(event).length || event.replays.length > 0) continue;
				if (view.hadLoss({ from: event.created.at, to: view.endAt })) continue;
				// With Do Not Start Again, what begins and is cut off is interrupted for good.
				if (wasCutOff(view, event)) continue;
				yield* notRepeated(view, event);
			}
		},
	},
];

/** Each attempt without a success, after which the next one did not start in time. */
function* notRepeated(view: View, event: EventView): Generator<Found> {
	const starts = ownStarts(event);
	for (const [n, last] of starts.slice(0, MOST_ATTEMPTS - 1).entries()) {
		if (succeeded(last)) return;
		if (last.acknowledge !== 'succeeded') continue;
		// One that the ledger knows as begun may have been cut off before its nodes ran.
		const begun = event.entries.filter(({ at, to }) => at <= last.at && /^r/.test(to));
		if (begun.length >= MOST_ATTEMPTS) return;
		// It counts as running as long as its process lives.
		const hasNoEnd =
			last.end === undefined ||
			(last.end.outcome === 'not saved' && view.world.reportsEnd === 'if saved');
		const downAt = view.downAt(last.by);
		if (hasNoEnd && downAt === Infinity) continue;
		const next = starts[n + 1];
		const nextAt = next === undefined ? view.endAt : handedOverAt(event, next);
		if (!view.isWantedAlways(event, { from: last.at, to: nextAt })) continue;
		// It may have begun once without a start.
		const pause = Math.max(
			PAUSES_MS[Math.min(n + 1, PAUSES_MS.length - 1)] ?? 0,
			PAUSE_AFTER_STOP_MS,
		);
		const overAt = Math.max(last.end?.at ?? last.at, downAt === Infinity ? 0 : downAt);
		const dueAt = Math.max(overAt, view.quietAt, event.listedAt) + pause;
		const until = Math.max(dueAt, readAgainBy(view, event)) + polls(view);
		const isOpen = event.stored.some(({ at }) => at > last.at && at < nextAt);
		if (until < nextAt && (!isOpen || dueBy(view, event, next) < nextAt)) {
			yield {
				at: nextAt,
				message: `${named(event, last)} ended as ${last.end?.outcome ?? 'interrupted'} and did not start again in time`,
			};
		}
	}
}

/** Whether it starts without a delivery: older ones do not. */
function isNew({ publications, world }: View, { listedAt, created }: EventView): boolean {
	if (world.startFrom === 'retained') return true;
	const publishedAt = publications[0]?.at ?? Infinity;
	return listedAt > publishedAt && (created.createdAt ?? Infinity) > publishedAt + 5 * SECOND_MS;
}

/**
 * By when a poll has read an event again that a delivery began: if it was listed late, or of no use to the poll that listed it (too
 * old, or filtered out), only the looks back find it.
 */
function readAgainBy(view: View, event: EventView): number {
	const begunAt = event.starts[0]?.at ?? 0;
	const period = { from: event.created.at - 5 * MINUTE_MS, to: begunAt };
	const lateMs = lookBackMs(event.listedAt - createdAtOf(event));
	if (lateMs > 0) return event.listedAt + lateMs;
	if (isNew(view, event) && !view.hadOtherFilters(period)) return 0;
	return begunAt + lookBackMs(begunAt - createdAtOf(event));
}

const createdAtOf = ({ created: { at, createdAt = at } }: EventView) => createdAt;

/** When n8n stored the execution. */
const handedOverAt = ({ stored }: EventView, { execution, at }: Start): number =>
	stored.find((each) => each.execution === execution)?.at ?? at;

/**
 * An event that has not been handed over for this start by then has missed it: after the last fault, the grace of the
 * execution that was lost before, and some polls.
 */
function dueBy(view: View, event: EventView, start?: Start): number {
	const { listedAt, created } = event;
	const since = Math.max(view.quietAt, listedAt === Infinity ? 0 : listedAt, created.at);
	return Math.max(since, lostBy(view, event, start)) + polls(view);
}

/**
 * In which time a poll reads what is so late: the next one reads two minutes back, one within the hour ten minutes, and one within
 * a day an hour (`lib/follow`). A simulation is shorter than that, so properties of `follow` have days.
 */
function lookBackMs(lateMs: number): number {
	if (lateMs <= 2 * MINUTE_MS) return 0;
	if (lateMs <= 10 * MINUTE_MS) return 60 * MINUTE_MS;
	return lateMs <= 60 * MINUTE_MS ? 24 * 60 * MINUTE_MS : Infinity;
}

/** When n8n must have lost the last execution of the event before this start: its grace is over. */
function lostBy(view: View, { stored }: EventView, start?: Start): number {
	const before = stored.filter(({ execution }) => execution !== start?.execution);
	const last = before.at(-1);
	const grace = Math.min(FIRST_GRACE_MS * 2 ** Math.max(0, before.length - 1), LONGEST_GRACE_MS);
	return last ? Math.max(last.at, view.quietAt) + grace + 2 * MINUTE_MS : 0;
}
