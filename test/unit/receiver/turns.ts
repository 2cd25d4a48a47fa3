/** Events of one node that take their turns, for the tests of batches. */
import { type Acknowledge, type ClaimHold, claimOrWait } from '../../../lib/ledger';
import { Leases } from '../../../lib/ledger/leases';
import { takeTurn } from '../../../lib/receiver/batch';
import { MemoryLedger } from '../ledger/memoryLedger';
import { useStoppedClock } from '../ledger/stoppedClock';

export const RETENTION_MS = 60 * 60_000;
export const STORED = { start: false, outcome: 'stored' };
export const BUSY = { start: false, outcome: 'busy' };

/** The ledger and the node of the test that runs. */
export const world = {
	ledger: new MemoryLedger(),
	node: '',
	acknowledge: 'stored' as Acknowledge,
};

let leases: Leases;
let nodes = 0;

/** Call it at the top of a test file: stops the clock and gives each test its own ledger and node. */
export function useTurns(): void {
	useStoppedClock();
	beforeEach(() => {
		leases = new Leases();
		world.ledger = new MemoryLedger();
		world.node = `node-${++nodes}`;
		world.acknowledge = 'stored';
	});
}

async function hold(id: string): Promise<ClaimHold> {
	const claim = await claimOrWait(world.ledger, id, { leases, acknowledge: world.acknowledge });
	if (claim.outcome !== 'claimed') throw new Error(`The event is ${claim.outcome}`);
	return claim.hold;
}

/** Not the turn itself: that would be waited for. */
export async function take(id: string, { most = 100, bytes = 1, createdAt = '' } = {}) {
	const held = await hold(id);
	const record = { id, ...(createdAt !== '' && { createdAt }) };
	const item = { record, ...(held.token !== undefined && { claim: held.token }) };
	return { turn: takeTurn(world.node, { item, hold: held, bytes }, most) };
}

/** The run that the turn starts. */
export async function runOf(turn: ReturnType<typeof takeTurn>) {
	const run = await turn;
	if (!run.start) throw new Error('The event went with another one');
	const ids = run.items.map(({ record }) => record['id']);
	const tokens = run.items.map(({ claim }) => claim);
	return { ids, tokens, hold: run.hold };
}

export async function isOpen(turn: Promise<unknown>): Promise<boolean> {
	const open = Symbol('open');
	return (await Promise.race([turn, Promise.resolve(open)])) === open;
}

/** The entry of the event in the ledger. */
export const stateOf = (id: string): string => world.ledger.stateOf(id);
