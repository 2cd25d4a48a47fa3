/** What a poll finds in the pages that it reads: the events to start, and those to look at again. */
import { oldestFirst, type ParsedEvent } from '../event';
import type { Account } from '../ledger';
import { hasBegun } from '../start';
import type { Listed } from '../walk';
import type { Knowledge } from './knowledge';
import type { Anchor, OpenEvent } from './state';

interface Looking {
	readonly isWanted: (event: ParsedEvent) => boolean;
	readonly look: (listed: Listed) => Promise<Knowledge>;
}

export class Finds {
	/** By ID. */
	readonly fresh = new Map<string, Listed>();
	readonly open = new Map<string, OpenEvent>();
	/** The last record with a time of each page. */
	readonly anchors: Anchor[] = [];
	readonly #looking: Looking;

	constructor(looking: Looking) {
		this.#looking = looking;
	}

	/** Looks up the events of a page, in parallel. Where a whole page has no times, false if nothing on it is to start. */
	readonly take = async (page: readonly Listed[]): Promise<boolean> => {
		const { isWanted, look } = this.#looking;
		const wanted = page.filter(({ event }) => isWanted(event));
		const known = await Promise.all(wanted.map(look));
		const before = this.fresh.size;
		for (const [n, listed] of wanted.entries()) {
			const knowledge = known[n];
			if (knowledge?.next === 'start') this.fresh.set(listed.event.id, listed);
			if (knowledge?.next === 'wait') this.leaveOpen(listed, knowledge.account);
		}
		const last = page.findLast(({ at }) => at !== undefined);
		if (last?.at !== undefined) this.anchors.push({ id: last.event.id, at: last.at });
		return last !== undefined || this.fresh.size > before;
	};

	/** An event without a time cannot be found again by it: it is looked up whenever it is read. */
	leaveOpen({ event, at, place }: Listed, account: Account): void {
		if (at === undefined) return;
		const found = { id: event.id, at, hasBegun: hasBegun(account) };
		this.open.set(event.id, { ...found, ...(place !== undefined && { place }) });
	}

	/** The events to start: by time if all have one, otherwise in the order of the list. */
	oldestFirst(isOldestFirst: boolean): Listed[] {
		const fresh = [...this.fresh.values()];
		const inOrder = isOldestFirst ? fresh : fresh.toReversed();
		return oldestFirst(inOrder.map((listed) => ({ ...listed, record: listed.event.record })));
	}
}
