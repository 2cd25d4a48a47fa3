import { type Claim, type Ledger, ledgerKey } from '../../../../lib/ledger';
import * as thread from '../../../../lib/ledger/sqlite/checkpoint';
import { commit, LEASE_MS, RETENTION_MS, SqliteWorld } from './world';

const { Gate } = thread;
const KEY = ledgerKey('workflow', 'whevt_1');
const CLAIM: Claim = { key: KEY, token: 'token' };
const LONG_MS = 3_000;

describe('while the end of a checkpoint keeps the gate shut', () => {
	let world: SqliteWorld;
	let ledger: Ledger;
	/** Ends the checkpoint. */
	let end: () => void = () => undefined;

	beforeEach(async () => {
		world = new SqliteWorld();
		({ ledger } = world);
		await ledger.look(KEY);
	});

	afterEach(async () => {
		end();
		jest.useRealTimers();
		jest.restoreAllMocks();
		await world.remove();
	});

	it.each<[string, () => Promise<unknown>]>([
		['claim', () => ledger.claim(KEY, LEASE_MS)],
		['renew', () => ledger.renew(CLAIM, LEASE_MS)],
		['commit', () => ledger.commit(CLAIM, RETENTION_MS)],
		['release', () => ledger.release(CLAIM)],
		['begin', () => ledger.begin([KEY], 'run', RETENTION_MS)],
		['swapRecord', () => ledger.swapRecord('key', undefined, 'value')],
	])('%s waits, and tries again', async (_name, write) => {
		const isShut = jest.spyOn(Gate.prototype, 'isShut').mockReturnValueOnce(true);
		await write();
		expect(isShut.mock.results.map(({ value }) => value as boolean)).toEqual([true, false]);
	});

	it('calls without a write return', async () => {
		await commit(ledger, KEY);
		jest.spyOn(Gate.prototype, 'isShut').mockReturnValue(true);
		expect((await ledger.look(KEY)).state).toBe('stored');
		expect(await ledger.claim(KEY, LEASE_MS)).toEqual({ state: 'committed' });
		expect(await ledger.readRecord('key')).toBeUndefined();
	});

	it('a write waits longer than for the lock of a frozen process', async () => {
		jest.useFakeTimers();
		const begun = jest.spyOn(thread, 'checkpoint').mockImplementation(
			() =>
				new Promise((resolve) => {
					end = resolve;
				}),
		);
		for (let n = 0; begun.mock.calls.length === 0; n++) {
			await ledger.claim(ledgerKey('workflow', `before ${n}`), LEASE_MS);
		}
		const [, gate] = begun.mock.calls[0] ?? [];
		if (!gate) throw new Error('The checkpoint got no gate');
		Atomics.store(gate.shared, 0, 1);
		const claim = ledger.claim(KEY, LEASE_MS);
		await jest.advanceTimersByTimeAsync(LONG_MS);
		expect((await ledger.look(KEY)).state).toBe('free');
		gate.open();
		await jest.advanceTimersByTimeAsync(LONG_MS);
		expect(await claim).toMatchObject({ state: 'claimed' });
	});
});
