import { positionAt } from '../../../lib/follow';
import { ledgerKey } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import {
	Finds,
	openOf,
	rememberListed,
	settled,
	type PollScope,
	type PollState,
} from '../../../lib/poll/events';
import { DAY_MS } from '../../../lib/shared/time';
import { RETENTION_MS } from '../../../lib/start';
import { MemoryLedger } from '../ledger/memoryLedger';
import { MemoryStore } from '../ledger/memoryStore';

/** An event of the list, and when it was created if it says so, in milliseconds. */
const parsed = (id: string, at?: number) => ({
	...{ id, type: undefined },
	record: { id, ...(at !== undefined && { createdAt: new Date(at).toISOString() }) },
});

const STATE: PollState = {
	...{ as: 'retained', publishedAt: 0, frontier: 0, polls: 0 },
	...{ wanted: '', wantedSince: 0, position: positionAt(0), open: [] },
};

/** `start`: to start. `wait`: unsettled, and not due. `done`: nothing left to do. */
async function foundIn(
	scope: PollScope,
	{ id, record, at, by }: { id: string; record: Record<string, unknown>; at?: number; by?: number },
	state: PollState,
) {
	const finds = new Finds(scope, () => true, state, 0);
	await finds.take([{ event: { id, type: undefined, record }, record, at, by, place: 'b' }]);
	return finds.fresh.has(id) ? 'start' : finds.open.has(id) ? 'wait' : 'done';
}

async function knowledgeOf(
	scope: PollScope,
	event: ReturnType<typeof parsed>,
	publishedAt = 0,
	changes: Partial<PollState> = {},
) {
	const { record } = event;
	const at = 'createdAt' in record ? Date.parse(record.createdAt ?? '') : undefined;
	const listed = { id: event.id, record, ...(at !== undefined && { at, by: at }) };
	return await foundIn(scope, listed, { ...STATE, publishedAt, ...changes });
}

function scoped() {
	const ledger = new MemoryLedger();
	return { ledger, workflowId: 'w', nodeId: 'node' };
}

it.each([
	['pending', 'wait'],
	['stored', 'wait'],
	['running', 'done'],
	['interrupted', 'done'],
	['failed', 'done'],
	['asleep', 'done'],
	['begun', 'done'],
	['done', 'done'],
	['overdue', 'start'],
] as const)(
	'an event that is %s in the ledger is %s, whatever the publication says',
	async (state, knowledge) => {
		const scope = scoped();
		scope.ledger.put(ledgerKey('w', 'a'), state);
		expect(await knowledgeOf(scope, parsed('a', 1), undefined)).toBe(knowledge);
		expect(await knowledgeOf(scope, parsed('a', 1), 2)).toBe(knowledge);
	},
);

it.each([
	['failed', 1, 59_000, 'wait'],
	['failed', 1, 60_000, 'start'],
	['interrupted', 5, 6 * 3_600_000 - 1_000, 'wait'],
	['interrupted', 5, 6 * 3_600_000, 'start'],
	['failed', 6, 6 * 3_600_000, 'done'],
	['running', 5, 6 * 3_600_000, 'wait'],
	['running', 6, 6 * 3_600_000, 'done'],
] as const)(
	'an event that must succeed and has been %s with attempt %i for %i ms is %s',
	async (state, attempts, forMs, knowledge) => {
		const scope = scoped();
		const at = Date.now() - forMs;
		scope.ledger.put(ledgerKey('w', 'a'), state, { repeats: true, attempts, at });
		expect(await knowledgeOf(scope, parsed('a', 1), 2)).toBe(knowledge);
	},
);

