/** What was read and says nothing: counted, so that an operator hears of it. */
import { counted } from '../../shared/counted';
import type { EventFacts, Reading } from './types';

/** Unknown words that are named. */
const MOST_WORDS = 5;

export class LeftOut {
	#unreadable = 0;
	#undated = 0;
	/** Words for a connection that are in neither list: the first few. */
	readonly #words = new Set<string>();

	/** The facts of an event; undefined if there are none. */
	without(read: Reading): EventFacts | undefined {
		if (read === 'unreadable') this.#unreadable += 1;
		else if (read === 'undated') this.#undated += 1;
		else if (read === undefined || !('unknownWord' in read)) return read;
		else if (this.#words.size < MOST_WORDS) this.#words.add(read.unknownWord);
		return undefined;
	}

	/** Texts by the kind of what was left out. Each completes a log line. */
	get texts(): (readonly [kind: string, text: string])[] {
		const texts: (readonly [kind: string, text: string])[] = [];
		if (this.#words.size > 0) {
			const words = [...this.#words].map((word) => `'${word}'`).join(', ');
			texts.push([
				'words',
				`asset.connectivity events with ${words} change nothing: add the words to 'Connected Words' or 'Disconnected Words' in the credential`,
			]);
		}
		if (this.#unreadable > 0) {
			texts.push([
				'unreadable',
				`${counted(this.#unreadable, 'message')} left out that cannot be read`,
			]);
		}
		if (this.#undated > 0) {
			texts.push([
				'undated',
				`${counted(this.#undated, 'event')} left out without a time, or with one of the future`,
			]);
		}
		return texts;
	}
}
