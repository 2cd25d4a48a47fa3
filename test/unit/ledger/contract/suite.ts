/** The contract that every store of the ledger passes: the same sentences for SQLite and for Redis. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { itClaims } from './claims';
import { itBeginsExecutions, itRemembersEvents } from './executions';
import { GIVEN_BACK_WHILE_PENDING, interleaving } from './interleavings';
import { Play } from './play';
import { itKeepsRecords } from './records';
import { beginning, claimed, describeScene, type LedgerScene } from './scene';
import type { LedgerWorld } from './world';

const INTERLEAVINGS = 300;
const STATES = [
	...['asleep', 'begun', 'done', 'failed', 'free', 'interrupted', 'overdue', 'pending', 'running'],
	'stored',
];

/** Declares the suite; `createWorld` makes an empty store for each test. */
export function describeLedgerContract(
	store: 'sqlite' | 'redis',
	createWorld: () => Promise<LedgerWorld>,
): void {
	describeScene(`the ledger in ${store}`, createWorld, (scene) => {
		it('rejects a key that ledgerKey did not create, and changes nothing', async () => {
			const { ledger, key } = scene();
			const claim = await claimed(ledger, key);
			const wrong = { ...claim, key: `${key}x` };
			const calls = [
				() => ledger.look('whevt_1'),
				() => ledger.claim('whevt_1'),
				() => ledger.commit([claim, wrong], 1),
				() => ledger.begin([key, wrong.key], beginning('run')),
				() => ledger.giveBack([key, wrong.key], 'run'),
			];
			for (const call of calls) await expect(call()).rejects.toThrow(TypeError);
			expect((await ledger.look(key)).state).toBe('pending');
		});

		describe('claims', () => {
			itClaims(scene);
		});
		describe('executions', () => {
			itBeginsExecutions(scene);
		});
		describe('events are remembered', () => {
			itRemembersEvents(scene);
		});
		describe('records', () => {
			itKeepsRecords(scene);
		});
		itFollowsLife(scene);
	});
}

function itFollowsLife(scene: () => LedgerScene): void {
	it(`does what the pure steps say in ${INTERLEAVINGS} interleavings of processes that act at the same time, pause, die and stop`, async () => {
		const seen = new Map<string, number>();
		let plays = 0;
		await fc.assert(
			fc.asyncProperty(interleaving, async (moments) => {
				plays += 1;
				const play = new Play(scene().world, randomUUID(), seen);
				try {
					await play.play(moments);
				} finally {
					await play.close();
				}
			}),
			{ numRuns: INTERLEAVINGS, examples: [[GIVEN_BACK_WHILE_PENDING]] },
		);
		expect(plays).toBeGreaterThanOrEqual(INTERLEAVINGS);
		// Every possible answer has occurred, or the interleavings prove less than they seem to.
		expect([...seen.keys()].sort()).toEqual([
			...['begin: false', 'begin: true', 'claim: claimed', 'claim: committed', 'claim: pending'],
			...['commit', 'end', 'giveBack: false', 'giveBack: true'],
			...STATES.map((state) => `look: ${state}`),
			...['release', 'reopen'],
		]);
	}, 180_000);
}
