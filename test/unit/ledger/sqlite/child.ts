/** A process of its own on a ledger file, told what to do by messages: another n8n process, or one that misbehaves. */
import { DatabaseSync } from 'node:sqlite';
import { type Claim, claimOrWait, ledgerKey } from '../../../../lib/ledger';
import { SqliteLedger } from '../../../../lib/ledger/sqlite';

export type Order =
	/** Claims so many events, beginning with number 0; answers the numbers of those that it won. */
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
	/** Locks the file against writers for so long, holding up its own event loop as a careless program does. */
	| { readonly order: 'lock'; readonly ms: number };

const path = process.argv[2];
if (path === undefined) throw new Error('The path of the ledger file is missing');
const ledger = new SqliteLedger({ path });

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
		const { leaseMs } = order;
		const answer = await claimOrWait(ledger, ledgerKey('workflow', order.event), { leaseMs });
		return answer.outcome;
	}
	const db = new DatabaseSync(path ?? '');
	db.exec('BEGIN IMMEDIATE');
	process.send?.('locked');
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.ms);
	db.exec('COMMIT');
	db.close();
	return 'unlocked';
}

process.on('message', (order: Order) => {
	void obey(order).then(
		(answer) => process.send?.(answer),
		(error: unknown) => process.send?.({ error: String(error) }),
	);
});
process.send?.('ready');
