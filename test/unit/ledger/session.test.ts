import { LedgerUnavailableError } from '../../../lib/ledger';
import type { Vital } from '../../../lib/ledger/common/store';
import { Session } from '../../../lib/ledger/session';
import { useStoppedClock } from './stoppedClock';

const SECOND_MS = 1_000;
const LIFE_MS = 60 * SECOND_MS;

describe('the session of a process', () => {
	useStoppedClock();
	let wasAlive: boolean;
	let isDown: boolean;
	let renewals: { readonly name: string; readonly at: number }[];
	let closed: string[];
	let lost: number;
	let startedAt: number;
	let session: Session;

	beforeEach(() => {
		[wasAlive, isDown, renewals, closed, lost] = [false, false, [], [], 0];
		startedAt = performance.now();
		const store = {
			renewSession: async (name: string) => {
				if (isDown) throw new LedgerUnavailableError('The disk is full');
				renewals.push({ name, at: Math.round((performance.now() - startedAt) / SECOND_MS) });
				const before = wasAlive;
				wasAlive = true;
				return before;
			},
			closeSession: async (name: string) => {
				closed.push(name);
			},
		};
		session = new Session(store, { onLost: () => (lost += 1) });
	});

	const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
	const dead = () => (['alive', 'gone', 'closed'] satisfies Vital[]).filter(session.isDead);

	it('is not opened before its first use, then with one write for any number of callers', async () => {
		await pass(LIFE_MS);
		expect(renewals).toEqual([]);
		await Promise.all(Array.from({ length: 100 }, () => session.open()));
		await session.open();
		expect(renewals).toHaveLength(1);
	});

	it('is renewed three times in a life, under the same name, and keeps no process alive', async () => {
		const timers = jest.spyOn(global, 'setTimeout');
		await session.open();
		await pass(2 * LIFE_MS);
		expect(renewals.map(({ at }) => at)).toEqual([0, 20, 40, 60, 80, 100, 120]);
		expect(new Set(renewals.map(({ name }) => name))).toEqual(new Set([session.name]));
		const made = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
		expect(made.filter((timer) => timer.hasRef())).toEqual([]);
		timers.mockRestore();
	});

	it('is opened again before it is used once it may have lapsed, and says if that fails', async () => {
		await session.open();
		isDown = true;
		await pass(54 * SECOND_MS);
		await session.open();
		await pass(2 * SECOND_MS);
		await expect(session.open()).rejects.toThrow(LedgerUnavailableError);
		isDown = false;
		await session.open();
		expect(renewals).toHaveLength(2);
	});

	it('is renewed within a second or so of the return of the store', async () => {
		await session.open();
		isDown = true;
		await pass(10 * LIFE_MS);
		isDown = false;
		await pass(SECOND_MS);
		expect(renewals).toHaveLength(2);
	});

	it('takes a closed session for dead at once, and one that is gone when it has lived for 60 s', async () => {
		await session.open();
		await pass(LIFE_MS - 1);
		expect(dead()).toEqual(['closed']);
		await pass(1);
		expect(dead()).toEqual(['gone', 'closed']);
	});

	it('takes nobody for dead that is gone for 60 s after an outage in which it lapsed', async () => {
		await session.open();
		await pass(10 * LIFE_MS);
		isDown = true;
		await pass(LIFE_MS + SECOND_MS);
		expect(dead()).toEqual(['closed']);
		[isDown, wasAlive] = [false, false];
		await pass(SECOND_MS);
		expect(dead()).toEqual(['closed']);
		await pass(LIFE_MS - 2 * SECOND_MS);
		expect(dead()).toEqual(['closed']);
		await pass(2 * SECOND_MS);
		expect(dead()).toEqual(['gone', 'closed']);
		expect(lost).toBe(0);
	});

	it('goes on after an outage that it outlived', async () => {
		await session.open();
		await pass(LIFE_MS);
		isDown = true;
		await pass(LIFE_MS / 2);
		isDown = false;
		await pass(SECOND_MS);
		expect(dead()).toEqual(['gone', 'closed']);
	});

	it('reports once that the store has lost it, and takes nobody for dead then', async () => {
		await session.open();
		await pass(2 * LIFE_MS);
		wasAlive = false;
		await pass(LIFE_MS);
		expect(lost).toBe(1);
		expect(dead()).toEqual(['closed']);
		await pass(LIFE_MS);
		expect(lost).toBe(1);
	});

	it('is closed under the name that it had, and opened again under another', async () => {
		await session.close();
		expect(closed).toEqual([]);
		await session.open();
		const { name } = session;
		await pass(LIFE_MS);
		await session.close();
		await session.close();
		expect(closed).toEqual([name]);
		expect(session.name).not.toBe(name);
		expect(dead()).toEqual(['closed']);
		const { length } = renewals;
		await pass(LIFE_MS);
		expect(renewals).toHaveLength(length);
		wasAlive = false;
		await session.open();
		expect(renewals.at(-1)?.name).toBe(session.name);
		expect(lost).toBe(0);
	});

	it('is open under its next name for those that wait for it while it is closed', async () => {
		const { name } = session;
		const opening = session.open();
		await session.close();
		await opening;
		await pass(LIFE_MS);
		expect(renewals.map((each) => each.name === name)).toEqual([true, false, false, false, false]);
		expect(renewals.at(-1)?.name).toBe(session.name);
	});

	it('has lived since it asked, also if the response to its first renewal was lost', async () => {
		wasAlive = true;
		await session.open();
		await pass(LIFE_MS - 1);
		expect(dead()).toEqual(['closed']);
		await pass(1);
		expect(dead()).toEqual(['gone', 'closed']);
	});

	it('asks again what was answered after a pause in which it lapsed', async () => {
		let pausedMs = 0;
		const clock = () => performance.now() + pausedMs;
		session = new Session(
			{ renewSession: async () => true, closeSession: jest.fn() },
			{
				...{ onLost: () => undefined, clock },
			},
		);
		let asked = 0;
		const ask = async () => {
			pausedMs = LIFE_MS;
			return ++asked;
		};
		expect(await session.whileAlive(ask)).toBe(2);
		expect(await session.whileAlive(ask)).toBe(3);
	});
});
