/** A separate process on a ledger file, controlled by messages: another n8n process, or one that misbehaves. */
import { DatabaseSync } from 'node:sqlite';
import {
	type Claim,
	type Ledger,
	ledgerKey,
	LedgerUnavailableError,
	openLedger,
} from '../../../../lib/ledger';
import { sleep } from '../../../../lib/shared/pace';
import { BEGINNING, claimed, commit, RETENTION_MS } from './world';

export type Order =
	/** Claims this many events, starting with number 0, and commits them; returns the numbers of those that it won. */
	| { readonly order: 'claimAll'; readonly events: number }
	/** Claims one event; returns the state. */
	| { readonly order: 'claim'; readonly event: string }
	/** Begins one event, and holds it until the process ends. */
	| { readonly order: 'begin'; readonly event: string }
	/** Claims and commits one event. */
	| { readonly order: 'commit'; readonly event: string }
	/** Claims, commits, begins and ends this many of its own events, ten at a time. */
	| { readonly order: 'write'; readonly name: string; readonly events: number }
	/** Closes the ledger. */
	| { readonly order: 'close' }
	/** Ends the process in order. */
	| { readonly order: 'exit' }
	/** Writes this many times, each time with the lock for 100 ms, and without a pause in between. */
	| { readonly order: 'hog'; readonly writes: number }
	/** Locks the file against writers until it is told to unlock it. */
	| { readonly order: 'lock' | 'unlock' };

const path = process.argv[2];
if (path === undefined) throw new Error('The path of the ledger file is missing');
let locker: DatabaseSync | undefined;

async function obey(ledger: Ledger, order: Order): Promise<unknown> {
	if (order.order === 'claimAll') {
		const won: Claim[] = [];
		const events: number[] = [];
		for (let n = 0; n < order.events; n++) {
			const answer = await patiently(() => ledger.claim(ledgerKey('workflow', String(n))));
			if (answer.state !== 'claimed') continue;
			won.push(answer.claim);
			events.push(n);
		}
		await patiently(() => ledger.commit(won, RETENTION_MS));
		return events;
	}
	if (order.order === 'claim')
		return (await ledger.claim(ledgerKey('workflow', order.event))).state;
	if (order.order === 'begin') {
		return await ledger.begin([ledgerKey('workflow', order.event)], BEGINNING);
	}
	if (order.order === 'commit') {
		await commit(ledger, ledgerKey('workflow', order.event));
		return 'committed';
	}
	if (order.order === 'write') {
		let next = 0;
		const writeOn = async () => {
			while (next < order.events) await writeOne(ledger, `${order.name} ${next++}`);
		};
		await Promise.all(Array.from({ length: 10 }, writeOn));
		return next;
	}
	if (order.order === 'close') {
		await ledger.close();
		return 'closed';
	}
	if (order.order === 'exit') {
		setImmediate(() => process.exit(0));
		return 'exiting';
	}
	if (order.order === 'hog') {
		setImmediate(hog, order.writes);
		return 'begun';
	}
	if (order.order === 'lock') {
		locker = new DatabaseSync(path ?? '');
		locker.exec('PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE');
		return 'locked';
	}
	locker?.exec('COMMIT');
	locker?.close();
	return 'unlocked';
}

function hog(writes: number): void {
	const database = new DatabaseSync(path ?? '');
	database.exec('PRAGMA busy_timeout = 10000');
	for (let n = 0; n < writes; n++) {
		database.exec('BEGIN IMMEDIATE; UPDATE clock SET wall = wall + 1');
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
		database.exec('COMMIT');
	}
	database.close();
}

async function writeOne(ledger: Ledger, event: string): Promise<void> {
	const key = ledgerKey('workflow', event);
	const claim = await patiently(() => claimed(ledger, key));
	await patiently(() => ledger.commit([claim], RETENTION_MS));
	const [continues] = await patiently(() => ledger.begin([key], { ...BEGINNING, run: event }));
	if (!continues) throw new Error(`${event} has begun before`);
	await patiently(() => ledger.end(event, 'succeeded'));
}

/** Tries again what is refused since another process has the lock: on a busy machine, that one may be without a core for 250 ms. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await work();
		} catch (error) {
			if (!(error instanceof LedgerUnavailableError)) throw error;
			await sleep(20);
		}
	}
}

process.on('message', (order: Order) => {
	const env = { ASSET_SERVICE_LEDGER_SQLITE_PATH: path };
	void openLedger({ env, command: 'start', log: () => undefined })
		.then((ledger) => obey(ledger, order))
		.then(
			(answer) => process.send?.(answer),
			(error: unknown) => process.send?.({ error: String(error) }),
		);
});
process.send?.('ready');
