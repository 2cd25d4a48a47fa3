/** One reading of the list by a poll: what it finds, and how that is started and remembered. */
import type { ParsedEvent } from '../event';
import { ledgerKey } from '../ledger';
import type { ApiClient } from '../service';
import { counted } from '../shared/counted';
import { dueIn, isUnsettled, start, type Start, type Startable } from '../start';
import { walk } from '../walk';
import { MOST_AT_ONCE } from './bounds';
import { Budget } from './budget';
import { Finds } from './finds';
import { knowledgeOf, type Scope } from './knowledge';
import type { ProcessMemory } from './memory';
import { settled, unsettledAt } from './progress';
import { readList } from './reading';
import { type OpenEvent, type PollState, type Remembered, writeState } from './state';

export interface RoundOptions extends Scope, Pick<Start, 'batchSize' | 'handOver'> {
	readonly client: Pick<ApiClient, 'list'>;
	readonly pageSize: number;
	readonly isWanted: (event: ParsedEvent) => boolean;
	/** Called with messages for operators. */
	readonly warn: (message: string) => void;
}

interface Context {
	/** The name of the record with the state. */
	readonly stateKey: string;
	readonly memory: ProcessMemory;
	/** Milliseconds of a clock that nobody sets. */
	readonly clock: () => number;
	/** When the reading has to end, on that clock. */
	readonly deadline: number;
	/** Unix milliseconds. */
	readonly polledAt: number;
}

export interface Round {
	readonly failure?: Error | undefined;
	/** Whether it found no event to start. */
	readonly isEmpty: boolean;
	/** Starts what was found and saves the progress. Returns what is saved if there was too much to find, and there is time left. */
	readonly finish: () => Promise<Remembered | undefined>;
}

/** Reads the list once, as far as the time and the memory allow. */
export async function readOnce(
	options: RoundOptions,
	remembered: Remembered,
	before: PollState,
	{ stateKey, memory, clock, polledAt, deadline }: Context,
): Promise<Round> {
	const { ledger, workflowId, client, pageSize, isWanted, warn } = options;
	memory.advance(Math.max(before.frontier - 1, before.publishedAt), before.polls);

	const finds = new Finds({
		isWanted,
		look: async (listed) => await knowledgeOf(options, listed, before),
		knownFrom: before.knownFrom,
	});
	const budget = new Budget({
		...{ ms: deadline - clock(), clock, mostEvents: MOST_AT_ONCE },
		count: () => finds.fresh.size,
	});
	let withoutId = 0;
	let isOldestFirst: boolean | undefined;
	const { due, waiting } = await openOf(options, before.open);
	const { state, failure } = await readList(
		{
			...{ due, polledAt, anchors: finds.anchors },
			read: async ({ after, by, backTo, upTo = Infinity }, share) => {
				const mayRequest = budget.share(share);
				const where = { after, by, backTo, upTo };
				const reading = { client, pageSize, ...where, mayRequest, now: polledAt };
				const walked = await walk(reading, finds.take);
				withoutId += walked.withoutId;
				isOldestFirst ??= walked.isOldestFirst;
				return walked;
			},
		},
		before,
	);
	if (withoutId > 0) warn(`left out ${counted(withoutId, 'listed event')} without an ID`);

	const finish = async (): Promise<Remembered | undefined> => {
		const fresh = finds.oldestFirst(state.trail !== undefined || isOldestFirst === true);
		const polls = before.polls + Number(fresh.length > 0);
		let saved = remembered;
		// Before n8n can know of this poll.
		if (polls > before.polls) {
			saved = await writeState(ledger, stateKey, remembered, { ...before, polls });
			if (saved.state === undefined) return undefined;
		}
		const byKey = new Map(fresh.map((each) => [ledgerKey(workflowId, each.event.id), each]));
		const isAll = failure === undefined && [before, state].every(isSettled);
		const onProgress = (batch: readonly Startable[]) => {
			const at = Math.max(...batch.map(({ key }) => byKey.get(key)?.at ?? -Infinity));
			if (isAll && finds.open.size === 0) memory.advance(Math.min(at, polledAt), polls);
		};
		const pairs = [...byKey].map(([key, { event }]) => ({ key, item: { record: event.record } }));
		const accounts = await start({ ...options, onProgress }, pairs);
		for (const [key, listed] of byKey) {
			const account = accounts.get(key);
			if (account && isUnsettled(account)) finds.leaveOpen(listed, account);
		}
		const isKnown = failure === undefined && state.walks.length === 0 && !finds.isUntimedOpen;
		const knownFrom = (isKnown ? finds.head : undefined) ?? before.knownFrom;
		const known = { knownFrom: finds.anchors.length === 0 ? knownFrom : undefined };
		const next = settled({ ...state, ...known, polls }, waiting, finds.open, polledAt);
		saved = await writeState(ledger, stateKey, saved, next);
		const settledAt = unsettledAt(next) - Number(unsettledAt(next) < next.readTo);
		if (failure === undefined) {
			memory.write(Math.max(Math.min(settledAt, polledAt), next.publishedAt), polls);
		}
		const isStuck = finds.open.size > fresh.length / 2;
		return budget.isFull && !budget.isOver && !isStuck ? saved : undefined;
	};
	return { failure, isEmpty: finds.fresh.size === 0, finish };
}

/** Whether everything up to the newest event listed has been listed and has begun. */
const isSettled = (state: PollState) => unsettledAt(state) === state.readTo;

/** The open events that can start, and those that cannot; the others have settled. */
async function openOf(
	{ ledger, workflowId }: Scope,
	open: readonly OpenEvent[],
): Promise<{ due: OpenEvent[]; waiting: OpenEvent[] }> {
	const accounts = await Promise.all(
		open.map(async ({ id }) => await ledger.look(ledgerKey(workflowId, id))),
	);
	const due = open.filter((_each, n) => accounts[n] && dueIn(accounts[n]) === 0);
	const waiting = open.filter((_each, n) => {
		const account = accounts[n];
		return account && isUnsettled(account) && dueIn(account) !== 0;
	});
	return { due, waiting };
}
