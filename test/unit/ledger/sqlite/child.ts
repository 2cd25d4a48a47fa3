/** A separate process on a ledger file, controlled by messages: another n8n process, or one that misbehaves. */
import { DatabaseSync } from 'node:sqlite';
import { type Claim, claimOrWait, ledgerKey } from '../../../../lib/ledger';
import { Leases } from '../../../../lib/ledger/leases';
import { SqliteLedger } from '../../../../lib/ledger/sqlite';

export type Order =
	/** Claims this many events, starting with number 0; returns the numbers of those that it won. */
	| { readonly order: 'claimAll'; readonly events: number }
	/** Claims one event for so long, and commits it when told. Answers the state. */
	| {
			readonly order: 'claim';
			readonly event: string;
			readonly leaseMs: number;
			readonly commit?: boolean;
	  }
	/** Holds the claim and renews it until the process ends. */
	| { readonly order: 'hold'; readonly event: string; readonly leaseMs: number }
	/** Claims, commits and begins this many of its own events, ten at a time. */
	| { readonly order: 'write'; readonly name: string; readonly events: number }
	/** Locks the file against writers until it is told to unlock it. */
	| { readonly order: 'lock' | 'unlock' };

const path = process.argv[2];
if (path === undefined) throw new Error('The path of the ledger file is missing');
const ledger = new SqliteLedger({ path });
let locker: DatabaseSync | undefined;

async function obey(order: Order): Promise<unknown> {
	if (order.order === 'claimAll') {
		const won: Claim[] = [];
		const events: number[] = [];
		for (let n = 0; n < order.events; n++) {
			const answer = await ledger.claim(ledgerKey('workflow', String(n)), 60_000);
			if (answer.state !== 'claimed') continue;
			won.push(answer.claim);
			events.push(n);
		}
		for (const claim of won) await ledger.commit(claim, 60_000);
		return events;
	}
	if (order.order === 'claim') {
		const answer = await ledger.claim(ledgerKey('workflow', order.event), order.leaseMs);
		if (order.commit && answer.state === 'claimed') await ledger.commit(answer.claim, 60_000);
		return answer.state;
	}
	if (order.order === 'hold') {
		const answer = await claimOrWait(ledger, ledgerKey('workflow', order.event), {
			leases: new Leases(order.leaseMs),
		});
		return answer.outcome;
	}
	if (order.order === 'write') {
		let next = 0;
		const writeOn = async () => {
			while (next < order.events) await writeOne(`${order.name} ${next++}`);
		};
		await Promise.all(Array.from({ length: 10 }, writeOn));
		return next;
	}
	if (order.order === 'lock') {
		locker = new DatabaseSync(path ?? '');
		locker.exec('BEGIN IMMEDIATE');
		return 'locked';
	}
	locker?.exec('COMMIT');
	locker?.close();
	return 'unlocked';
}

async function writeOne(event: string): Promise<void> {
	const key = ledgerKey('workflow', event);
	const answer = await ledger.claim(key, 60_000);
	if (answer.state !== 'claimed') throw new Error(`${event} is ${answer.state}`);
	if (!(await ledger.commit(answer.claim, 60_000))) throw new Error(`${event} was lost`);
	const [goesOn] = await ledger.begin([key], event, 60_000);
	if (!goesOn) throw new Error(`${event} has begun before`);
}

process.on('message', (order: Order) => {
	void obey(order).then(
		(answer) => process.send?.(answer),
		(error: unknown) => process.send?.({ error: String(error) }),
	);
});
process.send?.('ready');
