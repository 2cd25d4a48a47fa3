import * as sleeping from '../../../lib/shared/sleep';
import { untilWritten } from '../../../lib/ledger/untilWritten';
import { useStoppedClock } from './stoppedClock';

describe('untilWritten', () => {
	useStoppedClock();

	it('writes again what could not be written, and only that, after longer and longer pauses', async () => {
		const sleep = jest.spyOn(sleeping, 'sleep');
		let isFailing = true;
		const written: string[] = [];
		const write = async (key: string) => {
			written.push(key);
			if (key === 'rejected' && isFailing) throw new Error('The disk is full');
			return key !== 'refused' || !isFailing;
		};
		let isOver = false;
		const writing = untilWritten(['written', 'rejected', 'refused'], write).then(() => {
			isOver = true;
		});
		await jest.advanceTimersByTimeAsync(60_000);
		expect(written.filter((key) => key === 'written')).toHaveLength(1);
		// After 0.5, 1, 2, 4 and then every 5 seconds; a pause is up to a half shorter.
		const tries = written.filter((key) => key === 'refused').length;
		expect(tries).toBeGreaterThanOrEqual(14);
		expect(tries).toBeLessThanOrEqual(28);
		expect(written.filter((key) => key === 'rejected')).toHaveLength(tries);
		for (const [, options] of sleep.mock.calls) expect(options).toEqual({ keepAlive: false });
		expect(isOver).toBe(false);
		isFailing = false;
		await jest.advanceTimersByTimeAsync(5_000);
		await writing;
		expect(jest.getTimerCount()).toBe(0);
	});

	it('is over at once for nothing', async () => {
		await untilWritten([], async () => false);
		expect(jest.getTimerCount()).toBe(0);
	});
});
