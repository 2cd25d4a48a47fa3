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
	/** The ID of the record up to which a list without times is read; undefined for all of it. */
	readonly knownFrom: string | undefined;
}

export class Finds {
	/** By ID. */
	readonly fresh = new Map<string, Listed>();
	readonly open = new Map<string, OpenEvent>();
	/** The last record with a time of each page. */
	readonly anchors: Anchor[] = [];
	/** The ID of the first record read. */
	head: string | undefined;
	/** Whether an event without a time may have to be looked at again. */
	isUntimedOpen = false;
	readonly #looking: Looking;

	constructor(looking: Looking) {
		this.#looking = looking;
	}

	/** Looks up the events of a page, in parallel. False if no record has had a time, and what follows is known. */
	readonly take = async (page: readonly Listed[]): Promise<boolean> => {
		const { isWanted, look, knownFrom } = this.#looking;
		const wanted = page.filter(({ event }) => isWanted(event));
		const known = await Promise.all(wanted.map(look));
		for (const [n, listed] of wanted.entries()) {
			const knowledge = known[n];
			if (knowledge?.next === 'start') this.fresh.set(listed.event.id, listed);
			if (knowledge?.next === 'wait') this.leaveOpen(listed, knowledge.account);
		}
		const last = page.findLast(({ at }) => at !== undefined);
		if (last?.at !== undefined) this.anchors.push({ id: last.event.id, at: last.at });
		this.head ??= page[0]?.event.id;
		return this.anchors.length > 0 || !page.some(({ event }) => event.id === knownFrom);
	};

	/** An event above all times cannot be found again by one: the list is read down to it until it has settled. */
	leaveOpen({ event, by, place }: Listed, account: Account): void {
		if (by === undefined) {
			this.isUntimedOpen = true;
			return;
		}
		const found = { id: event.id, at: by, hasBegun: hasBegun(account) };
		this.open.set(event.id, { ...found, ...(place !== undefined && { place }) });
	}

	/** The events to start: by time if all have one, otherwise in the order of the list. */
	oldestFirst(isOldestFirst: boolean): Listed[] {
		const fresh = [...this.fresh.values()];
		const inOrder = isOldestFirst ? fresh : fresh.toReversed();
		return oldestFirst(inOrder.map((listed) => ({ ...listed, record: listed.event.record })));
	}
}
