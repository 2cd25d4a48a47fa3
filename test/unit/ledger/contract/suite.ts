/** The contract that every store of the ledger passes: the same sentences for SQLite and for Redis. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type Claim, type Ledger, ledgerKey } from '../../../../lib/ledger';
import { interleaving, Run } from './interleavings';
import type { LedgerWorld } from './world';

const LEASE_MS = 60_000;
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
const INTERLEAVINGS = 300;

/** Declares the suite; `createWorld` makes an empty store for each test. */
export function describeLedgerContract(
	store: 'sqlite' | 'redis',
	createWorld: () => Promise<LedgerWorld>,
): void {
	describe(`the ledger in ${store}`, () => {
		let world: LedgerWorld;
		let ledger: Ledger;
		let other: Ledger;
		const key = ledgerKey('workflow', 'whevt_1');

		beforeEach(async () => {
			world = await createWorld();
			ledger = world.open();
			other = world.open();
		});

		afterEach(async () => {
			await ledger.close();
			await other.close();
			await world.dispose();
		});

		it('says its name', () => {
			expect(ledger.name).toBe(store);
		});

		it('tells what is known of an event without changing it', async () => {
			expect(await other.look(key)).toBe('free');
			const claim = await claimed(ledger, key);
			expect(await other.look(key)).toBe('pending');
			await ledger.commit(claim, RETENTION_MS);
			expect(await other.look(key)).toBe('committed');
			await world.advance(RETENTION_MS + 10_000);
			expect(await other.look(key)).toBe('free');
		});

		it('keeps a record for everybody until it is replaced or removed', async () => {
			expect(await other.readRecord('name')).toBeUndefined();
			expect(await ledger.swapRecord('name', undefined, 'one')).toBe(true);
			expect(await other.readRecord('name')).toBe('one');
			await world.advance(RETENTION_MS + 10_000);
			expect(await other.swapRecord('name', 'one', 'two')).toBe(true);
			expect(await ledger.readRecord('name')).toBe('two');
			expect(await ledger.swapRecord('name', 'two', undefined)).toBe(true);
			expect(await other.readRecord('name')).toBeUndefined();
			expect(await other.swapRecord('name', undefined, undefined)).toBe(true);
		});

		it('does not replace a record that another has changed', async () => {
			await ledger.swapRecord('name', undefined, 'one');
			expect(await other.swapRecord('name', undefined, 'two')).toBe(false);
			expect(await other.swapRecord('name', 'zero', 'two')).toBe(false);
			expect(await other.swapRecord('name', 'zero', undefined)).toBe(false);
			expect(await ledger.readRecord('name')).toBe('one');
		});

		it('lets exactly one of many replace a record', async () => {
			await ledger.swapRecord('name', undefined, 'start');
			const answers = await Promise.all(
				Array.from({ length: 20 }, (_unused, n) =>
					(n % 2 ? ledger : other).swapRecord('name', 'start', String(n)),
				),
			);
			expect(answers.filter((swapped) => swapped)).toHaveLength(1);
		});

		it('gives an event to the first who claims it, and shows it as pending to the others', async () => {
			await claimed(ledger, key);
			expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
		});

		it('gives an event to exactly one of many who claim it at once', async () => {
			const answers = await Promise.all(
				Array.from({ length: 40 }, (_unused, n) => (n % 2 ? ledger : other).claim(key, LEASE_MS)),
			);
			expect(answers.filter(({ state }) => state === 'claimed')).toHaveLength(1);
			expect(answers.filter(({ state }) => state === 'pending')).toHaveLength(39);
		});

		it('keeps the events of a scope apart', async () => {
			await claimed(ledger, key);
			await claimed(ledger, ledgerKey('workflow', 'whevt_2'));
			await claimed(ledger, ledgerKey('another workflow', 'whevt_1'));
		});

		it('shows a committed event as committed to everybody', async () => {
			const claim = await claimed(ledger, key);
			expect(await ledger.commit(claim, RETENTION_MS)).toBe(true);
			expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		});

		it('keeps what is committed when everybody has closed it', async () => {
			await ledger.commit(await claimed(ledger, key), RETENTION_MS);
			await ledger.close();
			await other.close();
			expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		});

		it('forgets a committed event when its retention is over, not before', async () => {
			await ledger.commit(await claimed(ledger, key), RETENTION_MS);
			await world.advance(RETENTION_MS - 10_000);
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
			await world.advance(20_000);
			await claimed(other, key);
		});

		it('gives a released event to the next', async () => {
			const claim = await claimed(ledger, key);
			expect(await ledger.release(claim)).toBe(true);
			await claimed(other, key);
			expect(await ledger.release(claim)).toBe(false);
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
		});

		it('gives the event of a holder that died to the next when the lease is over, not before', async () => {
			await claimed(ledger, key);
			await world.advance(LEASE_MS - 10_000);
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
			await world.advance(20_000);
			await claimed(other, key);
		});

		it('keeps a claim that is renewed', async () => {
			const claim = await claimed(ledger, key);
			for (let renewals = 0; renewals < 5; renewals++) {
				await world.advance(LEASE_MS - 10_000);
				expect(await ledger.renew(claim, LEASE_MS)).toBe(true);
			}
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
		});

		it('does not renew a claim that has run out, nor one that another holds by now', async () => {
			const claim = await claimed(ledger, key);
			await world.advance(LEASE_MS + 10_000);
			expect(await ledger.renew(claim, LEASE_MS)).toBe(false);
			await claimed(other, key);
			expect(await ledger.renew(claim, LEASE_MS)).toBe(false);
		});

		it('does not let one who lost the claim release that of another', async () => {
			const claim = await claimed(ledger, key);
			await world.advance(LEASE_MS + 10_000);
			await claimed(other, key);
			expect(await ledger.release(claim)).toBe(false);
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
		});

		it('lets one who lost the claim commit all the same, since the run is stored', async () => {
			const claim = await claimed(ledger, key);
			await world.advance(LEASE_MS + 10_000);
			const taken = await claimed(other, key);
			expect(await ledger.commit(claim, RETENTION_MS)).toBe(false);
			expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
			expect(await other.release(taken)).toBe(false);
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		});

		it('commits an event whose claim has run out and is gone', async () => {
			const claim = await claimed(ledger, key);
			await world.advance(LEASE_MS + 10_000);
			expect(await ledger.commit(claim, RETENTION_MS)).toBe(false);
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		});

		it('lets the longer of two retentions stand', async () => {
			const claim = await claimed(ledger, key);
			await ledger.commit(claim, RETENTION_MS);
			expect(await ledger.commit(claim, 1_000)).toBe(false);
			await world.advance(LEASE_MS);
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
			await other.commit(claim, 2 * RETENTION_MS);
			await world.advance(RETENTION_MS + LEASE_MS);
			expect(await other.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		});

		it('refuses a key that ledgerKey did not make', async () => {
			await expect(ledger.claim('whevt_1', LEASE_MS)).rejects.toThrow(TypeError);
			await expect(ledger.commit({ key: `${key}x`, token: 't' }, LEASE_MS)).rejects.toThrow(
				TypeError,
			);
		});

		it(`answers as the model does in ${INTERLEAVINGS} interleavings of claims, renewals, commits, releases, expiries and crashes`, async () => {
			const seen = new Map<string, number>();
			let runs = 0;
			await fc.assert(
				fc.asyncProperty(interleaving, async (moments) => {
					runs += 1;
					const run = new Run(world, randomUUID(), seen);
					try {
						await run.play(moments);
					} finally {
						await run.close();
					}
				}),
				{ numRuns: INTERLEAVINGS },
			);
			expect(runs).toBeGreaterThanOrEqual(INTERLEAVINGS);
			// Every answer that there is has come up, or the interleavings prove less than they seem to.
			expect([...seen.keys()].sort()).toEqual([
				'claim: claimed',
				'claim: committed',
				'claim: pending',
				'commit: false',
				'commit: true',
				'release: false',
				'release: true',
				'renew: false',
				'renew: true',
			]);
		}, 120_000);
	});
}

async function claimed(ledger: Ledger, key: string): Promise<Claim> {
	const answer = await ledger.claim(key, LEASE_MS);
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	return answer.claim;
}
