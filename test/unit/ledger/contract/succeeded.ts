/** Tests of the contract: events that count once an execution has succeeded, and those that a user reopens. */
import { type Claim, ledgerKey } from '../../../../lib/ledger';
import { FIRST_GRACE_MS } from '../../../../lib/ledger/common/types';
import { claimed, LEASE_MS, type LedgerScene, MARGIN_MS, RETENTION_MS, stored } from './scene';

/** Claims and begins under the claim. */
async function running({ ledger, key }: LedgerScene, run = 'run 1'): Promise<Claim> {
	const claim = await claimed(ledger, key);
	expect(await ledger.begin([key], run, RETENTION_MS, [claim.token])).toEqual([true]);
	return claim;
}

async function failed(scene: LedgerScene, run?: string): Promise<Claim> {
	const claim = await running(scene, run);
	expect(await scene.ledger.release(claim)).toBe(true);
	return claim;
}

async function done(scene: LedgerScene): Promise<Claim> {
	const claim = await running(scene);
	expect(await scene.ledger.finishAll([claim], RETENTION_MS)).toEqual([true]);
	return claim;
}

/** Tests of the contract: executions whose end the claim holder waits for. */
export function itFollowsExecutions(scene: () => LedgerScene): void {
	it('run under the claim, which no one else gets, and show the run that began them', async () => {
		const { other, key } = scene();
		await running(scene());
		expect(await other.look(key)).toEqual({ state: 'running', attempts: 1, run: 'run 1' });
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
	});

	it('begin once under a claim: the same run may ask again, no other may, with or without its token', async () => {
		const { ledger, other, key } = scene();
		const { token } = await running(scene());
		expect(await other.begin([key], 'run 1', RETENTION_MS, [token])).toEqual([true]);
		expect(await other.begin([key], 'run 2', RETENTION_MS, [token])).toEqual([false]);
		expect(await other.begin([key], 'run 2', RETENTION_MS, ['another'])).toEqual([false]);
		expect(await other.begin([key], 'run 2', RETENTION_MS)).toEqual([false]);
		expect(await ledger.look(key)).toEqual({ state: 'running', attempts: 1, run: 'run 1' });
	});

	it('do not begin under a claim that is not held: unknown, lapsed, released, taken by another or stored', async () => {
		const { world, ledger, other, key } = scene();
		const begin = async (token: string) =>
			(await other.begin([key], 'run 1', RETENTION_MS, [token]))[0];
		expect(await begin('none')).toBe(false);
		const first = await claimed(ledger, key);
		await world.advance(LEASE_MS + MARGIN_MS);
		expect(await begin(first.token)).toBe(false);
		const second = await claimed(ledger, key);
		expect(await begin(first.token)).toBe(false);
		await ledger.release(second);
		expect(await begin(second.token)).toBe(false);
		const third = await stored(ledger, key);
		expect(await begin(third.token)).toBe(false);
		expect((await ledger.look(key)).state).toBe('stored');
	});

	it('begin with and without a claim in one call, in their order', async () => {
		const { ledger, other, key } = scene();
		const [free, lost] = [ledgerKey('workflow', 'free'), ledgerKey('workflow', 'lost')];
		const { token } = await claimed(ledger, key);
		const tokens = ['none', token, undefined];
		expect(await other.begin([lost, key, free], 'run 1', RETENTION_MS, tokens)).toEqual([
			false,
			true,
			true,
		]);
		const states = [lost, key, free].map(async (each) => (await ledger.look(each)).state);
		expect(await Promise.all(states)).toEqual(['free', 'running', 'begun']);
	});

	it('stay as long as the claim is renewed, and have failed when the lease is over', async () => {
		const { world, ledger, other, key } = scene();
		const claim = await running(scene());
		for (let renewals = 0; renewals < 3; renewals++) {
			await world.advance(LEASE_MS - MARGIN_MS);
			expect(await ledger.renew(claim, LEASE_MS)).toBe(true);
			expect((await other.look(key)).state).toBe('running');
		}
		await world.advance(LEASE_MS + MARGIN_MS);
		expect(await other.look(key)).toMatchObject({ state: 'failed', attempts: 1, run: 'run 1' });
	});

	it('run again when a lease that has run out is renewed, unless another has taken the event', async () => {
		const { world, ledger, other, key } = scene();
		const claim = await running(scene());
		await world.advance(LEASE_MS + MARGIN_MS);
		expect(await ledger.renew(claim, LEASE_MS)).toBe(true);
		expect((await other.look(key)).state).toBe('running');
		await world.advance(LEASE_MS + MARGIN_MS);
		await claimed(other, key);
		expect(await ledger.renew(claim, LEASE_MS)).toBe(false);
		expect(await ledger.finishAll([claim], RETENTION_MS)).toEqual([false]);
		expect(await ledger.release(claim)).toBe(false);
		expect((await other.look(key)).state).toBe('pending');
	});

	it('that are released have failed at once, count their attempts, and can be claimed by one', async () => {
		const { ledger, other, key } = scene();
		const first = await failed(scene(), 'run 1');
		expect(await ledger.look(key)).toMatchObject({ state: 'failed', attempts: 1, run: 'run 1' });
		expect(await ledger.release(first)).toBe(false);
		expect(await ledger.renew(first, LEASE_MS)).toBe(false);
		await failed(scene(), 'run 2');
		expect(await ledger.look(key)).toMatchObject({ state: 'failed', attempts: 2, run: 'run 2' });
		const answers = await Promise.all([ledger.claim(key, LEASE_MS), other.claim(key, LEASE_MS)]);
		expect(answers.map(({ state }) => state).sort()).toEqual(['claimed', 'pending']);
		expect(answers).toContainEqual(expect.objectContaining({ state: 'claimed', attempts: 2 }));
	});

	it('have failed again when the next claim is released or lapses before it begins', async () => {
		const { world, ledger, key } = scene();
		await failed(scene());
		expect(await ledger.release(await claimed(ledger, key))).toBe(true);
		expect(await ledger.look(key)).toMatchObject({ state: 'failed', attempts: 1 });
		await claimed(ledger, key);
		await world.advance(LEASE_MS + MARGIN_MS);
		expect(await ledger.look(key)).toMatchObject({ state: 'failed', attempts: 1 });
	});

	it.each(['release', 'lapse'])('say how long ago they failed by a %s', async (how) => {
		const { world, ledger, other, key } = scene();
		const claim = await running(scene());
		expect((await other.look(key)).failedMs).toBeUndefined();
		if (how === 'release') await ledger.release(claim);
		else await world.advance(LEASE_MS);
		await world.advance(3 * LEASE_MS);
		const { failedMs = 0 } = await other.look(key);
		expect(Math.abs(failedMs - 3 * LEASE_MS)).toBeLessThan(MARGIN_MS);
	});

	it('have begun when a run requested by a user asks after they failed, and count it', async () => {
		const { ledger, key } = scene();
		await failed(scene());
		expect(await ledger.begin([key], 'retry', RETENTION_MS)).toEqual([true]);
		expect(await ledger.look(key)).toEqual({ state: 'begun', attempts: 2, run: 'retry' });
	});

	it('are done for everybody when they are finished, and a finish that is sent again says so', async () => {
		const { ledger, other, key } = scene();
		const claim = await done(scene());
		expect(await other.look(key)).toEqual({ state: 'done', attempts: 1, run: 'run 1' });
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		expect(await other.begin([key], 'run 2', RETENTION_MS)).toEqual([false]);
		expect(await other.begin([key], 'run 1', RETENTION_MS, [claim.token])).toEqual([false]);
		expect(await ledger.finishAll([claim], RETENTION_MS)).toEqual([true]);
		expect(await ledger.renew(claim, LEASE_MS)).toBe(false);
		expect(await ledger.release(claim)).toBe(false);
		expect(await ledger.commit(claim, RETENTION_MS)).toBe(false);
		await ledger.giveBack([key], 'run 1', RETENTION_MS);
		expect((await other.look(key)).state).toBe('done');
	});

	it('are finished one by one, in their order: another token settles nothing, events that others have settled count', async () => {
		const { ledger, other, key } = scene();
		const [begun, pending, free] = ['begun', 'pending', 'free'].map((id) =>
			ledgerKey('workflow', id),
		) as [string, string, string];
		const claim = await running(scene());
		await other.begin([begun], 'another run', RETENTION_MS);
		const held = await claimed(other, pending);
		const claims = [{ key, token: 'another' }, { key: free, token: 'none' }, held];
		expect(await ledger.finishAll(claims, RETENTION_MS)).toEqual([false, false, false]);
		expect((await ledger.look(key)).state).toBe('running');
		const more = [{ key: begun, token: 'none' }, held, claim, { key, token: 'another' }];
		expect(await ledger.finishAll(more, RETENTION_MS)).toEqual([true, false, true, true]);
		expect(await ledger.finishAll([], RETENTION_MS)).toEqual([]);
		const states = [key, begun, pending, free].map(async (each) => (await other.look(each)).state);
		expect(await Promise.all(states)).toEqual(['done', 'begun', 'pending', 'free']);
	});

	it('that are done are forgotten when the retention is over, not before', async () => {
		const { world, other, key } = scene();
		await done(scene());
		await world.advance(RETENTION_MS - MARGIN_MS);
		expect((await other.look(key)).state).toBe('done');
		await world.advance(2 * MARGIN_MS);
		expect(await other.look(key)).toEqual({ state: 'free', attempts: 0 });
	});

	it('that have failed are forgotten when the retention that began with them is over, not before', async () => {
		const { world, other, key } = scene();
		await failed(scene());
		await world.advance(RETENTION_MS - MARGIN_MS);
		expect((await other.look(key)).state).toBe('failed');
		await world.advance(2 * MARGIN_MS);
		expect(await other.look(key)).toEqual({ state: 'free', attempts: 0 });
	});

	it('that are given back by their run are overdue, and have not been attempted', async () => {
		const { ledger, other, key } = scene();
		const claim = await running(scene());
		await other.giveBack([key], 'run 2', RETENTION_MS);
		expect((await other.look(key)).state).toBe('running');
		await other.giveBack([key], 'run 1', RETENTION_MS);
		expect(await other.look(key)).toEqual({ state: 'overdue', attempts: 0 });
		expect(await ledger.finishAll([claim], RETENTION_MS)).toEqual([false]);
		expect(await ledger.release(claim)).toBe(false);
	});

	it('are not stored by a commit, from any sender', async () => {
		const { ledger, other, key } = scene();
		const claim = await running(scene());
		expect(await ledger.commit(claim, RETENTION_MS)).toBe(false);
		expect(await other.commit({ key, token: 'late' }, RETENTION_MS)).toBe(false);
		expect((await other.look(key)).state).toBe('running');
	});
}

