/**
 * When each station of the computed network may send. Slots follow each other at a fixed rate; in a round, each station
 * has two of them, its ticks: one in turn, and one a little later, so that short and long times both occur.
 */

/** Slot 0. */
const EPOCH_MS = Date.UTC(2025, 0, 1);
/** A round of 10,000 stations with 9 events per second: the stories last as long as in the field. */
export const REAL_ROUND_MS = 20_000_000 / 9;
/** The second tick of a station follows the first after this share of a round: 89 seconds of a real one. */
const PAIR_SHARE = 25;

export class Pace {
	readonly roundMs: number;
	/** From the first tick of a pair to the second. */
	readonly gapMs: number;
	private readonly gap: number;

	constructor(
		readonly stations: number,
		private readonly eventsPerSecond: number,
	) {
		this.roundMs = (2000 * stations) / eventsPerSecond;
		this.gap = Math.round(stations / PAIR_SHARE);
		this.gapMs = ((2 * this.gap + 1) * 1000) / eventsPerSecond;
	}

	timeOfSlot(slot: number): number {
		return EPOCH_MS + Math.floor((slot * 1000) / this.eventsPerSecond);
	}

	/** The last slot at or before this time. */
	slotAt(ms: number): number {
		const slot = Math.floor(((ms - EPOCH_MS) * this.eventsPerSecond) / 1000) + 1;
		return this.timeOfSlot(slot) <= ms ? slot : slot - 1;
	}

	/** Which station has this slot, and and which of its ticks it is. */
	tickOf(slot: number): { place: number; tick: number } {
		if (slot % 2 === 0) {
			return { place: (slot / 2) % this.stations, tick: 2 * Math.floor(slot / 2 / this.stations) };
		}
		const half = (slot - 1) / 2 - this.gap;
		const round = Math.floor(half / this.stations);
		return { place: half - round * this.stations, tick: 2 * round + 1 };
	}

	slotOf(place: number, tick: number): number {
		const round = Math.floor(tick / 2);
		const first = 2 * (round * this.stations + place);
		return tick % 2 === 0 ? first : first + 2 * this.gap + 1;
	}

	timeOf(place: number, tick: number): number {
		return this.timeOfSlot(this.slotOf(place, tick));
	}
}
