/** The list of events: those that were emitted, and in the network profile those that are computed. */
import type { ComputedNetwork } from '../data/network/network';
import type { DeliveredEvent } from '../shared/types';
import { Retained, RETENTION_MS } from './retained';

/** Where an event stands in the list. */
interface Position {
	readonly atMs: number;
	/** Of events of the same time, computed ones come first. */
	readonly isComputed: boolean;
	readonly number: number;
}

type Direction = 1 | -1;

export class EventList {
	private readonly emitted: Retained<DeliveredEvent>;

	constructor(
		private readonly now: () => number,
		private readonly network?: ComputedNetwork,
	) {
		this.emitted = new Retained(now);
	}

	add(event: DeliveredEvent): void {
		this.emitted.add(event);
	}

	/** Emitted events, oldest first. */
	all(): DeliveredEvent[] {
		return this.emitted.all();
	}

	get(id: string): DeliveredEvent | undefined {
		const slot = this.network?.slotOf(id);
		if (slot === undefined || !this.network) return this.emitted.get(id);
		const [first, last] = this.slots(this.network);
		return slot < first || slot > last ? undefined : this.network.eventAt(slot);
	}

	/** Events after this one, or from an end of the list; undefined if the list has no such event. Takes time by what is read. */
	from(after: string | undefined, newestFirst: boolean): Iterable<DeliveredEvent> | undefined {
		const direction = newestFirst ? -1 : 1;
		const emitted = this.all();
		const start = after === undefined ? undefined : this.positionOf(after, emitted);
		if (after !== undefined && !start) return undefined;
		return this.walk(emitted, direction, start);
	}

	private *walk(
		emitted: readonly DeliveredEvent[],
		direction: Direction,
		start: Position | undefined,
	): Generator<DeliveredEvent> {
		let stored = this.firstStored(emitted, direction, start);
		for (const [slotMs, computed] of this.computed(direction, start)) {
			for (; ; stored += direction) {
				const event = emitted[stored];
				if (!event || !isBefore(Date.parse(event.createdAt), slotMs, direction)) break;
				yield event;
			}
			yield computed;
		}
		for (; stored >= 0 && stored < emitted.length; stored += direction) {
			const event = emitted[stored];
			if (event) yield event;
		}
	}

	private *computed(
		direction: Direction,
		start: Position | undefined,
	): Generator<readonly [ms: number, event: DeliveredEvent]> {
		const { network } = this;
		if (!network) return;
		const [first, last] = this.slots(network);
		for (let slot = firstSlot(network, direction, start, [first, last]); ; slot += direction) {
			if (slot < first || slot > last) return;
			const event = network.eventAt(slot);
			if (event) yield [Date.parse(event.createdAt), event];
		}
	}

	private firstStored(
		emitted: readonly DeliveredEvent[],
		direction: Direction,
		start: Position | undefined,
	): number {
		if (!start) return direction === 1 ? 0 : emitted.length - 1;
		if (!start.isComputed) return start.number + direction;
		const isLater = ({ createdAt }: DeliveredEvent) => Date.parse(createdAt) >= start.atMs;
		const later = emitted.findIndex(isLater);
		const index = later === -1 ? emitted.length : later;
		return direction === 1 ? index : index - 1;
	}

	private positionOf(id: string, emitted: readonly DeliveredEvent[]): Position | undefined {
		const event = this.get(id);
		if (!event) return undefined;
		const slot = this.network?.slotOf(id);
		const number = slot ?? emitted.findIndex((each) => each.id === id);
		return { atMs: Date.parse(event.createdAt), isComputed: slot !== undefined, number };
	}

	/** The first and the last slot that the list holds now. */
	private slots(network: ComputedNetwork): [first: number, last: number] {
		const now = this.now();
		return [network.slotAt(now - RETENTION_MS) + 1, network.slotAt(now)];
	}
}

function firstSlot(
	network: ComputedNetwork,
	direction: Direction,
	start: Position | undefined,
	[first, last]: readonly [number, number],
): number {
	if (!start) return direction === 1 ? first : last;
	if (start.isComputed) return start.number + direction;
	const slot = network.slotAt(start.atMs);
	return direction === 1 ? slot + 1 : slot;
}

/** Whether an emitted event comes before a computed one in this direction. */
function isBefore(emittedMs: number, computedMs: number, direction: Direction): boolean {
	return direction === 1 ? emittedMs < computedMs : emittedMs >= computedMs;
}
