/** What a poll has read about stations. */
import type { Listed } from '../follow';
import type { StationSettings } from './common/settings';
import { type EventFacts, LeftOut, readFacts } from './facts';
import { isWatched } from './fold/station';

export class Readings {
	readonly events: EventFacts[] = [];
	leftOut = new LeftOut();
	/** By the service's clock, otherwise by n8n's. */
	serviceNow: number;
	readonly #settings: StationSettings;

	constructor(now: number, settings: StationSettings) {
		this.serviceNow = now;
		this.#settings = settings;
	}

	/** What was read so far is read again. */
	clear(): void {
		this.events.length = 0;
		this.leftOut = new LeftOut();
	}

	readonly take = async (page: readonly Listed[]): Promise<undefined> => {
		for (const { event } of page) {
			const read = this.leftOut.without(readFacts(event, this.serviceNow, this.#settings));
			if (read?.facts.some((fact) => isWatched(fact, this.#settings)) === true) {
				this.events.push(read);
			}
		}
		return undefined;
	};
}
