import { untilWritten } from '../../../lib/ledger/untilWritten';
import * as sleeping from '../../../lib/shared/sleep';
import { useStoppedClock } from './stoppedClock';

describe('untilWritten', () => {
	useStoppedClock();

	it('retries only failed writes, about once per second', async () => {
		const sleep = jest.spyOn(sleeping, 'sleep');
		let isFailing = true;
		const tried: string[] = [];
		const write = async (key: string) => {
			tried.push(key);
			if (key === 'failing' && isFailing) throw new Error('The disk is full');
		};
		let isOver = false;
		const writing = untilWritten(['written', 'failing'], write).then(() => {
			isOver = true;
		});
		await jest.advanceTimersByTimeAsync(60_000);
		expect(tried.filter((key) => key === 'written')).toHaveLength(1);
		// A pause is up to a half shorter than a second.
		const tries = tried.filter((key) => key === 'failing').length;
		expect(tries).toBeGreaterThanOrEqual(60);
		expect(tries).toBeLessThanOrEqual(121);
		for (const [, options] of sleep.mock.calls) expect(options).toEqual({ keepAlive: false });
		expect(isOver).toBe(false);
		isFailing = false;
		await jest.advanceTimersByTimeAsync(1_000);
		await writing;
		expect(jest.getTimerCount()).toBe(0);
	});

	it('is over at once for nothing', async () => {
		await untilWritten([], async () => undefined);
		expect(jest.getTimerCount()).toBe(0);
	});
});
