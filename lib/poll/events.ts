/** What a poll trigger knows of the listed events: its saved state, and which events of a page start, wait, or are known. */
import { oldestFirst, type ParsedEvent } from '../event';
import {
	isUnread,
	type Listed,
	type Polling,
	savedFields,
	type Stretch,
	unreadFrom,
	withStretch,
} from '../follow';
import { type Account, ledgerKey, recordFormat } from '../ledger';
import { chunksOf } from '../shared/pace';
import { DAY_MS } from '../shared/time';
import { isDue, hasBegun, isUnsettled, RETENTION_MS } from '../start';
import { array, boolean, number, object, optional, string, type output } from '../vendor/zod';

/** An event that has not begun, or may have to be repeated. */
const openEvent = object({
	id: string(),
	/** When it was created, or by when if it does not say. In Unix milliseconds, as all times here. */
	at: number(),
	/** The ID of the record before it in the list; absent at the head. */
	place: optional(string()),
	hasBegun: boolean(),
});

/** `publishedAt`: events created before never start, unless the ledger knows them as stored; 0 for no such bound. */
const pollShape = object({
	...savedFields,
	/** Which events the trigger wants, as text. */
	wanted: string(),
	/** The newest event read when that last changed: older ones were filtered out, unless they were unread. */
	wantedSince: number(),
	/** Events created before have been listed and settled; 0 before the list was read for the first time. */
	frontier: number(),
	open: array(openEvent),
});

export const pollFormat = recordFormat(
	{ what: 'how far a Poll Trigger has come', number: 1 },
	pollShape,
);
export type PollState = Readonly<output<typeof pollShape>>;
type OpenEvent = output<typeof openEvent>;

/** Events that are remembered one by one until they are settled; to further ones, the list is read again. */
const MOST_OPEN = 200;
/** The service lists an event for 30 days (specification 6.6). */
const LISTED_MS = 31 * DAY_MS;

/** The state with these open events, and the frontier that follows. */
export function settled(state: PollState, all: Iterable<OpenEvent>, polledAt: number): PollState {
	const sorted = [...all].filter(({ at }) => at > polledAt - LISTED_MS).sort((a, b) => a.at - b.at);
	const further = stretchesOf(sorted.slice(MOST_OPEN), state, 'unread');
	const stretches = further.reduce(withStretch, state.position.stretches);
	const position = { ...state.position, stretches };
	const next = { ...state, position, open: sorted.slice(0, MOST_OPEN) };
	return { ...next, frontier: Math.max(state.frontier, Math.min(polledAt, unsettledAt(next))) };
}

/** The oldest time that may belong to an event that has not begun; otherwise the newest one listed. */
export function unsettledAt({ position, open }: PollState): number {
	const notBegun = open.flatMap(({ hasBegun, at }) => (hasBegun ? [] : [at]));
	return Math.min(position.newestAt, unreadFrom(position), ...notBegun);
}

/** The parts of the list that hold the events, from the first one on: usually one, nothing for no events. */
function stretchesOf(
	events: readonly OpenEvent[],
	{ position: { order } }: PollState,
	kind: Stretch['kind'],
): Stretch[] {
	const times = events.map(({ at }) => at).sort((a, b) => a - b);
	const [oldest = 0, newest = 0] = [times[0], times.at(-1)];
	const isOldestFirst = order === 'oldestFirst';
	const firstAt = isOldestFirst ? oldest : newest;
	const same = events.filter(({ at }) => at === firstAt);
	// The first one of them in the list follows none of them. Their places may be of a time before the list was turned.
	const ids = new Set(same.map(({ id }) => id));
	const heads = same.filter(({ place }) => place === undefined || !ids.has(place));
	const firsts = heads.length > 0 ? heads : same.slice(0, 1).map(() => ({ place: undefined }));
	return firsts.map(({ place: after }, n) => {
		const [backTo, upTo] = n === 0 ? [oldest, newest] : [firstAt, firstAt];
		return { after, by: firstAt, backTo, upTo: isOldestFirst ? upTo : undefined, kind };
	});
}

/** Whose events they are. */
export type PollScope = Pick<Polling, 'ledger' | 'workflowId' | 'nodeId'>;

/** Of the open events, the part of the list with those that can start, and those that cannot; the others have settled. */
export async function openOf({ ledger, workflowId }: PollScope, state: PollState) {
	const due: OpenEvent[] = [];
	const waiting: OpenEvent[] = [];
	await Promise.all(
		state.open.map(async (event) => {
			const account = await ledger.look(ledgerKey(workflowId, event.id));
			if (isDue(account)) due.push(event);
			else if (isUnsettled(account)) waiting.push(event);
		}),
	);
	return { due, again: stretchesOf(due, state, 'again'), waiting };
}

/** What a poll finds in the pages that it reads: the events to start, and those to look at again. */
export class Finds {
	/** By ID. */
	readonly fresh = new Map<string, Listed>();
	readonly open = new Map<string, OpenEvent>();
	constructor(
		private readonly scope: PollScope,
		private readonly isWanted: (event: ParsedEvent) => boolean,
		private readonly state: PollState,
		private readonly polledAt: number,
	) {}

	/** Looks up the events of a page, in parallel. */
	readonly take = async (page: readonly Listed[]): Promise<undefined> => {
		const { ledger, workflowId } = this.scope;
		const wanted = page.filter(({ event }) => this.isWanted(event));
		await Promise.all(
			wanted.map(async (listed) => {
				const account = await ledger.look(ledgerKey(workflowId, listed.event.id));
				if (!isUnsettled(account)) return;
				const isKnown = account.state !== 'free';
				if (!isKnown && !(await isNew(this.scope, listed, this.state))) return;
				if (isDue(account)) this.fresh.set(listed.event.id, listed);
				else this.leaveOpen(listed, account);
			}),
		);
	};

	/** One that has no time, and none before it in the list, was created by now. */
	leaveOpen({ event: { id }, by: at = this.polledAt, place }: Listed, account: Account): void {
		this.open.set(id, { id, at, place, hasBegun: hasBegun(account) });
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
 * unless it was listed then. One that was read before the last change of the filters was filtered out then: of what
 * is that old, only an unread event starts, and one that n8n could not store.
 */
async function isNew(scope: PollScope, listed: Listed, state: PollState): Promise<boolean> {
	const { publishedAt, wantedSince, as, open, position } = state;
	const { id } = listed.event;
	// What follows another one is older only in a list that is known to begin with its newest event.
	const at = (position.order === 'newestFirst' ? listed.by : listed.at) ?? Infinity;
	const wasRead = at <= wantedSince && !isUnread(position, { id, at });
	if (wasRead && !open.some((each) => each.id === id)) return false;
	if (as === 'retained' && publishedAt === 0) return true;
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
