/** Tests of the contract: which events are stored, when they are overdue, and when they are forgotten. */
import { ledgerKey } from '../../../../lib/ledger';
import { FIRST_GRACE_MS, LONGEST_GRACE_MS } from '../../../../lib/ledger/common/types';
import {
	claimed,
	expectGrace,
	LEASE_MS,
	type LedgerScene,
	MARGIN_MS,
	RETENTION_MS,
	stored,
} from './scene';

export function itKeepsStoredEvents(scene: () => LedgerScene): void {
	async function overdue(): Promise<void> {
		const { world, ledger, key } = scene();
		await stored(ledger, key);
		await world.advance(FIRST_GRACE_MS + MARGIN_MS);
		expect((await ledger.look(key)).state).toBe('overdue');
	}

	it('are committed for everybody, and a look changes nothing', async () => {
		const { ledger, other, key } = scene();
		await stored(ledger, key);
		for (const each of [ledger, other]) {
			expect((await each.look(key)).state).toBe('stored');
			expect(await each.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		}
	});

	it('are kept when everybody has closed the ledger', async () => {
		const { ledger, other, key } = scene();
		await stored(ledger, key);
		await ledger.close();
		await other.close();
		expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
	});

	it('are overdue after 15 minutes, not before', async () => {
		const { ledger, key } = scene();
		await stored(ledger, key);
		await expectGrace(scene(), 15 * 60_000);
	});

	it('can be claimed by exactly one of many when they are overdue', async () => {
		const { ledger, other, key } = scene();
		await overdue();
		const answers = await Promise.all(
			Array.from({ length: 20 }, (_unused, n) => (n % 2 ? ledger : other).claim(key, LEASE_MS)),
		);
		expect(answers.filter(({ state }) => state === 'claimed')).toHaveLength(1);
		expect(answers.filter(({ state }) => state === 'pending')).toHaveLength(19);
		expect((await other.look(key)).state).toBe('pending');
	});

	it('have twice the grace each time they are claimed again, up to 4 hours', async () => {
		const { ledger, key } = scene();
		await overdue();
		for (const minutes of [30, 60, 120, 240, 240]) {
			await stored(ledger, key);
			await expectGrace(scene(), minutes * 60_000);
		}
		expect(LONGEST_GRACE_MS).toBe(240 * 60_000);
	});

	it('are overdue again at once when the claim is released, with the doubled grace', async () => {
		const { ledger, other, key } = scene();
		await overdue();
		expect(await ledger.release(await claimed(ledger, key))).toBe(true);
		expect((await other.look(key)).state).toBe('overdue');
		await stored(other, key);
		await expectGrace(scene(), 60 * 60_000);
	});

	it('are overdue again when the lease of the one who claimed them ends', async () => {
		const { world, ledger, other, key } = scene();
		await overdue();
		const claim = await claimed(ledger, key);
		await world.advance(LEASE_MS - MARGIN_MS);
		expect(await ledger.renew(claim, LEASE_MS)).toBe(true);
		await world.advance(LEASE_MS - MARGIN_MS);
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
		await world.advance(2 * MARGIN_MS);
		expect((await other.look(key)).state).toBe('overdue');
		expect(await ledger.renew(claim, LEASE_MS)).toBe(false);
		await claimed(other, key);
		expect(await ledger.release(claim)).toBe(false);
	});

	it('are committed by one who lost the claim, and keep the grace', async () => {
		const { world, ledger, other, key } = scene();
		await overdue();
		const lost = await claimed(ledger, key);
		await world.advance(LEASE_MS + MARGIN_MS);
		const taken = await claimed(other, key);
		expect(await ledger.commit(lost, RETENTION_MS)).toBe(false);
		expect(await other.release(taken)).toBe(false);
		await expectGrace(scene(), 60 * 60_000);
	});

	it('are forgotten when the retention is over, not before', async () => {
		const { world, ledger, other, key } = scene();
		await stored(ledger, key);
		await world.advance(RETENTION_MS - MARGIN_MS);
		expect((await other.look(key)).state).toBe('overdue');
		await world.advance(2 * MARGIN_MS);
		expect((await other.look(key)).state).toBe('free');
		await stored(other, key);
		await expectGrace(scene(), 15 * 60_000);
	});

	it('keep their retention while they are claimed again', async () => {
		const { world, ledger, other, key } = scene();
		await overdue();
		await claimed(ledger, key);
		await world.advance(RETENTION_MS - FIRST_GRACE_MS - 3 * MARGIN_MS);
		expect((await other.look(key)).state).toBe('overdue');
		await world.advance(3 * MARGIN_MS);
		expect((await other.look(key)).state).toBe('free');
	});

	it('are held beyond their retention by a claim whose lease ends later', async () => {
		const { world, ledger, other, key } = scene();
		await stored(ledger, key);
		await world.advance(RETENTION_MS - MARGIN_MS);
		const claim = await claimed(ledger, key);
		await world.advance(3 * MARGIN_MS);
		expect((await other.look(key)).state).toBe('pending');
		expect(await ledger.renew(claim, LEASE_MS)).toBe(true);
		expect(await ledger.commit(claim, RETENTION_MS)).toBe(true);
		expect((await other.look(key)).state).toBe('stored');
	});

	it('keep the longer of two retentions', async () => {
		const { world, ledger, other, key } = scene();
		const claim = await stored(ledger, key);
		expect(await ledger.commit(claim, 1_000)).toBe(true);
		await world.advance(LEASE_MS);
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		await other.commit(claim, 2 * RETENTION_MS);
		await world.advance(RETENTION_MS + LEASE_MS);
		expect((await other.look(key)).state).toBe('overdue');
		const again = await claimed(ledger, key);
		expect(await ledger.commit(again, 1_000)).toBe(true);
		await world.advance(LEASE_MS);
		expect((await other.look(key)).state).toBe('stored');
	});

	it('can be committed together, each as if by itself', async () => {
		const { ledger, other, key: first } = scene();
		const [second, third] = [ledgerKey('workflow', '2'), ledgerKey('workflow', '3')];
		const claims = [await claimed(ledger, first), { key: second, token: 'lost' }];
		await ledger.begin([third], 'run', RETENTION_MS);
		claims.push({ key: third, token: 'late' });
		expect(await ledger.commitAll(claims, RETENTION_MS)).toEqual([true, false, false]);
		expect(await ledger.commitAll([], RETENTION_MS)).toEqual([]);
		const states = [first, second, third].map(async (key) => (await other.look(key)).state);
		expect(await Promise.all(states)).toEqual(['stored', 'stored', 'begun']);
	});

	it('are not committed at all when one of the keys is none', async () => {
		const { ledger, key } = scene();
		const claim = await claimed(ledger, key);
		const wrong = { key: 'no key', token: claim.token };
		await expect(ledger.commitAll([claim, wrong], RETENTION_MS)).rejects.toThrow(TypeError);
		expect((await ledger.look(key)).state).toBe('pending');
	});
}
