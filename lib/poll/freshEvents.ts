/** What a poll finds in the pages that it reads: the events to start, and those to look at again. */
import { oldestFirst, type ParsedEvent } from '../event';
import type { Listed } from '../follow';
import { type Account, type Ledger, ledgerKey } from '../ledger';
import { chunksOf } from '../shared/pace';
import { dueIn, hasBegun, isUnsettled, RETENTION_MS } from '../start';
import type { OpenEvent, PollState } from './state';

export interface PollScope {
	readonly ledger: Ledger;
	readonly workflowId: string;
	readonly nodeId: string;
}

interface Looking extends PollScope {
	readonly isWanted: (event: ParsedEvent) => boolean;
}

export class Finds {
	/** By ID. */
	readonly fresh = new Map<string, Listed>();
	readonly open = new Map<string, OpenEvent>();
	/** The ID of the first record read. */
	head: string | undefined;
	/** Whether a record has had a time. */
	isTimed = false;
	/** Whether an event without a time may have to be looked at again. */
	isUntimedOpen = false;
	readonly #looking: Looking;
	readonly #state: PollState;

	constructor(looking: Looking, state: PollState) {
		this.#looking = looking;
		this.#state = state;
	}

	/** Looks up the events of a page, in parallel. False if no record has had a time, and what follows is known; `read` if it was read. */
	readonly take = async (page: readonly Listed[]): Promise<boolean | 'read'> => {
		const { ledger, workflowId, isWanted } = this.#looking;
		const { knownFrom, readFrom } = this.#state;
		const wanted = page.filter(({ event }) => isWanted(event));
		await Promise.all(
			wanted.map(async (listed) => {
				const account = await ledger.look(ledgerKey(workflowId, listed.event.id));
				if (!isUnsettled(account)) return;
				const isFree = account.state === 'free';
				if (isFree && !(await isNew(this.#looking, listed, this.#state))) return;
				if (isFree || dueIn(account) === 0) this.fresh.set(listed.event.id, listed);
				else this.leaveOpen(listed, account);
			}),
		);
		this.isTimed ||= page.some(({ at }) => at !== undefined);
		this.head ??= page[0]?.event.id;
		if (this.isTimed) return true;
		if (page.some(({ event }) => event.id === knownFrom)) return false;
		return page.some(({ event }) => event.id === readFrom) ? 'read' : true;
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

/**
 * Whether an event that the ledger does not know starts: one created since the publication, or that may have been,
 * unless it was listed then. Below the frontier, an event that is older than the last change of the filters was filtered
 * out before it.
 */
export async function isNew(scope: PollScope, listed: Listed, state: PollState): Promise<boolean> {
	const { publishedAt, frontier, wantedSince, startFrom, open, position } = state;
	const { id } = listed.event;
	const at = (position.order === 'oldestFirst' ? listed.at : listed.by) ?? Infinity;
	const isBelow = at <= frontier && at <= wantedSince;
	if (isBelow && !open.some((each) => each.id === id)) return false;
	if (startFrom === 'retained' && publishedAt === 0) return true;
	if (at < publishedAt) return false;
	return (await scope.ledger.look(listedBefore(scope, id))).state === 'free';
}

/** A separate scope in the ledger: a webhook may still deliver these events, and they start then. */
const listedBefore = ({ workflowId, nodeId }: PollScope, id: string): string =>
	ledgerKey(JSON.stringify([workflowId, nodeId, 'listed before publication']), id);

/** Begun is final, as needed here; no execution has this name. */
const LISTED = {
	run: 'baseline',
	acknowledge: 'stored',
	retentionMs: RETENTION_MS,
	reportsEnd: false,
} as const;

/** Records events as listed at publication. */
export async function rememberListed(scope: PollScope, ids: readonly string[]): Promise<void> {
	const keys = ids.map((id) => listedBefore(scope, id));
	for (const some of chunksOf(keys)) await scope.ledger.begin(some, LISTED);
}
