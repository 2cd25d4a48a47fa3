/** Executions: one at a time, none after a success, with pauses in between. */
import type { EventView, LineOf, Start, View } from '../view';
import {
	MOST_ATTEMPTS,
	PAUSES_MS,
	PAUSE_AFTER_STOP_MS,
	SECOND_MS,
	SESSION_MS,
	isBegunBy,
	mayLackEnd,
	named,
	ownStarts,
	wasReplayed,
	wasRetried,
} from './facts';
import type { Rule } from './rule';

export const EXECUTIONS: readonly Rule[] = [
	{
		name: 'one execution',
		promised: [
			{
				in: 'README.md',
				text: 'If an event is delivered several times, the nodes after the trigger run in only one execution.',
			},
			{
				in: 'README.md',
				text: '**Do Not Start Again** (default): an execution that fails or is interrupted does not run again.',
			},
			{ in: 'docs/promises.md', text: 'The execution begins' },
		],
		needs: ['started', 'ended', 'process'],
		*check(view) {
			for (const event of view.startable) {
				for (const { start, before, earlier } of repetitions(view, event)) {
					if (before.acknowledge === 'stored') {
						yield {
							at: start.at,
							message: `${named(event, start)} started although ${before.execution} had begun with Do Not Start Again`,
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
		name: 'never after success',
		promised: [{ in: 'docs/promises.md', text: 'The execution succeeds' }],
		needs: ['started', 'ended'],
		*check(view) {
			for (const event of view.startable) {
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
		promised: [{ in: 'docs/promises.md', text: 'A Wait node puts the execution to sleep' }],
		needs: ['started', 'ended', 'asleep'],
		*check(view) {
			for (const event of view.startable) {
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
			{ in: 'docs/promises.md', text: 'You stop the execution, or it times out' },
			{
				in: 'docs/promises.md',
				text: 'The pauses between attempts are 1, 5 and 30 minutes, 2 hours, then 6 hours.',
			},
		],
		needs: ['started', 'ended', 'clock'],
		*check(view) {
			for (const event of view.startable) {
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
				in: 'docs/promises.md',
				text: 'A poll trigger stops after six attempts, about nine hours;',
			},
		],
		needs: ['started', 'listed'],
		*check(view) {
			for (const event of view.startable) {
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
		promised: [{ in: 'docs/promises.md', text: 'A crash or restart interrupts the execution' }],
		needs: ['started', 'ended', 'process'],
		*check(view) {
			for (const event of view.startable) {
				for (const { start, before } of repetitions(view, event)) {
					if (before.end !== undefined || view.downAt(before.by) > start.at) continue;
					// Also at its exit: it closes its session only when nothing runs any more.
					if (start.at < view.silentAt(before.by) + SESSION_MS - 21 * SECOND_MS) {
						yield {
							at: start.at,
							message: `${named(event, start)} started before the process of ${before.execution} counted as dead`,
						};
					}
				}
			}
		},
	},
];

/** Each start with the one before it that counts, and how many there were since it was replayed. */
function* repetitions(
	view: View,
	event: EventView,
): Generator<{ start: Start; before: Start; attempts: number; earlier: Start[] }> {
	let earlier: Start[] = [];
	for (const start of ownStarts(event)) {
		const before = earlier.at(-1);
		// It had begun before the other one, and its process was paused just then.
		const isOlder = (entry: LineOf<'entry'>) =>
			before !== undefined &&
			entry.at < before.at &&
			isBegunBy(entry, start.execution) &&
			view.pausedMs(start.by, { from: entry.at, to: start.at }) > 0;
		if (event.entries.some(isOlder)) continue;
		if (before !== undefined) {
			const period = { from: before.at, to: start.at };
			const isNew =
				wasReplayed(event, before.at, start.at) ||
				view.hadLoss({ from: writtenAt(event, before), to: start.at }) ||
				wasRetried(event, period);
			if (isNew) earlier = [];
			else yield { start, before, attempts: earlier.length, earlier: [...earlier] };
		}
		earlier.push(start);
	}
}

/** When the ledger had that it begins, a moment before its first node runs. */
function writtenAt({ entries }: EventView, { execution, at, by }: Start): number {
	const isBeginning = (entry: EventView['entries'][number]) =>
		entry.by === by &&
		entry.at <= at &&
		/^[rb]/.test(entry.to) &&
		entry.to.split('|')[8]?.startsWith(`${execution}:`) === true;
	return entries.findLast(isBeginning)?.at ?? at;
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
