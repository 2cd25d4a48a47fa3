/** Tests of the contract: who holds an event, and until when. */
import { ledgerKey } from '../../../../lib/ledger';
import { claimed, LEASE_MS, type LedgerScene, MARGIN_MS, RETENTION_MS, stored } from './scene';

export function itClaims(scene: () => LedgerScene): void {
	it('are given to the first who asks, and shown as pending to the others', async () => {
		const { ledger, other, key } = scene();
		await claimed(ledger, key);
		expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
		expect((await other.look(key)).state).toBe('pending');
	});

	it('are given to exactly one of many who ask at once', async () => {
		const { ledger, other, key } = scene();
		const answers = await Promise.all(
			Array.from({ length: 40 }, (_unused, n) => (n % 2 ? ledger : other).claim(key, LEASE_MS)),
		);
		expect(answers.filter(({ state }) => state === 'claimed')).toHaveLength(1);
		expect(answers.filter(({ state }) => state === 'pending')).toHaveLength(39);
	});

	it('keep the events and the workflows apart', async () => {
		const { ledger, key } = scene();
		await claimed(ledger, key);
		await claimed(ledger, ledgerKey('workflow', 'whevt_2'));
		await claimed(ledger, ledgerKey('another workflow', 'whevt_1'));
	});

	it('that are released go to the next', async () => {
		const { ledger, other, key } = scene();
		const claim = await claimed(ledger, key);
		expect(await ledger.release(claim)).toBe(true);
		expect((await other.look(key)).state).toBe('free');
		await claimed(other, key);
		expect(await ledger.release(claim)).toBe(false);
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
	});

	it('of a holder that died go to the next when the lease is over, not before', async () => {
		const { world, ledger, other, key } = scene();
		await claimed(ledger, key);
		await world.advance(LEASE_MS - MARGIN_MS);
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
		await world.advance(2 * MARGIN_MS);
		expect((await other.look(key)).state).toBe('free');
		await claimed(other, key);
	});

	it('that are renewed stay', async () => {
		const { world, ledger, other, key } = scene();
		const claim = await claimed(ledger, key);
		for (let renewals = 0; renewals < 5; renewals++) {
			await world.advance(LEASE_MS - MARGIN_MS);
			expect(await ledger.renew(claim, LEASE_MS)).toBe(true);
		}
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
	});

	it('that have run out are not renewed, nor those that another holds by now', async () => {
		const { world, ledger, other, key } = scene();
		const claim = await claimed(ledger, key);
		await world.advance(LEASE_MS + MARGIN_MS);
		expect(await ledger.renew(claim, LEASE_MS)).toBe(false);
		await claimed(other, key);
		expect(await ledger.renew(claim, LEASE_MS)).toBe(false);
	});

	it('that were lost do not release that of another', async () => {
		const { world, ledger, other, key } = scene();
		const claim = await claimed(ledger, key);
		await world.advance(LEASE_MS + MARGIN_MS);
		await claimed(other, key);
		expect(await ledger.release(claim)).toBe(false);
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
	});

	it('that were lost are committed all the same, since the run is stored', async () => {
		const { world, ledger, other, key } = scene();
		const claim = await claimed(ledger, key);
		await world.advance(LEASE_MS + MARGIN_MS);
		const taken = await claimed(other, key);
		expect(await ledger.commit(claim, RETENTION_MS)).toBe(false);
		expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		expect(await other.release(taken)).toBe(false);
		expect(await other.renew(taken, LEASE_MS)).toBe(false);
		expect((await other.look(key)).state).toBe('stored');
	});

	it('that have run out and are gone are committed all the same', async () => {
		const { world, ledger, other, key } = scene();
		const claim = await claimed(ledger, key);
		await world.advance(LEASE_MS + MARGIN_MS);
		expect(await ledger.commit(claim, RETENTION_MS)).toBe(false);
		expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
	});

	it('are told from each other when one holder has several', async () => {
		const { world, ledger, key } = scene();
		const first = await claimed(ledger, key);
		await world.advance(LEASE_MS + MARGIN_MS);
		const second = await claimed(ledger, key);
		expect(await ledger.release(first)).toBe(false);
		expect(await ledger.release(second)).toBe(true);
	});

	it('that were committed or released cannot be renewed or released again', async () => {
		const { ledger, key } = scene();
		const claim = await stored(ledger, key);
		expect(await ledger.renew(claim, LEASE_MS)).toBe(false);
		expect(await ledger.release(claim)).toBe(false);
		expect((await ledger.look(key)).state).toBe('stored');
	});
}
