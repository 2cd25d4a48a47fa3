import { untilWritten } from '../../../lib/ledger';
import { useStoppedClock } from './stoppedClock';

const MINUTE_MS = 60_000;

describe('a write that the ledger must not lose', () => {
	useStoppedClock();
	let isDown: boolean;
	let tried: string[];
	let written: string[];

	beforeEach(() => {
		[isDown, tried, written] = [true, [], []];
	});

	async function write(name: string, fails = () => isDown): Promise<void> {
		await untilWritten(async () => {
			tried.push(name);
			if (fails()) throw new Error('The disk is full');
		});
		written.push(name);
	}

	it('is over at once if it succeeds', async () => {
		isDown = false;
		await write('one');
		expect([tried, jest.getTimerCount()]).toEqual([['one'], 0]);
	});

	it('is tried about once per second until it succeeds, without keeping the process alive', async () => {
		const timers = jest.spyOn(global, 'setTimeout');
		void write('one');
		await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
		expect(written).toEqual([]);
		expect(tried.length).toBeGreaterThan(600);
		expect(tried.length).toBeLessThan(1_250);
		const made = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
		expect(made.filter((timer) => timer.hasRef())).toEqual([]);
		timers.mockRestore();
		isDown = false;
		await jest.advanceTimersByTimeAsync(1_000);
		expect(written).toEqual(['one']);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('is one of many, of which a hundred are tried at a time, and all are written once the ledger is back', async () => {
		for (let n = 0; n < 1_000; n++) void write(String(n));
		await jest.advanceTimersByTimeAsync(MINUTE_MS);
		// Rounds begin half a second to a second apart.
		expect(tried.length).toBeLessThan(1_000 + 121 * 100);
		expect(new Set(tried.slice(1_000)).size).toBe(1_000);
		isDown = false;
		await jest.advanceTimersByTimeAsync(1_000);
		expect(written).toHaveLength(1_000);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('does not hold up the others if it never succeeds', async () => {
		void write('never', () => true);
		for (let n = 0; n < 300; n++) void write(String(n));
		isDown = false;
		await jest.advanceTimersByTimeAsync(5_000);
		expect(written).toHaveLength(300);
		void write('late');
		await jest.advanceTimersByTimeAsync(0);
		expect(written.at(-1)).toBe('late');
	});
});
