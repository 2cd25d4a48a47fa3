/** What a poll has read about stations. */
import type { Listed } from '../follow';
import type { StationSettings } from './common/settings';
import { type EventFacts, type Reading, readFacts } from './facts';
import { isWatched } from './fold/station';

/** Unknown words that a poll names. */
const MOST_WORDS = 5;

export class Readings {
	readonly events: EventFacts[] = [];
	unreadable = 0;
	undated = 0;
	/** Words for a connection that are in neither list: the first few. */
	readonly unknownWords = new Set<string>();
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
		this.unreadable = 0;
		this.undated = 0;
	}

	readonly take = async (page: readonly Listed[]): Promise<undefined> => {
		for (const { event } of page) {
			const read: Reading = readFacts(event, this.serviceNow, this.#settings);
			if (read === 'unreadable') this.unreadable += 1;
			else if (read === 'undated') this.undated += 1;
			else if (read === undefined) continue;
			else if ('unknownWord' in read) {
				if (this.unknownWords.size < MOST_WORDS) this.unknownWords.add(read.unknownWord);
			} else if (read.facts.some((fact) => isWatched(fact, this.#settings))) this.events.push(read);
		}
		return undefined;
	};
}