describe('an event that the ledger does not know', () => {
	it.each([
		['starts without a bound', 1, undefined, 'start'],
		['does not start when it was created before the publication', 1, 2, 'done'],
		['starts from the publication on', 2, 2, 'start'],
		['starts when it has no time', undefined, 2, 'start'],
	])('%s', async (_what, at, publishedAt, knowledge) => {
		expect(await knowledgeOf(scoped(), parsed('a', at), publishedAt)).toBe(knowledge);
	});

	it.each([
		['does not start when it follows one from before the publication', 1, 'newestFirst', 'done'],
		['starts when it follows one of the publication', 2, 'newestFirst', 'start'],
		['starts in a list that begins with the oldest event', 1, 'oldestFirst', 'start'],
		['starts in a list whose order is unknown', 1, undefined, 'start'],
	] as const)('and has no time %s', async (_what, by, order, next) => {
		const state = { ...STATE, publishedAt: 2, position: { ...positionAt(0), order } };
		expect(await foundIn(scoped(), { ...parsed('a'), by }, state)).toBe(next);
	});

	it.each([2, undefined])(
		'does not start when the publication listed it (created: %s)',
		async (at) => {
			const scope = scoped();
			await rememberListed(scope, ['a']);
			expect(await knowledgeOf(scope, parsed('a', at), 2)).toBe('done');
			expect(await knowledgeOf({ ...scope, nodeId: 'other' }, parsed('a', at), 2)).toBe('start');
		},
	);
});

it('asks the ledger once if there is no bound', async () => {
	const scope = scoped();
	await knowledgeOf(scope, parsed('a', 1), undefined);
	expect(scope.ledger.calls).toEqual(['look']);
});

it('leaves what was listed at the publication to a webhook, and remembers it in steps', async () => {
	const scope = scoped();
	const begin = jest.spyOn(scope.ledger, 'begin');
	await rememberListed(
		scope,
		Array.from({ length: 250 }, (_unused, n) => String(n)),
	);
	expect(begin.mock.calls.map(([keys, { retentionMs }]) => [keys.length, retentionMs])).toEqual([
		[100, RETENTION_MS],
		[100, RETENTION_MS],
		[50, RETENTION_MS],
	]);
	expect(scope.ledger.entries.size).toBe(250);
	expect((await scope.ledger.look(ledgerKey('w', '1'))).state).toBe('free');
});

it('does not report what was listed at the publication as executions of unknown events', async () => {
	const onUnknown = jest.fn();
	const ledger = new EventLedger({ store: new MemoryStore(), onUnknown });
	await rememberListed({ ledger, workflowId: 'w', nodeId: 'node' }, ['a']);
	expect(onUnknown).not.toHaveBeenCalled();
	const beginning = { run: 'run', acknowledge: 'stored', retentionMs: RETENTION_MS } as const;
	await ledger.begin([ledgerKey('w', 'a')], beginning);
	expect(onUnknown).toHaveBeenCalledWith(1);
});

describe('below the frontier, an event that the ledger does not know', () => {
	const changed = { frontier: 9, wantedSince: 5 };

	it.each([
		[
			'starts if it is newer than the last change of the filters, since it was listed late',
			6,
			[],
			'start',
		],
		['does not start if it is older, since it was filtered out', 5, [], 'done'],
		['starts if it was handed over before, and n8n could not store it', 5, ['a'], 'start'],
	])('%s', async (_what, at, ids, knowledge) => {
		const open = ids.map((id) => ({ id, at, hasBegun: false }));
		expect(await knowledgeOf(scoped(), parsed('a', at), 0, { ...changed, open })).toBe(knowledge);
	});
});

it('no longer waits for an event that the service has ceased to list', () => {
	const polledAt = 100 * DAY_MS;
	const old = (days: number) => ({ id: 'e', at: polledAt - days * DAY_MS, hasBegun: false });
	const state = { ...STATE, position: positionAt(polledAt) };
	const open = [old(30)];
	expect(settled(state, [old(32), ...open], polledAt)).toMatchObject({
		open,
		frontier: old(30).at,
	});
});

it('reads the list again for any number of open events, though all were created in one second', () => {
	const open = Array.from({ length: 200_000 }, (_unused, n) => ({
		...{ id: `e${n}`, at: 1_000, hasBegun: false },
		...(n > 0 && { place: `e${n - 1}` }),
	}));
	const { position } = settled(STATE, open, 2_000);
	expect(position.stretches).toMatchObject([{ after: 'e199', by: 1_000, backTo: 1_000 }]);
});

it('reads the list again before each open event of the first time that follows none of the others', async () => {
	const open = [
		{ id: 'y', at: 1_000, place: 'between', hasBegun: false },
		{ id: 'x', at: 1_000, place: 'before', hasBegun: false },
		{ id: 'z', at: 1_000, place: 'y', hasBegun: false },
	];
	const { again } = await openOf(scoped(), { ...STATE, open });
	expect(again.map(({ after }) => after)).toEqual(['between', 'before']);
});
