/** Events of one node that take their turns, for the tests of batches. */
import {
	type Acknowledge,
	claimOrWait,
	type Hold,
	ledgerKey,
	type Outcome,
} from '../../../lib/ledger';
import { takeTurn } from '../../../lib/receiver/batch';
import { MemoryLedger } from '../ledger/memoryLedger';
import { useStoppedClock } from '../ledger/stoppedClock';

export const RETENTION_MS = 60 * 60_000;
export const ACCEPTED = { start: false, outcome: 'accepted' };
export const BUSY = { start: false, outcome: 'busy' };

/** The ledger and the node of the test that runs. */
export const world = {
	ledger: new MemoryLedger(),
	node: '',
	acknowledge: 'stored' as Acknowledge,
	/** Whether the deliveries arrive at the URL where n8n responds when it has stored the execution. */
	isEarly: true,
};

let nodes = 0;

export const keyOf = (id: string): string => ledgerKey('workflow', id);

/** Call it at the top of a test file: stops the clock and gives each test its own ledger and node. */
export function useTurns(): void {
	useStoppedClock();
	beforeEach(() => {
		world.ledger = new MemoryLedger();
		world.node = `node-${++nodes}`;
		world.acknowledge = 'stored';
		world.isEarly = true;
	});
}

async function hold(id: string): Promise<Hold> {
	const answer = await claimOrWait(world.ledger, keyOf(id));
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	return { ledger: world.ledger, claims: [answer.claim] };
}

/** Not the turn itself: that would be waited for. */
export async function take(id: string, { most = 100, bytes = 1, createdAt = '' } = {}) {
	const record = { id, ...(createdAt !== '' && { createdAt }) };
	const member = { item: { record }, hold: await hold(id), bytes };
	const { acknowledge, isEarly, node } = world;
	const settling = { acknowledge, isEarly, retentionMs: RETENTION_MS };
	return { turn: takeTurn(node, member, most, settling) };
}

/** The execution that the turn starts. */
export async function runOf(turn: ReturnType<typeof takeTurn>) {
	const run = await turn;
	if (!run.start) throw new Error('The event went with another one');
	const ids = run.items.map(({ record }) => String(record['id']));
	return { ...run, ids };
}

export async function isOpen(turn: Promise<unknown>): Promise<boolean> {
	const open = Symbol('open');
	return (await Promise.race([turn, Promise.resolve(open)])) === open;
}

/** Besides the one of the session in the ledger. */
export const timersLeft = (): number => jest.getTimerCount() - 1;

/** The entry of the event in the ledger. */
export const stateOf = (id: string): string => world.ledger.stateOf(keyOf(id));

/** An execution begins with the events, and ends. */
export async function runs(ids: readonly string[], outcome?: Outcome): Promise<void> {
	const { acknowledge } = world;
	const run = ids.join();
	await world.ledger.begin(ids.map(keyOf), { run, acknowledge, retentionMs: RETENTION_MS });
	if (outcome !== undefined) await world.ledger.end(run, outcome);
}
