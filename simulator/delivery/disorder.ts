/** The order and the copies in which the field delivers events: one in fifty twice, one in ten late or swapped. */
import type { Random } from '../data/random';

const TWICE_ONE_IN = 50;
const LATE_ONE_IN = 10;
/** By so many events at most; by one it changes places with the next. */
const LATEST = 5;

export interface Disorder<T> {
	/** What goes out when this event comes: itself unless it is late, and what was late before. */
	next(event: T): T[];
	/** What is still late. */
	rest(): T[];
}

export function createDisorder<T>(random: Random): Disorder<T> {
	/** By how many events from now it goes out. */
	const waiting: T[][] = [];
	return {
		next(event) {
			for (const delay of delays(random)) {
				while (waiting.length <= delay) waiting.push([]);
				// The event itself goes before those that waited for it: so two change places.
				if (delay === 0) waiting[0]?.unshift(event);
				else waiting[delay]?.push(event);
			}
			return waiting.shift() ?? [];
		},
		rest: () => waiting.splice(0).flat(),
	};
}

/**
 * A whole list as the field delivers it. However short it is, at least one event comes twice, and of two or more at
 * least one comes after a later one.
 */
export function inDisorder<T>(events: readonly T[], random: Random): T[] {
	if (events.length === 0) return [];
	for (;;) {
		const disorder = createDisorder<number>(random);
		const onTime = [...events.keys()].flatMap((index) => disorder.next(index));
		const order = [...onTime, ...disorder.rest()];
		const firsts = [...new Set(order)];
		const isShuffled = events.length === 1 || firsts.some((event, place) => event !== place);
		if (isShuffled && order.length > events.length) {
			return order.flatMap((index) => events.slice(index, index + 1));
		}
	}
}

/** After how many further events each delivery of an event goes out. */
function delays(random: Random): number[] {
	const first = random.int(LATE_ONE_IN) === 0 ? 1 + random.int(LATEST) : 0;
	return random.int(TWICE_ONE_IN) === 0 ? [first, first + random.int(LATEST)] : [first];
}
