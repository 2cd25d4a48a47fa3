/** The contract that every store of the ledger passes: the same sentences for SQLite and for Redis. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { itClaims } from './claims';
import { everyAnswer, interleaving, Run } from './interleavings';
import { itKeepsRecords } from './records';
import { itBeginsRuns, itTakesEventsBack } from './runs';
import { LEASE_MS, type LedgerScene, describeScene } from './scene';
import { itKeepsStoredEvents } from './storedEvents';
import { itFollowsExecutions, itReopens } from './succeeded';
import type { LedgerWorld } from './world';

const INTERLEAVINGS = 300;

/** Declares the suite; `createWorld` makes an empty store for each test. */
export function describeLedgerContract(
	store: 'sqlite' | 'redis',
	createWorld: () => Promise<LedgerWorld>,
): void {
	describeScene(`the ledger in ${store}`, createWorld, (scene) => {
		it('rejects a key that ledgerKey did not create', async () => {
			const { ledger, key } = scene();
			const claim = { key: `${key}x`, token: 't' };
			const calls = [
				() => ledger.look('whevt_1'),
				() => ledger.claim('whevt_1', LEASE_MS),
				() => ledger.commit(claim, LEASE_MS),
				() => ledger.begin([key, claim.key], 'run', LEASE_MS),
				() => ledger.giveBack([key, claim.key], 'run', LEASE_MS),
			];
			for (const call of calls) await expect(call()).rejects.toThrow(TypeError);
			expect((await ledger.look(key)).state).toBe('free');
		});

		describe('claims', () => {
			itClaims(scene);
		});
		describe('stored events', () => {
			itKeepsStoredEvents(scene);
		});
		describe('runs', () => {
			itBeginsRuns(scene);
		});
		describe('events that a run gives back are taken', () => {
			itTakesEventsBack(scene);
		});
		describe('executions that must succeed', () => {
			itFollowsExecutions(scene);
		});
		describe('a person reopens events', () => {
			itReopens(scene);
		});
		describe('records', () => {
			itKeepsRecords(scene);
		});
		itAnswersAsTheModel(scene);
	});
}

function itAnswersAsTheModel(scene: () => LedgerScene): void {
	it(`are answered as the model does in ${INTERLEAVINGS} interleavings of claims, renewals, commits, releases, begins, ends of executions, events given back or reopened, expiries, crashes and a clock that is set back`, async () => {
		const seen = new Map<string, number>();
		let runs = 0;
		await fc.assert(
			fc.asyncProperty(interleaving, async (moments) => {
				runs += 1;
				const run = new Run(scene().world, randomUUID(), seen);
				try {
					await run.play(moments);
				} finally {
					await run.close();
				}
			}),
			{ numRuns: INTERLEAVINGS, examples: [[everyAnswer]] },
		);
		expect(runs).toBeGreaterThanOrEqual(INTERLEAVINGS);
		// Every possible result has occurred, or the interleavings prove less than they seem to.
		expect([...seen.keys()].sort()).toEqual([
			'begin: false',
			'begin: true',
			'claim: claimed',
			'claim: committed',
			'claim: pending',
			'commit: false',
			'commit: true',
			'finish: false',
			'finish: true',
			'giveBack: given back',
			'look: is begun',
			'look: is done',
			'look: is failed',
			'look: is free',
			'look: is overdue',
			'look: is pending',
			'look: is running',
			'look: is stored',
			'release: false',
			'release: true',
			'renew: false',
			'renew: true',
			'reopen: was …',
		]);
	}, 180_000);
}
