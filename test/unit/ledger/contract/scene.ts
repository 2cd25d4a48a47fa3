/** The scene of the contract's tests: an empty store, two processes, and one event. */
import { type Claim, type Ledger, ledgerKey } from '../../../../lib/ledger';
import type { EventLedger } from '../../../../lib/ledger/eventLedger';
import type { Beginning } from '../../../../lib/ledger/types';
import { type Process, Processes } from './processes';
import type { LedgerWorld } from './world';

export const MINUTE_MS = 60_000;
export const RETENTION_MS = 30 * 24 * 60 * MINUTE_MS;
/** Further from an end than a store with a clock of its own can be off. */
export const MARGIN_MS = 10_000;

export interface LedgerScene {
	readonly world: LedgerWorld;
	readonly processes: Processes;
	readonly process: Process;
	readonly ledger: EventLedger;
	readonly other: EventLedger;
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
			const processes = new Processes(world);
			const process = await processes.start();
			const { ledger: other } = await processes.start();
			const key = ledgerKey('workflow', 'whevt_1');
			scene = { world, processes, process, ledger: process.ledger, other, key };
		});

		afterEach(async () => {
			await scene.processes.close();
			await scene.world.dispose();
		});

		declare(() => scene);
	});
}

export function beginning(run: string, more: Partial<Beginning> = {}): Beginning {
	return { run, acknowledge: 'stored', retentionMs: RETENTION_MS, ...more };
}

export async function claimed(ledger: Ledger, key: string): Promise<Claim> {
	const answer = await ledger.claim(key);
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	return answer.claim;
}

/** Claims and commits. */
export async function stored(ledger: Ledger, key: string): Promise<Claim> {
	const claim = await claimed(ledger, key);
	await ledger.commit([claim], RETENTION_MS);
	return claim;
}

export async function stateOf(ledger: Ledger, key: string): Promise<string> {
	return (await ledger.look(key)).state;
}
