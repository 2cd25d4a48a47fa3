/** The scene of the contract's tests: an empty store, opened twice, and one event. */
import { type Claim, type Ledger, ledgerKey } from '../../../../lib/ledger';
import type { LedgerWorld } from './world';

export const LEASE_MS = 60_000;
export const RETENTION_MS = 30 * 24 * 60 * 60_000;
/** Further from an end than a store with a clock of its own can be off. */
export const MARGIN_MS = 10_000;

export interface LedgerScene {
	readonly world: LedgerWorld;
	readonly ledger: Ledger;
	readonly other: Ledger;
	readonly key: string;
}

/** `declare` declares tests; each finds a scene of its own. */
export function describeScene(
	name: string,
	createWorld: () => Promise<LedgerWorld>,
	declare: (scene: () => LedgerScene) => void,
): void {
	describe(name, () => {
		let scene: LedgerScene;

		beforeEach(async () => {
			const world = await createWorld();
			const key = ledgerKey('workflow', 'whevt_1');
			scene = { world, ledger: world.open(), other: world.open(), key };
		});

		afterEach(async () => {
			await scene.ledger.close();
			await scene.other.close();
			await scene.world.dispose();
		});

		declare(() => scene);
	});
}

export async function claimed(ledger: Ledger, key: string): Promise<Claim> {
	const answer = await ledger.claim(key, LEASE_MS);
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	return answer.claim;
}

/** Claims and commits. */
export async function stored(ledger: Ledger, key: string): Promise<Claim> {
	const claim = await claimed(ledger, key);
	expect(await ledger.commit(claim, RETENTION_MS)).toBe(true);
	return claim;
}

/** For how long a stored event stays so: exactly, but for the margin. */
export async function expectGrace({ world, ledger, key }: LedgerScene, ms: number): Promise<void> {
	await world.advance(ms - MARGIN_MS);
	expect((await ledger.look(key)).state).toBe('stored');
	await world.advance(2 * MARGIN_MS);
	expect((await ledger.look(key)).state).toBe('overdue');
}
