/** A poll without n8n: a list in an array, a ledger in memory, a clock that the test moves, and executions that end as told. */
import { randomUUID } from 'node:crypto';
import type { Item } from '../../../lib/event';
import type { Polled } from '../../../lib/follow';
import { type Acknowledge, ledgerKey } from '../../../lib/ledger';
import { poll, type PollOptions } from '../../../lib/poll';
import type { PollState } from '../../../lib/poll/events';
import { recordIn } from '../../support/records';
import { fakeList } from '../follow/fakeList';
import { MemoryLedger } from '../ledger/memoryLedger';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const START = Date.UTC(2026, 0, 10);

export interface Listed {
	readonly id: string;
	readonly eventType: string;
	readonly createdAt?: string;
}

/** An event from this many minutes after the start, named by that number. */
export const eventAt = (minute: number, id = `e${minute}`): Listed => ({
	...{ id, eventType: 'wanted' },
	createdAt: new Date(START + minute * MINUTE).toISOString(),
});
export const eventsAt = (...minutes: number[]): Listed[] => minutes.map((m) => eventAt(m));
/** From the newest to the oldest minute. */
export const downFrom = (newest: number, oldest: number): number[] =>
	Array.from({ length: newest - oldest + 1 }, (_unused, n) => newest - n);

/** `unstored`: n8n could not store the execution. `stored`: it has not begun. */
type Fate = 'unstored' | 'stored' | 'running' | 'failed' | 'succeeded';

export type PollWorld = ReturnType<typeof pollWorld>;

interface WorldOptions extends Partial<PollOptions> {
	/** Of the trigger; `stored` by default. */
	readonly acknowledge?: Acknowledge;
}

export function pollWorld({ acknowledge = 'stored', ...options }: WorldOptions = {}) {
	const workflowId = randomUUID();
	const ledger = new MemoryLedger();
	const world = {
		ledger,
		workflowId,
		/** The listed events, in this order. */
		list: [] as Listed[],
		/** In Unix milliseconds. */
		now: START,
		serviceDate: undefined as number | undefined,
		/** The cursors of the requests of the last poll; undefined for the head of the list. */
		requests: [] as (string | undefined)[],
		/** The response to a request for the page after this record. */
		failures: new Map<string | undefined, Error>(),
		/** Called before each page, after it has been counted. */
		onRequest: (): void => undefined,
		/** The events of each stored execution, by their IDs. */
		runs: [] as string[][],
		/** The same, whole. */
		items: [] as Item[],
		/** Decides the result of an execution: it succeeds by default. */
		fate: (async () => 'succeeded') as (ids: string[]) => Promise<Fate>,
		kept: undefined as Polled | undefined,
		warnings: [] as string[],
		started: () => world.runs.flat(),
		entry: (id: string) => ledgerKey(workflowId, id),
		state: () => recordIn([...ledger.records.values()][0]) as PollState,
		begin: async (ids: readonly string[], run = 'another run') => {
			await ledger.begin(ids.map(world.entry), { run, acknowledge, retentionMs: 35 * 24 * HOUR });
		},
		/** Polls, and waits until the events have started. */
		async poll(changes: Partial<PollOptions> = {}) {
			world.requests = [];
			const { failure, started } = await poll({
				...{
					ledger,
					workflowId,
					nodeId: 'node',
					startFrom: 'retained',
					pageSize: 10,
					batchSize: 1,
				},
				client,
				isWanted: () => true,
				handOver,
				memory: {
					read: (as) => (world.kept?.as === as ? world.kept : undefined),
					write: (until) => {
						world.kept = until;
					},
				},
				warn: (message) => world.warnings.push(message),
				...{ now: () => world.now, clock: () => 0, budgetMs: Infinity, wanted: '' },
				...options,
				...changes,
			});
			await started;
			return failure;
		},
	};

	const handOver: PollOptions['handOver'] = async (items) => {
		const ids = items.map(({ record }) => String(record['id']));
		const fate = await world.fate(ids);
		if (fate === 'unstored') return false;
		world.runs.push(ids);
		world.items.push(...items);
		if (fate === 'stored') return true;
		const run = `run ${world.runs.length}`;
		await world.begin(ids, run);
		if (fate !== 'running') await ledger.end(run, fate);
		return true;
	};
	const client = fakeList(
		() => world.list,
		(after, { onDate }) => {
			world.requests.push(after);
			world.onRequest();
			const failure = world.failures.get(after);
			if (failure) throw failure;
			if (world.serviceDate !== undefined) onDate?.(world.serviceDate);
		},
	);
	return world;
}
