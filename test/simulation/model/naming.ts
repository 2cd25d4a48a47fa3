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

/** What still decides something: other claims, runs and holders of an entry are unknown names, and other times nothing waits for. */
function meaningOf({ entry, processes }: World) {
	const knowsClaim = processes.some(({ deliveries }, process) =>
		deliveries.some((each, index) => each && holds(entry, { process, index }, each)),
	);
	const isHeld = entry?.kind === 'pending' || entry?.kind === 'running';
	const isTimed = entry?.kind === 'stored' || (entry?.repeats === true && TIMED.has(entry.kind));
	const holder = knowsClaim || isHeld ? entry?.holder : undefined;
	/** A paused process that holds and does nothing is like one that lives. */
	const isAlive = (process: Process, n: number) =>
		process.isAlive || (!isInUse(process) && holder !== sessionOf(n));
	return { knowsClaim, holder, at: isTimed || entry?.at === 0 ? entry.at : LONG_AGO, isAlive };
}

const TIMED: ReadonlySet<string> = new Set(['running', 'failed', 'interrupted']);

/** The world without what decides nothing any more. */
export function settled(world: World): World {
	const { entry, processes } = world;
	const { knowsClaim, holder, at, isAlive } = meaningOf(world);
	const knowsRun = processes.some(({ attempts }, process) =>
		attempts.some((each, index) => each !== undefined && entry?.run === runOf({ process, index })),
	);
	const claim = knowsClaim ? entry?.claim : undefined;
	const run = knowsRun ? entry?.run : undefined;
	return {
		...world,
		entry: entry && { ...entry, at, claim, holder, run },
		processes: processes.map((each, n) => ({ ...each, isAlive: isAlive(each, n) })),
	};
}

/** Where deliveries and attempts are, and the kinds of entries, as numbers: a search has millions of names. */
const NUMBERS: ReadonlyMap<string | undefined, number> = new Map(
	[
		...['handing over', 'stored', 'committing', 'abandoned', 'releasing'],
		...['unsure', 'giving back', 'giving back again', 'on'],
		...['succeeded', 'failed', 'asleep', 'lost', 'canceled'],
		...['pending', 'running', 'interrupted', 'done', 'begun'],
	].map((text, n) => [text, n + 1]),
);

/** The same for all worlds that are the same once they are settled. Processes have no order, nor have the deliveries and attempts of one. */
export function nameOf(world: World): string {
	const meaning = meaningOf(world);
	const named = world.processes.map((each, process) =>
		numberOfProcess(each, process, world, meaning),
	);
	if (named.length > 1) named.sort(ascending);
	const { entry, isStored, isAcknowledged, isOnce, hasSucceeded, isAsleep, isReopened } = world;
	let name = String.fromCharCode(
		numberOf(entry?.kind),
		bits(numberOf(entry?.before), entry?.repeats === true, meaning.holder === DEAD),
		bits(1, meaning.at === 0, meaning.at === LONG_AGO, entry?.reopenedAt !== undefined),
		bits(1, isStored, isAcknowledged, isOnce, hasSucceeded, isAsleep, isReopened),
	);
	// A character has the lowest 16 bits of its number.
	for (const each of named) name += String.fromCharCode(each / 2 ** 32, each / 2 ** 16, each);
	return world.fault === undefined ? name : name + world.fault;
}

/** A number of at most 48 bits, made with no string or list that is not needed: a search makes millions. */
function numberOfProcess(
	each: Process,
	process: number,
	{ entry }: World,
	{ holder, isAlive }: ReturnType<typeof meaningOf>,
): number {
	const slots = each.deliveries.map((delivery, index) => {
		if (delivery === undefined) return 0;
		const isHolder = holds(entry, { process, index }, delivery);
		return bits(numberOf(delivery.at), delivery.isOld, isHolder);
	});
	const starts = each.attempts.map((attempt, index) => {
		if (attempt === undefined) return 0;
		const { at, repeats, isRetry, isOld, isSteady, isBeforeReopen } = attempt;
		const isLast = entry?.run === runOf({ process, index });
		return bits(numberOf(at), repeats, isRetry, isOld, isSteady, isBeforeReopen, isLast);
	});
	if (slots.length + starts.length > 3) throw new Error('Too many for 48 bits.');
	if (slots.length > 1) slots.sort(ascending);
	if (starts.length > 1) starts.sort(ascending);
	const isOldHolder = holder === sessionOf(process, OLD);
	let number = bits(1, isAlive(each, process), holder === sessionOf(process), isOldHolder);
	for (const slot of slots) number = number * SLOT + slot;
	for (const start of starts) number = number * SLOT + start;
	return number;
}

/** Above the number of any slot: a place and six bits. */
const SLOT = (NUMBERS.size + 1) * 2 ** 6;
const ascending = (a: number, b: number) => a - b;
const OLD = { isOld: true };

function numberOf(text: string | undefined): number {
	return NUMBERS.get(text) ?? 0;
}

function bits(first: number, ...rest: readonly boolean[]): number {
	let number = first;
	for (const each of rest) number = 2 * number + (each ? 1 : 0);
	return number;
}
