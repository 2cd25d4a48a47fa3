/** Tests of the contract: which run continues with an event. */
import { ledgerKey } from '../../../../lib/ledger';
import { FIRST_GRACE_MS } from '../../../../lib/ledger/common/types';
import {
	claimed,
	expectGrace,
	LEASE_MS,
	type LedgerScene,
	MARGIN_MS,
	RETENTION_MS,
	stored,
} from './scene';

export function itBeginsRuns(scene: () => LedgerScene): void {
	/** Brings the event into a state; gives the claim that is left over from it. */
	const states = {
		free: async () => undefined,
		pending: async () => claimed(scene().ledger, scene().key),
		stored: async () => stored(scene().ledger, scene().key),
		overdue: async () => {
			const claim = await stored(scene().ledger, scene().key);
			await scene().world.advance(FIRST_GRACE_MS + MARGIN_MS);
			return claim;
		},
		'pending again': async () => {
			await states.overdue();
			return claimed(scene().ledger, scene().key);
		},
	};
	const names = Object.keys(states) as (keyof typeof states)[];

	it.each(names)('continue with an event that is %s: only the first that asks', async (state) => {
		const { ledger, other, key } = scene();
		await states[state]();
		expect(await other.begin([key], 'run 1', RETENTION_MS)).toEqual([true]);
		expect((await other.look(key)).state).toBe('begun');
		expect(await ledger.begin([key], 'run 2', RETENTION_MS)).toEqual([false]);
		expect(await other.begin([key], 'run 2', RETENTION_MS)).toEqual([false]);
	});

	it('may ask again, as after a restart of n8n', async () => {
		const { world, ledger, other, key } = scene();
		expect(await ledger.begin([key], 'run 1', RETENTION_MS)).toEqual([true]);
		expect(await ledger.begin([key], 'run 1', RETENTION_MS)).toEqual([true]);
		expect(await other.begin([key], 'run 2', RETENTION_MS)).toEqual([false]);
		await world.advance(FIRST_GRACE_MS + MARGIN_MS);
		await other.close();
		expect(await other.begin([key], 'run 1', RETENTION_MS)).toEqual([true]);
	});

	it('are one of many that ask at once', async () => {
		const { ledger, other, key } = scene();
		const answers = await Promise.all(
			Array.from({ length: 40 }, (_unused, n) =>
				(n % 2 ? ledger : other).begin([key], `run ${n}`, RETENTION_MS),
			),
		);
		expect(answers.flat().filter((goesOn) => goesOn)).toHaveLength(1);
	});

	it.each(names)(
		'have begun permanently: nothing takes back an event that was %s',
		async (state) => {
			const { world, ledger, other, key } = scene();
			const claim = (await states[state]()) ?? { key, token: 'none' };
			await ledger.begin([key], 'run 1', RETENTION_MS);
			expect(await other.renew(claim, LEASE_MS)).toBe(false);
			expect(await other.commit(claim, RETENTION_MS)).toBe(false);
			expect(await other.release(claim)).toBe(false);
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
			await world.advance(RETENTION_MS - MARGIN_MS);
			expect((await other.look(key)).state).toBe('begun');
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
			expect(await other.begin([key], 'run 2', RETENTION_MS)).toEqual([false]);
		},
	);

	it('are forgotten when the retention is over, not before', async () => {
		const { world, ledger, other, key } = scene();
		await ledger.begin([key], 'run 1', RETENTION_MS);
		await world.advance(RETENTION_MS + MARGIN_MS);
		expect((await other.look(key)).state).toBe('free');
		await claimed(other, key);
		expect(await other.begin([key], 'run 2', RETENTION_MS)).toEqual([true]);
	});

	it('leave no trace of themselves in an event that is stored again after they are forgotten', async () => {
		const { world, ledger, key } = scene();
		await ledger.begin([key], 'run 1', RETENTION_MS);
		await world.advance(RETENTION_MS + MARGIN_MS);
		expect(await ledger.commit({ key, token: 'late' }, RETENTION_MS)).toBe(false);
		expect((await ledger.look(key)).state).toBe('stored');
	});

	it('ask for many events at once, and get the results in their order', async () => {
		const { ledger, other } = scene();
		const keys = Array.from({ length: 100 }, (_unused, n) => ledgerKey('workflow', `batched ${n}`));
		const taken = keys.filter((_key, n) => n % 3 === 0);
		expect(await other.begin(taken, 'run 1', RETENTION_MS)).toEqual(taken.map(() => true));
		const answers = await ledger.begin(keys, 'run 2', RETENTION_MS);
		expect(answers).toEqual(keys.map((_key, n) => n % 3 !== 0));
		expect(await ledger.begin([], 'run 3', RETENTION_MS)).toEqual([]);
	});

	it('report the events that were free, which the ledger should have known', async () => {
		const { world, ledger, key } = scene();
		const unknown: number[] = [];
		const other = world.open((events) => unknown.push(events));
		await stored(ledger, key);
		await other.begin([key], 'run 1', RETENTION_MS);
		await other.begin([key], 'run 2', RETENTION_MS);
		expect(unknown).toEqual([]);
		const [second, third] = [ledgerKey('workflow', '2'), ledgerKey('workflow', '3')];
		await other.begin([key, second, third], 'run 3', RETENTION_MS);
		expect(unknown).toEqual([2]);
		await other.close();
	});

	it('are told yes for an event that they name twice', async () => {
		const { ledger, key } = scene();
		expect(await ledger.begin([key, key], 'run 1', RETENTION_MS)).toEqual([true, true]);
	});

	it('that meet over the same events share them out, none twice', async () => {
		const { ledger, other } = scene();
		const keys = Array.from({ length: 30 }, (_unused, n) => ledgerKey('workflow', `shared ${n}`));
		const answers = await Promise.all([
			ledger.begin(keys, 'run 1', RETENTION_MS),
			other.begin([...keys].reverse(), 'run 2', RETENTION_MS),
		]);
		const [first, second] = [answers[0], [...answers[1]].reverse()];
		expect(keys.map((_key, n) => first[n] !== second[n])).toEqual(keys.map(() => true));
	});
}

