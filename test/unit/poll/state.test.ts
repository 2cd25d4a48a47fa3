import { positionAt } from '../../../lib/follow';
import { type PollState, readState, writeState } from '../../../lib/poll/state';
import { MemoryLedger } from '../ledger/memoryLedger';

const STATE: PollState = {
	...{ startFrom: 'retained', publishedAt: 1, frontier: 2 },
	...{ polls: 4, wanted: 'all', wantedSince: 0, position: positionAt(2, 3), open: [] },
};
const STRETCH = { after: 'a', by: 6, backTo: 4, isUnread: true };
const OPEN = { id: 'a', at: 5, place: 'b', hasBegun: true };

it.each<[string, PollState]>([
	['settled', STATE],
	['unread', { ...STATE, position: { ...STATE.position, stretches: [STRETCH] } }],
	['with open events', { ...STATE, open: [OPEN] }],
])('reads what it wrote: %s', async (_what, state) => {
	const ledger = new MemoryLedger();
	const none = await readState(ledger, 'key');
	expect(none).toEqual({ text: undefined, state: undefined });
	const written = await writeState(ledger, 'key', none, state);
	expect(written.state).toEqual(state);
	expect(await readState(ledger, 'key')).toEqual(written);
});

it.each(['{', '"text"', '{"startFrom":"later"}', '{"startFrom":"now","frontier":1}'])(
	'replaces a record that cannot be read: %s',
	async (text) => {
		const ledger = new MemoryLedger();
		ledger.records.set('key', text);
		const remembered = await readState(ledger, 'key');
		expect(remembered).toEqual({ text, state: undefined });
		await writeState(ledger, 'key', remembered, STATE);
		expect((await readState(ledger, 'key')).state).toEqual(STATE);
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
	const remembered = await readState(ledger, 'key');
	ledger.records.set('key', JSON.stringify({ ...STATE, frontier: 7 }));
	await writeState(ledger, 'key', remembered, STATE);
	expect((await readState(ledger, 'key')).state?.frontier).toBe(7);
});
