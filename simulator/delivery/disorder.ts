/** The order in which the field delivers events: one in fifty arrives twice, one in ten late or swapped. */
import type { Random } from '../data/random';

const TWICE_ONE_IN = 50;
const LATE_ONE_IN = 10;
/** Largest delay, in events. An event that is late by one is swapped with the next. */
const LATEST = 5;

interface Disorder<T> {
	/** The events to send now: this one unless it is delayed, and earlier ones whose delay has ended. */
	next(event: T): T[];
	/** The events that are still delayed. */
	rest(): T[];
}

export function createDisorder<T>(random: Random): Disorder<T> {
	/** Delayed events, by the number of events until they are sent. */
	const waiting: T[][] = [];
	return {
		next(event) {
			for (const delay of delays(random)) {
				while (waiting.length <= delay) waiting.push([]);
				// The new event goes before delayed ones, so two events are swapped.
				if (delay === 0) waiting[0]?.unshift(event);
				else waiting[delay]?.push(event);
			}
			return waiting.shift() ?? [];
		},
		rest: () => waiting.splice(0).flat(),
	};
}

/**
 * A whole list as the field delivers it. Even in a short list, at least one event arrives twice; in a list of two or
 * more, at least one arrives after a later one.
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

/** Delay of each delivery of an event, in events. */
function delays(random: Random): number[] {
	const first = random.int(LATE_ONE_IN) === 0 ? 1 + random.int(LATEST) : 0;
	return random.int(TWICE_ONE_IN) === 0 ? [first, first + random.int(LATEST)] : [first];
}