/** Tests of the contract: events that a run gives back if it cannot continue. */
export function itTakesEventsBack(scene: () => LedgerScene): void {
	const expectToStart = async () => {
		const { ledger, other, key } = scene();
		expect((await ledger.look(key)).state).toBe('overdue');
		await claimed(other, key);
		expect(await ledger.begin([key], 'next run', RETENTION_MS)).toEqual([true]);
	};

	it('that the run began: the next copy starts them at once', async () => {
		const { ledger, key } = scene();
		await ledger.begin([key], 'run 1', RETENTION_MS);
		await ledger.giveBack([key], 'run 1', RETENTION_MS);
		await expectToStart();
	});

	it('that are stored, for a run that never began', async () => {
		const { ledger, other, key } = scene();
		await stored(ledger, key);
		await other.giveBack([key], 'run 1', RETENTION_MS);
		await expectToStart();
	});

	it.each(['free', 'pending'])(
		'before they are committed: they were %s, and the late commit leaves them overdue',
		async (state) => {
			const { world, ledger, other, key } = scene();
			const claim = await claimed(ledger, key);
			if (state === 'free') await world.advance(LEASE_MS + MARGIN_MS);
			await other.giveBack([key], 'run 1', RETENTION_MS);
			expect((await other.look(key)).state).toBe('overdue');
			await ledger.commit(claim, RETENTION_MS);
			await ledger.commit(claim, RETENTION_MS);
			await expectToStart();
		},
	);

	it('once: another run that has begun by then keeps them', async () => {
		const { ledger, other, key } = scene();
		await ledger.begin([key], 'run 1', RETENTION_MS);
		await ledger.giveBack([key], 'run 1', RETENTION_MS);
		await other.begin([key], 'run 2', RETENTION_MS);
		await ledger.giveBack([key], 'run 1', RETENTION_MS);
		expect((await ledger.look(key)).state).toBe('begun');
		expect(await ledger.begin([key], 'run 1', RETENTION_MS)).toEqual([false]);
	});

	it('with the grace of a new event, and the longer of two retentions', async () => {
		const { world, ledger, key } = scene();
		await stored(ledger, key);
		await ledger.giveBack([key], 'run 1', 1_000);
		await world.advance(RETENTION_MS - FIRST_GRACE_MS);
		expect((await ledger.look(key)).state).toBe('overdue');
		await stored(ledger, key);
		await expectGrace(scene(), 2 * FIRST_GRACE_MS);
	});

	it('and are forgotten when the retention is over', async () => {
		const { world, ledger, key } = scene();
		await ledger.giveBack([key], 'run 1', RETENTION_MS);
		await world.advance(RETENTION_MS - MARGIN_MS);
		expect((await ledger.look(key)).state).toBe('overdue');
		await world.advance(2 * MARGIN_MS);
		expect((await ledger.look(key)).state).toBe('free');
	});

	it('each by itself', async () => {
		const { ledger, key } = scene();
		const begun = ledgerKey('workflow', 'begun');
		await stored(ledger, key);
		await ledger.begin([begun], 'another run', RETENTION_MS);
		await ledger.giveBack([key, begun], 'run 1', RETENTION_MS);
		expect([(await ledger.look(key)).state, (await ledger.look(begun)).state]).toEqual([
			'overdue',
			'begun',
		]);
	});
}
