import { Leases } from '../../../lib/ledger/leases';
import { useStoppedClock } from './stoppedClock';

const LEASE_MS = 60_000;

describe('the leases of a process', () => {
	useStoppedClock();

	let leases: Leases;
	let startedAt: number;
	/** When each hold was renewed, in milliseconds from the start. */
	let renewals: number[][];
	let holds: (() => void)[];

	beforeEach(() => {
		leases = new Leases();
		startedAt = performance.now();
		renewals = [];
		holds = [];
	});

	function addHold(): () => void {
		const times: number[] = [];
		const renew = () => {
			times.push(Math.round(performance.now() - startedAt));
		};
		renewals.push(times);
		holds.push(renew);
		leases.add(renew);
		return renew;
	}

	it('have one timer for many holds, and each is renewed three times a lease', async () => {
		for (let hold = 0; hold < 100; hold++) {
			addHold();
			expect(jest.getTimerCount()).toBe(1);
			await jest.advanceTimersByTimeAsync(100);
		}
		await jest.advanceTimersByTimeAsync(10 * LEASE_MS);
		expect(jest.getTimerCount()).toBe(1);
		for (const [hold, times] of renewals.entries()) {
			const thirds = times.map((_time, n) => hold * 100 + ((n + 1) * LEASE_MS) / 3);
			expect(times).toEqual(thirds);
			expect(times.length).toBeGreaterThanOrEqual(30);
		}
	});

	it('have no timer when none is held', async () => {
		expect(jest.getTimerCount()).toBe(0);
		addHold();
		addHold();
		for (const hold of holds) leases.remove(hold);
		expect(jest.getTimerCount()).toBe(0);
		await jest.advanceTimersByTimeAsync(LEASE_MS);
		expect(renewals).toEqual([[], []]);
	});

	it('keep no process alive', () => {
		const timers = jest.spyOn(global, 'setTimeout');
		addHold();
		expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([
			false,
		]);
		timers.mockRestore();
	});

	it('continue on schedule when the first due one is settled', async () => {
		const first = addHold();
		await jest.advanceTimersByTimeAsync(5_000);
		addHold();
		leases.remove(first);
		await jest.advanceTimersByTimeAsync(LEASE_MS);
		expect(renewals).toEqual([[], [25_000, 45_000, 65_000]]);
	});

	it('continue when one is settled during its renewal', async () => {
		const last = () => {
			leases.remove(last);
		};
		leases.add(last);
		addHold();
		await jest.advanceTimersByTimeAsync(LEASE_MS);
		expect(renewals).toEqual([[20_000, 40_000, 60_000]]);
	});
});
