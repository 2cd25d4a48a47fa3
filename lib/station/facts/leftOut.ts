/** What was read and says nothing: counted, so that an operator hears of it. */
import { KnownIds } from '../../shared/knownIds';
import { counted } from '../../shared/text';
import type { EventFacts, Reading } from './types';

/** Unknown words that are named. */
const MOST_WORDS = 5;
type LeftOutReason = 'words' | 'unreadable' | 'undated';

interface LeftOutEvents {
	readonly kind: LeftOutReason;
	/** Completes a log line. */
	readonly text: string;
	/** How many events no earlier reading has left out. */
	readonly fresh: number;
}

export class LeftOut {
	readonly #counts: Record<LeftOutReason, number> = { words: 0, unreadable: 0, undated: 0 };
	readonly #fresh: Record<LeftOutReason, number> = { words: 0, unreadable: 0, undated: 0 };
	/** Words for a connection that are in neither list: the first few. */
	readonly #words = new Set<string>();
	readonly #known: KnownIds;

	/** `known`: what earlier readings have left out. */
	constructor(known = new KnownIds()) {
		this.#known = known;
	}

	/** The facts of an event; undefined if there are none. */
	without(read: Reading, eventId: string): EventFacts | undefined {
		if (read === undefined) return undefined;
		if (read === 'unreadable' || read === 'undated') this.#note(read, eventId);
		else if (!('unknownWord' in read)) {
			if (read.isUnreadable) this.#note('unreadable', eventId);
			return read;
		} else {
			this.#note('words', eventId);
			if (this.#words.size < MOST_WORDS) this.#words.add(read.unknownWord);
		}
		return undefined;
	}

	#note(kind: LeftOutReason, eventId: string): void {
		this.#counts[kind] += 1;
		if (this.#known.add(eventId)) this.#fresh[kind] += 1;
	}

	/** Only the kinds that were left out. */
	get all(): LeftOutEvents[] {
		const kinds = ['words', 'unreadable', 'undated'] as const;
		return kinds
			.filter((kind) => this.#counts[kind] > 0)
			.map((kind) => ({ kind, text: this.#textOf(kind), fresh: this.#fresh[kind] }));
	}

	#textOf(kind: LeftOutReason): string {
		const count = this.#counts[kind];
		if (kind === 'unreadable') return `left out ${counted(count, 'message')} that cannot be read`;
		if (kind === 'undated') {
			return `left out ${counted(count, 'event')} without a time, or with a future one`;
		}
		const words = [...this.#words].map((word) => `'${word}'`).join(', ');
		return `asset.connectivity events with ${words} change nothing: add the words to 'Connected Words' or 'Disconnected Words' in the credential`;
	}
}
