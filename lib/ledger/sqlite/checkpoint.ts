/** Moves the contents of the write-ahead log into the SQLite file, in a separate thread, because it syncs both to disk. */
import { Worker } from 'node:worker_threads';
import { SCHEMA_VERSION } from './schema';

/**
 * The program of the thread, as text so that it needs no file of its own.
 *
 * The log restarts with the first write that finds all of it moved, and that write syncs the head of the log. It has to
 * be a write made here, or it would block n8n's main thread. So most of the log is moved while others write, and the
 * rest while the gate is shut for this process. If that is not enough, RESTART makes other processes wait. It ends if
 * the log is deleted or replaced: it has the old one open.
 */
const PROGRAM = `
const { closeSync, fstatSync, openSync, readSync } = require('node:fs');
const { DatabaseSync } = require('node:sqlite');
const { path, version, gate } = require('node:worker_threads').workerData;
const db = new DatabaseSync(path);
db.exec('PRAGMA busy_timeout = 1000');
db.exec('PRAGMA synchronous = NORMAL');
db.exec('PRAGMA fullfsync = ON');
function readHead() {
	const head = Buffer.alloc(32);
	const log = openSync(path + '-wal', 'r');
	readSync(log, head, 0, head.length, 0);
	const { ino } = fstatSync(log);
	closeSync(log);
	return ino + head.toString('hex');
}
const old = readHead();
for (let attempt = 0; attempt < 20 && old === readHead(); attempt++) {
	if (attempt > 0) Atomics.store(gate, 0, 1);
	const mode = attempt < 5 ? 'PASSIVE' : 'RESTART';
	const { busy, log, checkpointed } = db.prepare('PRAGMA wal_checkpoint(' + mode + ')').get();
	if (attempt > 0 && busy === 0 && log === checkpointed) db.exec('PRAGMA user_version = ' + version);
}
Atomics.store(gate, 0, 0);
db.close();`;

/** Coordinates a checkpoint with the writers of its process: while it is shut, none of them begins a write. */
export class Gate {
	readonly shared = new Int32Array(new SharedArrayBuffer(4));

	isShut(): boolean {
		return Atomics.load(this.shared, 0) !== 0;
	}

	open(): void {
		Atomics.store(this.shared, 0, 0);
	}
}

/**
 * Resolves when the thread has ended, even if it failed: the next checkpoint moves the rest.
 * The gate is shut for a moment near the end, and open afterwards.
 */
export async function checkpoint(path: string, gate = new Gate()): Promise<void> {
	await new Promise<void>((resolve) => {
		const worker = new Worker(PROGRAM, {
			eval: true,
			workerData: { path, version: SCHEMA_VERSION, gate: gate.shared },
			execArgv: [],
			env: {},
			// Keeps Node 22's notice that its SQLite is experimental out of n8n's log.
			stderr: true,
		});
		// 'exit' follows. Without a listener, the error would end n8n.
		worker.once('error', () => undefined);
		worker.once('exit', () => {
			resolve();
		});
	});
	gate.open();
}

/** Syncs a file for all waiting callers at once, so that a burst of commits costs one sync. */
export class GroupSync {
	readonly #sync: () => Promise<void>;
	#running: Promise<void> = Promise.resolve();
	#next: Promise<void> | undefined;

	/** `sync` writes the file to disk; it never runs twice at the same time. */
	constructor(sync: () => Promise<void>) {
		this.#sync = sync;
	}

	/** Resolves when all writes before this call are on disk; rejects if the sync fails. */
	async reached(): Promise<void> {
		// The current sync may have begun before the write: the next one serves all callers until it begins.
		this.#next ??= this.#running
			.catch(() => undefined)
			.then(() => {
				this.#next = undefined;
				this.#running = this.#sync();
				return this.#running;
			});
		await this.#next;
	}

	/** Resolves when no caller waits any more, whatever the result. */
	async idle(): Promise<void> {
		await (this.#next ?? this.#running).catch(() => undefined);
	}
}
