import type { takeTurn } from '../../../lib/receiver/batch';
import { BUSY, isOpen, runOf, stateOf, take, useTurns } from './turns';

useTurns();

describe('the turn of an event', () => {
	it('comes after 10 s without a response, whether or not another event arrives', async () => {
		await runOf((await take('1')).turn);
		const { turn } = await take('2');
		await jest.advanceTimersByTimeAsync(9_000);
		await take('3');
		expect(await isOpen(turn)).toBe(true);
		await jest.advanceTimersByTimeAsync(1_000);
		expect((await runOf(turn)).ids).toEqual(['2', '3']);
	});

	it('comes at once again if the response has been missing for 10 s and no one waits', async () => {
		const stuck = await runOf((await take('1')).turn);
		await jest.advanceTimersByTimeAsync(10_000);
		const second = await runOf((await take('2')).turn);
		const { turn } = await take('3');
		// A response this late is not the awaited one.
		await stuck.settle(true);
		expect(await isOpen(turn)).toBe(true);
		await second.settle(true);
		expect((await runOf(turn)).ids).toEqual(['3']);
	});

	it('does not come early when a response arrives after its 10 s', async () => {
		const late = await runOf((await take('1', { most: 2 })).turn);
		await jest.advanceTimersByTimeAsync(5_000);
		const { turn: leads } = await take('2', { most: 2 });
		await take('3', { most: 2 });
		const run = await runOf(leads);
		await jest.advanceTimersByTimeAsync(5_000);
		const { turn } = await take('4', { most: 2 });
		await late.settle(true);
		expect(await isOpen(turn)).toBe(true);
		await run.settle(true);
		expect((await runOf(turn)).ids).toEqual(['4']);
	});

	it('does not wait longer for events that are handed over one by one in the meantime', async () => {
		await runOf((await take('1', { most: 3 })).turn);
		const { turn: leads } = await take('2', { most: 3 });
		const { turn: single } = await take('3', { most: 3 });
		await take('4', { most: 3 });
		const { turn: waits } = await take('5', { most: 3 });
		await jest.advanceTimersByTimeAsync(9_000);
		await (await runOf(leads)).settle(false);
		await runOf(single);
		expect((await runOf(waits)).ids).toEqual(['5']);
	});
});

describe('in an execution without a response from n8n', () => {
	let first: Awaited<ReturnType<typeof runOf>>;
	let run: Awaited<ReturnType<typeof runOf>>;
	let early: ReturnType<typeof takeTurn>;
	let late: ReturnType<typeof takeTurn>;

	/** Events that waited 9 s and 1 s for their turn, and the one that leads them. */
	beforeEach(async () => {
		first = await runOf((await take('1')).turn);
		const { turn: leads } = await take('2');
		({ turn: early } = await take('3'));
		await jest.advanceTimersByTimeAsync(8_000);
		({ turn: late } = await take('4'));
		await jest.advanceTimersByTimeAsync(1_000);
		await first.settle(true);
		run = await runOf(leads);
	});

	it('ends as busy 10 s after the event came, and not before n8n had 2 s', async () => {
		await jest.advanceTimersByTimeAsync(1_990);
		expect(await isOpen(early)).toBe(true);
		await jest.advanceTimersByTimeAsync(10);
		expect(await early).toEqual(BUSY);
		await jest.advanceTimersByTimeAsync(6_990);
		expect(await isOpen(late)).toBe(true);
		await jest.advanceTimersByTimeAsync(10);
		expect(await late).toEqual(BUSY);
	});

	it('keeps its claim, which is committed with the execution', async () => {
		await jest.advanceTimersByTimeAsync(10 * 60_000);
		expect(await early).toEqual(BUSY);
		expect(stateOf('3')).toBe('pending');
		await run.settle(true);
		for (const id of ['2', '3', '4']) expect(stateOf(id)).toBe('stored');
	});

	it('is free for its redelivery when n8n could not store the execution, and others go one by one', async () => {
		await jest.advanceTimersByTimeAsync(3_000);
		expect(await early).toEqual(BUSY);
		await run.settle(false);
		for (const id of ['2', '3']) expect(stateOf(id)).toBe('free');
		const single = await runOf(late);
		expect(single.ids).toEqual(['4']);
		await single.settle(true);
		// Nothing else is being handed over.
		expect(await isOpen((await take('5')).turn)).toBe(false);
	});

	it.each([0, 30_000])(
		'is given back when the execution counted as stored after %i ms and was not',
		async (afterMs) => {
			await jest.advanceTimersByTimeAsync(afterMs);
			await run.abandon();
			expect(['2', '3', '4'].map(stateOf)).toEqual(['stored', 'stored', 'stored']);
			await run.settle(false);
			for (const turn of [early, late]) {
				const own = await turn;
				if (own.start) await own.settle(false);
			}
			for (const id of ['2', '3', '4']) expect(stateOf(id)).toBe('overdue');
			await runOf((await take('5')).turn);
		},
	);
});
