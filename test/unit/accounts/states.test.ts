import { accountOf, listedStates } from '../../../lib/accounts';
import { eventTypeFilter } from '../../../lib/event';
import {
	ledgerKey,
	LedgerUnavailableError,
	newAttempt,
	type EntryState,
} from '../../../lib/ledger';
import { fakeList } from '../follow/fakeList';

const reading = (records: readonly Record<string, unknown>[]) => ({
	...{ client: fakeList(() => records), pageSize: 100, backTo: 0, now: Date.now() },
});

const statesOf = async (
	records: readonly Record<string, unknown>[],
	known: Readonly<Record<string, EntryState>>,
	wanted: readonly string[] = [],
) => {
	const entries = new Map(
		Object.entries(known).map(([id, state]) => [ledgerKey('workflow', id), state]),
	);
	return await listedStates(
		reading(records),
		{
			ledger: { look: async (key) => ({ state: entries.get(key) ?? 'free', attempts: 0 }) },
			workflowId: 'workflow',
			isWanted: ({ type }) => eventTypeFilter(wanted)(type),
		},
		({ event: { id } }, { state }) => `${id} ${state}`,
	);
};

describe('the states of listed events', () => {
	it('are those of the ledger, in the order of the list', async () => {
		const known = {
			...({ a: 'begun', b: 'stored', c: 'overdue', d: 'pending', 5: 'begun' } as const),
			...({ f: 'running', g: 'failed', h: 'done', i: 'interrupted', j: 'asleep' } as const),
		};
		const records = ['d', 'c', 'b', 'a', 'e', 5, 'f', 'g', 'h', 'i', 'j'].map((id) => ({ id }));
		expect((await statesOf(records, known)).found).toEqual([
			'd pending',
			'c stored',
			'b stored',
			'a begun',
			'e missing',
			'5 begun',
			'f running',
			'g failed',
			'h done',
			'i interrupted',
			'j asleep',
		]);
	});

	it('name the execution that began with the event, and when', async () => {
		const runs = [newAttempt('1234', 1_700_000_000_123), '1234', 'baseline'];
		const look = async () => ({ state: 'begun' as const, attempts: 1, run: runs.shift() ?? '' });
		const list = ['a', 'b', 'c'].map((id) => ({ id }));
		const listing = { ledger: { look }, workflowId: 'workflow', isWanted: () => true };
		expect(
			(await listedStates(reading(list), listing, (_listed, account) => account)).found,
		).toEqual([
			{ state: 'begun', attempts: 1, executionId: '1234', begunAt: 1_700_000_000_123 },
			{ state: 'begun', attempts: 1 },
			{ state: 'begun', attempts: 1 },
		]);
	});

	it('name no execution where none has begun', () => {
		expect(accountOf({ state: 'free', attempts: 0 })).toStrictEqual({ state: 'missing' });
	});

	it('say when the execution ended', () => {
		const entry = { state: 'failed', attempts: 2, endedAt: 9, dueInMs: 7 } as const;
		expect(accountOf(entry)).toStrictEqual({ state: 'failed', attempts: 2, endedAt: 9 });
	});

	it('are only of the wanted types, as named by the list or a delivery', async () => {
		const records = [
			{ id: 'a', eventType: 'asset.created' },
			{ id: 'b', type: 'asset.deleted' },
			{ id: 'c', eventType: 'ocpp.message' },
			{ id: 'd' },
		];
		expect((await statesOf(records, {}, ['asset.*'])).found).toEqual(['a missing', 'b missing']);
	});

	it('leave the process to others between hundreds of them', async () => {
		let turns = 0;
		let over = false;
		const turn = () => {
			turns += 1;
			if (!over) setImmediate(turn);
		};
		setImmediate(turn);
		const { found } = await statesOf(
			Array.from({ length: 5000 }, (_, id) => ({ id })),
			{},
		);
		over = true;
		expect(found).toHaveLength(5000);
		expect(turns).toBeGreaterThanOrEqual(50);
	});

	it('are asked for a hundred at a time', async () => {
		let asked = 0;
		let most = 0;
		const look = async () => {
			most = Math.max(most, ++asked);
			await new Promise((resolve) => setImmediate(resolve));
			asked -= 1;
			return { state: 'free', attempts: 0 } as const;
		};
		const list = Array.from({ length: 250 }, (_, n) => ({ id: n + 1 }));
		const listing = { ledger: { look }, workflowId: 'workflow', isWanted: () => true };
		const { found } = await listedStates(reading(list), listing, ({ event }) => event.id);
		expect([found.length, most]).toEqual([250, 100]);
	});

	it('are not known without the ledger', async () => {
		const list = [{ id: 'a' }];
		const look = () => Promise.reject(new LedgerUnavailableError('It is down.'));
		const listing = listedStates(
			reading(list),
			{
				ledger: { look },
				workflowId: 'workflow',
				isWanted: () => true,
			},
			() => null,
		);
		await expect(listing).rejects.toThrow(LedgerUnavailableError);
	});
});
