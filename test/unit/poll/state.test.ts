import { type PollState, readState, writeState } from '../../../lib/poll/state';
import { MemoryLedger } from '../ledger/memoryLedger';

const STATE: PollState = { startFrom: 'retained', publishedAt: 1, frontier: 2, lookedBackAt: 3 };
const WALK = { cursor: 'a', isOldestFirst: true, backTo: 4, readFrom: 5 };

it.each([
	['settled', STATE],
	['within a walk', { ...STATE, walk: WALK }],
	['held back within a walk', { ...STATE, walk: { ...WALK, unsettledAt: 6 } }],
	['anchored', { ...STATE, startFrom: 'now', anchor: 'b' } as const],
])('reads what it wrote: %s', async (_what, state) => {
	const ledger = new MemoryLedger();
	const none = await readState(ledger, 'key', 9);
	expect(none).toEqual({ text: undefined, state: undefined });
	const written = await writeState(ledger, 'key', none, state);
	expect(written.state).toEqual(state);
	expect(await readState(ledger, 'key', 9)).toEqual(written);
});

it.each(['{', '"text"', '{"startFrom":"later"}', '{"startFrom":"now","frontier":1}'])(
	'replaces a record that cannot be read: %s',
	async (text) => {
		const ledger = new MemoryLedger();
		ledger.records.set('key', text);
		const remembered = await readState(ledger, 'key', 9);
		expect(remembered).toEqual({ text, state: undefined });
		await writeState(ledger, 'key', remembered, STATE);
		expect((await readState(ledger, 'key', 9)).state).toEqual(STATE);
	},
);

it('writes nothing when nothing has changed', async () => {
	const ledger = new MemoryLedger();
	const written = await writeState(ledger, 'key', { text: undefined, state: undefined }, STATE);
	await writeState(ledger, 'key', written, { ...STATE });
	expect(ledger.count('swapRecord')).toBe(1);
});

it('keeps data that another process wrote in between', async () => {
	const ledger = new MemoryLedger();
	const remembered = await readState(ledger, 'key', 9);
	ledger.records.set('key', JSON.stringify({ ...STATE, frontier: 7 }));
	await writeState(ledger, 'key', remembered, STATE);
	expect((await readState(ledger, 'key', 9)).state?.frontier).toBe(7);
});

it.each(['now', 'retained'] as const)(
	'takes over a record of version 1.0: %s',
	async (startFrom) => {
		const ledger = new MemoryLedger();
		ledger.records.set('key', JSON.stringify({ startFrom, baselineAt: 20, newestAt: 8 }));
		const { state } = await readState(ledger, 'key', 9);
		expect(state).toEqual({ startFrom, publishedAt: 9, frontier: 8, lookedBackAt: 0 });
	},
);
