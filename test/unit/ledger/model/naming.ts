/** One name for all worlds that differ only in what decides nothing. */
import {
	DEAD,
	holds,
	isInUse,
	LONG_AGO,
	type Process,
	runOf,
	sessionOf,
	type World,
} from './world';

/** The world without what decides nothing any more: unknown names, and times that nothing waits for. */
export function settled(world: World): World {
	const { entry } = world;
	const knowsClaim = world.processes.some(({ deliveries }, process) =>
		deliveries.some((each, index) => each && holds(entry, { process, index }, each)),
	);
	const knowsRun = world.processes.some(({ attempts }, process) =>
		attempts.some((each, index) => each !== undefined && entry?.run === runOf({ process, index })),
	);
	const isHeld = entry?.kind === 'pending' || entry?.kind === 'running';
	const isTimed = entry?.kind === 'stored' || (entry?.repeats === true && TIMED.has(entry.kind));
	const left = entry && {
		...entry,
		at: isTimed || entry.at === 0 ? entry.at : LONG_AGO,
		claim: knowsClaim ? entry.claim : undefined,
		holder: knowsClaim || isHeld ? entry.holder : undefined,
		run: knowsRun ? entry.run : undefined,
	};
	const isForgotten = (process: Process, n: number) =>
		!process.isAlive && !isInUse(process) && left?.holder !== sessionOf(n);
	const processes = world.processes.some(isForgotten)
		? world.processes.map((each, n) => (isForgotten(each, n) ? { ...each, isAlive: true } : each))
		: world.processes;
	return { ...world, entry: left, processes };
}

const TIMED: ReadonlySet<string> = new Set(['running', 'failed', 'interrupted']);

/** Processes have no order, nor have the deliveries and attempts of one. */
export function nameOf(world: World): string {
	const { entry, processes } = world;
	const named = processes.map(({ isAlive, deliveries, attempts }, process) => {
		const slots = deliveries.map((each, index) => {
			if (each === undefined) return '';
			return `${each.at}${bits(each.isOld, holds(entry, { process, index }, each))}`;
		});
		const starts = attempts.map((each, index) => {
			if (each === undefined) return '';
			const { at, repeats, isRetry, isOld, isSteady, isBeforeReopen } = each;
			const isLast = entry?.run === runOf({ process, index });
			return `${at}${bits(repeats, isRetry, isOld, isSteady, isBeforeReopen, isLast)}`;
		});
		const holder = entry?.holder;
		const is = bits(isAlive, holder === sessionOf(process), holder === sessionOf(process, OLD));
		return `${is} ${slots.sort().join()} ${starts.sort().join()}`;
	});
	const { isStored, isAcknowledged, isOnce, hasSucceeded, isAsleep, isReopened } = world;
	return [
		entry && `${entry.kind} ${entry.at} ${entry.before ?? ''} ${entry.reopenedAt ?? ''}`,
		bits(entry?.repeats === true, entry?.holder === DEAD),
		...named.sort(),
		bits(isStored, isAcknowledged, isOnce, hasSucceeded, isAsleep, isReopened),
		world.fault ?? '',
	].join('|');
}

const OLD = { isOld: true };

function bits(...all: readonly boolean[]): number {
	let number = 1;
	for (const each of all) number = 2 * number + (each ? 1 : 0);
	return number;
}
