/** What a poll has read about stations. */
import type { Listed } from '../follow';
import { type EventFacts, type Reading, readFacts } from './facts';

export class Readings {
	readonly events: EventFacts[] = [];
	unreadable = 0;
	undated = 0;
	/** By the service's clock, otherwise by n8n's. */
	serviceNow: number;
	readonly #isWanted: (event: EventFacts) => boolean;

	constructor(now: number, isWanted: (event: EventFacts) => boolean) {
		this.serviceNow = now;
		this.#isWanted = isWanted;
	}

	readonly take = async (page: readonly Listed[]): Promise<undefined> => {
		for (const { event } of page) {
			const read: Reading = readFacts(event, this.serviceNow);
			if (read === 'unreadable') this.unreadable += 1;
			else if (read === 'undated') this.undated += 1;
			else if (read !== undefined && this.#isWanted(read)) this.events.push(read);
		}
		return undefined;
	};
}