/** Tests of the contract: events that a user wants to run again. */
export function itReopens(scene: () => LedgerScene): void {
	const AT = 1_800_000_000_000;

	const reach: Record<string, () => Promise<unknown>> = {
		free: async () => undefined,
		stored: () => stored(scene().ledger, scene().key),
		overdue: async () => {
			await stored(scene().ledger, scene().key);
			await scene().world.advance(FIRST_GRACE_MS + MARGIN_MS);
		},
		begun: () => scene().ledger.begin([scene().key], 'run 1', RETENTION_MS),
		failed: () => failed(scene()),
		done: () => done(scene()),
	};

	it.each(Object.keys(reach))(
		'that were %s: overdue at once, without their past',
		async (state) => {
			const { ledger, other, key } = scene();
			await reach[state]?.();
			const before = await other.look(key);
			const [was] = await ledger.reopen([key], AT, RETENTION_MS);
			expect(before.state).toBe(state);
			expect(was).toMatchObject({ state, attempts: before.attempts });
			expect(was?.run).toBe(before.run);
			expect(await other.look(key)).toEqual({ state: 'overdue', attempts: 0, reopenedAt: AT });
			expect(await other.claim(key, LEASE_MS)).toMatchObject({
				state: 'claimed',
				attempts: 0,
				reopenedAt: AT,
			});
		},
	);

	it.each(['pending', 'running'])('but leave alone those that are %s', async (state) => {
		const { ledger, other, key } = scene();
		const claim = await (state === 'pending' ? claimed(ledger, key) : running(scene()));
		const before = await other.look(key);
		expect(await other.reopen([key], AT, RETENTION_MS)).toEqual([before]);
		expect(before.state).toBe(state);
		expect(await other.look(key)).toEqual(before);
		expect(await ledger.renew(claim, LEASE_MS)).toBe(true);
	});

	it('keep the moment through claims, releases and executions that fail, until one is done', async () => {
		const { ledger, other, key } = scene();
		const reopenedAt = async () => (await other.look(key)).reopenedAt;
		await ledger.reopen([key], AT, RETENTION_MS);
		await ledger.release(await claimed(ledger, key));
		expect(await reopenedAt()).toBe(AT);
		await failed(scene());
		expect(await reopenedAt()).toBe(AT);
		await ledger.giveBack([key], 'nobody', RETENTION_MS);
		const claim = await running(scene(), 'run 2');
		expect(await reopenedAt()).toBe(AT);
		await ledger.finishAll([claim], RETENTION_MS);
		expect(await other.look(key)).toEqual({ state: 'done', attempts: 2, run: 'run 2' });
	});

	it('keep the moment when they are stored, until they have begun', async () => {
		const { ledger, other, key } = scene();
		await ledger.reopen([key], AT, RETENTION_MS);
		await stored(ledger, key);
		expect((await other.look(key)).reopenedAt).toBe(AT);
		await ledger.begin([key], 'run 1', RETENTION_MS);
		expect(await other.look(key)).toEqual({ state: 'begun', attempts: 1, run: 'run 1' });
	});

	it('have the moment of the latest request, and start once however often they are asked for', async () => {
		const { ledger, other, key } = scene();
		await done(scene());
		await ledger.reopen([key], AT, RETENTION_MS);
		expect(await other.reopen([key], AT + 1, RETENTION_MS)).toEqual([
			{ state: 'overdue', attempts: 0, reopenedAt: AT },
		]);
		expect((await other.look(key)).reopenedAt).toBe(AT + 1);
		await done(scene());
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
	});

	it('take them from a claim and from a commit that are over', async () => {
		const { ledger, other, key } = scene();
		const claim = await done(scene());
		await other.reopen([key], AT, RETENTION_MS);
		expect(await ledger.finishAll([claim], RETENTION_MS)).toEqual([false]);
		expect(await ledger.renew(claim, LEASE_MS)).toBe(false);
		expect(await ledger.begin([key], 'run 1', RETENTION_MS, [claim.token])).toEqual([false]);
		expect((await other.look(key)).state).toBe('overdue');
	});

	it('are forgotten when the longer of two retentions is over, not before', async () => {
		const { world, ledger, other, key } = scene();
		await done(scene());
		await ledger.reopen([key], AT, 1_000);
		await world.advance(RETENTION_MS - MARGIN_MS);
		expect((await other.look(key)).state).toBe('overdue');
		await world.advance(2 * MARGIN_MS);
		expect(await other.look(key)).toEqual({ state: 'free', attempts: 0 });
	});

	it('each by itself, in their order', async () => {
		const { ledger, other, key } = scene();
		const held = ledgerKey('workflow', 'held');
		await claimed(ledger, held);
		await done(scene());
		const before = await other.reopen([held, key], AT, RETENTION_MS);
		expect(before.map(({ state }) => state)).toEqual(['pending', 'done']);
		expect((await ledger.look(held)).state).toBe('pending');
		expect((await ledger.look(key)).state).toBe('overdue');
	});
}
