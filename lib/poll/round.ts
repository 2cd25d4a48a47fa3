/** One reading of the list by a poll: what it finds, and how that is started and remembered. */
import type { ParsedEvent } from '../event';
import { advance, follow, type Memory, type Source } from '../follow';
import { ledgerKey } from '../ledger';
import { counted } from '../shared/text';
import { dueIn, isUnsettled, start, type Start, type Startable } from '../start';
import { Finds, type PollScope } from './freshEvents';
import {
	type OpenEvent,
	type PollState,
	type Saved,
	settled,
	stretchOf,
	unsettledAt,
	writeState,
} from './state';

export interface RoundOptions extends PollScope, Pick<Start, 'batchSize' | 'handOver'> {
	readonly client: Source['client'];
	readonly pageSize: number;
	readonly isWanted: (event: ParsedEvent) => boolean;
	/** Called with messages for operators, and with the kind and the number of events that were left out, if any. */
	readonly warn: (message: string, leftOut?: Unidentified) => void;
}

interface Unidentified {
	readonly kind: 'without_id';
	readonly count: number;
}

interface RoundContext {
	/** The name of the record with the state. */
	readonly stateKey: string;
	readonly memory: Memory;
	readonly isOver: () => boolean;
	/** Unix milliseconds. */
	readonly polledAt: number;
}

export interface Round {
	readonly failure?: Error | undefined;
	/** Everything created up to then has been read, in Unix milliseconds. */
	readonly readUpTo: number;
	/** Whether it found no event to start. */
	readonly isEmpty: boolean;
	/** Starts what was found and saves the progress. Returns what is saved if there was too much to find, and there is time left. */
	readonly finish: () => Promise<Saved | undefined>;
}

/** Events that are started together, which limits the memory; then the poll reads on. */
export const MOST_AT_ONCE = 10_000;

/** Reads the list once, as far as the time and the memory allow. */
export async function readOnce(
	options: RoundOptions,
	read: Saved,
	before: PollState,
	{ stateKey, memory, polledAt, isOver }: RoundContext,
): Promise<Round> {
	const { ledger, workflowId, warn, client, pageSize } = options;
	const { publishedAt, startFrom: as } = before;
	const polled = (at: number, polls: number) => ({ as, publishedAt, at, polls });
	advance(memory, polled(Math.max(before.frontier - 1, publishedAt), before.polls));

	const finds = new Finds(options, before);
	const { due, waiting } = await openOf(options, before.open);
	const isFull = () => finds.fresh.size >= MOST_AT_ONCE;
	const isOldestFirst = before.position.order === 'oldestFirst';
	const again = stretchOf(due, { isOldestFirst, isUnread: false });
	const mayRequest = () => !isOver() && !isFull();
	const { position, failure, withoutId } = await follow(
		before.position,
		{ client, pageSize, mayRequest, again, now: polledAt },
		finds.take,
	);
	if (withoutId > 0) {
		const leftOut = { kind: 'without_id', count: withoutId } as const;
		warn(`left out ${counted(withoutId, 'listed event')} without an ID`, leftOut);
	}

	const finish = async (): Promise<Saved | undefined> => {
		const fresh = finds.oldestFirst(position.order === 'oldestFirst');
		const polls = before.polls + Number(fresh.length > 0);
		let saved = read;
		// Before n8n can know of this poll.
		if (polls > before.polls) {
			saved = await writeState(ledger, stateKey, read, { ...before, polls });
			if (saved.state === undefined) return undefined;
		}
		const byKey = new Map(fresh.map((each) => [ledgerKey(workflowId, each.event.id), each]));
		const after = { ...before, position, polls };
		const isAll = failure === undefined && [before, after].every(isSettled);
		const timeOf = ({ key }: Startable) => byKey.get(key)?.at ?? -Infinity;
		const onProgress: Start['onProgress'] = (batch, unsettled) => {
			if (!isAll || finds.open.size > 0) return;
			const upTo = unsettled === undefined ? polledAt : timeOf(unsettled) - 1;
			const at = Math.min(Math.max(...batch.map(timeOf)), upTo, polledAt);
			advance(memory, polled(Math.max(at, publishedAt), polls));
		};
		const pairs = [...byKey].map(([key, { event }]) => ({ key, item: { record: event.record } }));
		const accounts = await start({ ...options, onProgress }, pairs);
		for (const [key, listed] of byKey) {
			const account = accounts.get(key);
			if (account && isUnsettled(account)) finds.leaveOpen(listed, account);
		}
		const readFrom = failure === undefined && !finds.isUntimedOpen ? finds.head : undefined;
		const isKnown = position.stretches.length === 0;
		const knownFrom = (isKnown ? readFrom : undefined) ?? before.knownFrom;
		const open = new Map([...waiting.map((each) => [each.id, each] as const), ...finds.open]);
		const untimed = finds.isTimed ? {} : { knownFrom, readFrom };
		const known = { ...after, knownFrom: undefined, readFrom: undefined, ...untimed };
		const next = settled(known, open.values(), polledAt);
		saved = await writeState(ledger, stateKey, saved, next);
		const settledAt = unsettledAt(next) - Number(!isSettled(next));
		if (failure === undefined) {
			memory.write(polled(Math.max(Math.min(settledAt, polledAt), publishedAt), polls));
		}
		const isStuck = finds.open.size > fresh.length / 2;
		return isFull() && !isOver() && !isStuck ? saved : undefined;
	};
	const { knownUpTo: readUpTo } = position;
	return { failure, readUpTo, isEmpty: finds.fresh.size === 0, finish };
}

/** Whether everything up to the newest event listed has been listed and has begun. */
const isSettled = (state: PollState) => unsettledAt(state) === state.position.newestAt;

/** The open events that can start, and those that cannot; the others have settled. */
async function openOf(
	{ ledger, workflowId }: PollScope,
	open: readonly OpenEvent[],
): Promise<{ due: OpenEvent[]; waiting: OpenEvent[] }> {
	const due: OpenEvent[] = [];
	const waiting: OpenEvent[] = [];
	await Promise.all(
		open.map(async (event) => {
			const account = await ledger.look(ledgerKey(workflowId, event.id));
			if (dueIn(account) === 0) due.push(event);
			else if (isUnsettled(account)) waiting.push(event);
		}),
	);
	return { due, waiting };
}
