import { type Claim, type Ledger, ledgerKey } from '../../../../lib/ledger';
import * as thread from '../../../../lib/ledger/sqlite/checkpoint';
import { BEGINNING, claimed, commit, RETENTION_MS, SqliteWorld } from './world';

const { Gate } = thread;
const KEY = ledgerKey('workflow', 'whevt_1');
const OTHER_KEY = ledgerKey('workflow', 'whevt_2');
const LONG_MS = 3_000;

describe('while the end of a checkpoint keeps the gate shut', () => {
	let world: SqliteWorld;
	let ledger: Ledger;
	let claim: Claim;
	/** Ends the checkpoint. */
	let end: () => void = () => undefined;

	beforeEach(async () => {
		world = new SqliteWorld();
		({ ledger } = world);
		claim = await claimed(ledger, OTHER_KEY);
	});

	afterEach(async () => {
		end();
		jest.useRealTimers();
		jest.restoreAllMocks();
		await world.remove();
	});

	it.each<[string, () => Promise<unknown>]>([
		['claim', () => ledger.claim(KEY)],
		['commit', () => ledger.commit([claim], RETENTION_MS)],
		['release', () => ledger.release([claim])],
		['begin', () => ledger.begin([KEY], BEGINNING)],
		['giveBack', () => ledger.giveBack([KEY], 'run')],
		['reopen', () => ledger.reopen([KEY], 1, RETENTION_MS)],
		['swapRecord', () => ledger.swapRecord('key', undefined, 'value')],
	])('%s waits, and tries again', async (name, write) => {
		if (name === 'giveBack') await commit(ledger, KEY);
		const isShut = jest.spyOn(Gate.prototype, 'isShut').mockReturnValueOnce(true);
		await write();
		expect(isShut.mock.results.map(({ value }) => value as boolean)).toEqual([true, false]);
	});

	it('calls without a write return', async () => {
		await commit(ledger, KEY);
		jest.spyOn(Gate.prototype, 'isShut').mockReturnValue(true);
		expect((await ledger.look(KEY)).state).toBe('stored');
		expect(await ledger.claim(KEY)).toEqual({ state: 'committed' });
		expect(await ledger.readRecord('key')).toBeUndefined();
	});

	it('a write waits longer than for the lock of a frozen process', async () => {
		jest.useFakeTimers({ doNotFake: ['setImmediate'] });
		const begun = jest.spyOn(thread, 'checkpoint').mockImplementation(
			() =>
				new Promise((resolve) => {
					end = resolve;
				}),
		);
		for (let n = 0; begun.mock.calls.length === 0; n++) {
			await ledger.claim(ledgerKey('workflow', `before ${n}`));
		}
		const [, gate] = begun.mock.calls[0] ?? [];
		if (!gate) throw new Error('The checkpoint got no gate');
		Atomics.store(gate.shared, 0, 1);
		const late = ledger.claim(KEY);
		// The store does the work of a moment at its end.
		await new Promise(setImmediate);
		await jest.advanceTimersByTimeAsync(LONG_MS);
		expect((await ledger.look(KEY)).state).toBe('free');
		gate.open();
		await jest.advanceTimersByTimeAsync(LONG_MS);
		expect(await late).toMatchObject({ state: 'claimed' });
	});
});
