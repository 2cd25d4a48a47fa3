/** What a poll has read about stations. */
import type { Listed } from '../follow';
import type { StationSettings } from './common/settings';
import { type EventFacts, type KnownIds, LeftOut, readFacts } from './facts';
import { isWatched } from './fold/station';

export class Readings {
	readonly events: EventFacts[] = [];
	leftOut: LeftOut;
	/** By the service's clock, otherwise by n8n's. */
	serviceNow: number;
	readonly #settings: StationSettings;
	readonly #known: KnownIds;

	/** `known`: the events that earlier readings have left out. */
	constructor(now: number, settings: StationSettings, known: KnownIds) {
		this.#known = known;
		this.leftOut = new LeftOut(known);
		this.serviceNow = now;
		this.#settings = settings;
	}

	/** What was read so far is read again. */
	clear(): void {
		this.events.length = 0;
		this.leftOut = new LeftOut(this.#known);
	}

	readonly take = async (page: readonly Listed[]): Promise<undefined> => {
		for (const { event } of page) {
			const read = this.leftOut.without(
				readFacts(event, this.serviceNow, this.#settings),
				event.id,
			);
			if (read?.facts.some((fact) => isWatched(fact, this.#settings)) === true) {
				this.events.push(read);
			}
		}
		return undefined;
	};
}
