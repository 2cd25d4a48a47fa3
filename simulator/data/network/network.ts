/** A network whose events are computed from their number in the list: nothing is stored, however many there are. */
import type { DeliveredEvent, Incident } from '../../shared/types';
import type { Asset } from '../assets';
import { Station } from '../field/station';
import { Incidents } from '../incidents';
import { createRandom } from '../random';
import { Pace } from './pace';
import { blockOf, planOf } from './plan';

const ID = /^whevt_network_(\d{1,15})$/;

export class ComputedNetwork {
	private readonly pace: Pace;

	/**
	 * All stations send, and the same at every start.
	 * @throws {RangeError} if there is no station
	 */
	constructor(
		private readonly stations: readonly Asset[],
		eventsPerSecond: number,
	) {
		if (stations.length === 0) {
			throw new RangeError('The network profile needs at least one asset.');
		}
		this.pace = new Pace(stations.length, eventsPerSecond);
	}

	/** The last slot at or before this time; a slot has at most one event. */
	slotAt(ms: number): number {
		return this.pace.slotAt(ms);
	}

	slotOf(id: string): number | undefined {
		const [, digits] = ID.exec(id) ?? [];
		return digits === undefined ? undefined : Number(digits);
	}

	/** Undefined if the station has no connection at that time. */
	eventAt(slot: number): DeliveredEvent | undefined {
		const { place, tick } = this.pace.tickOf(slot);
		const asset = this.stations[place];
		if (!asset || tick < 0) return undefined;
		const plan = planOf(asset, place, blockOf(place, tick), this.pace);
		const createdAt = new Date(this.pace.timeOfSlot(slot)).toISOString();
		const make = plan.has(tick)
			? plan.get(tick)
			: new Station(asset, createRandom(slot), 0).heartbeat();
		if (!make) return undefined;
		const { type, data } = make(createdAt);
		return { id: idOf(slot), type, createdAt, data };
	}

	/** Incidents that touch this time, as far as they are known at its end. It takes time for each station and block. */
	incidents(fromMs: number, toMs: number): Incident[] {
		return this.stations.flatMap((asset, place) => {
			const incidents = new Incidents();
			// Stories end in their block.
			for (let block = this.blockAt(place, fromMs); block <= this.blockAt(place, toMs); block++) {
				for (const [tick, make] of planOf(asset, place, block, this.pace)) {
					const slot = this.pace.slotOf(place, tick);
					const ms = this.pace.timeOfSlot(slot);
					if (!make || ms > toMs) continue;
					const createdAt = new Date(ms).toISOString();
					const shown = { id: idOf(slot), createdAt, assetId: asset.id };
					incidents.note(shown, make(createdAt).marks);
				}
			}
			return incidents.all.filter(({ until }) => until === null || Date.parse(until) >= fromMs);
		});
	}

	/** The block of the last tick before this time. */
	private blockAt(place: number, ms: number): number {
		const { tick } = this.pace.tickOf(this.pace.slotAt(ms));
		const last = [tick + 1, tick, tick - 1].find((each) => this.pace.timeOf(place, each) <= ms);
		return blockOf(place, last ?? tick - 2);
	}
}

function idOf(slot: number): string {
	return `whevt_network_${slot}`;
}
