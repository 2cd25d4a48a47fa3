/** Moves what the write-ahead log holds into the SQLite file, in a thread of its own: it syncs both to the disk. */
import { Worker } from 'node:worker_threads';
import { SCHEMA_VERSION } from './schema';

/** The program of the thread, as text so that it needs no file beside the one that is loaded. */
const PROGRAM = `
const { workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(workerData.path);
db.exec('PRAGMA busy_timeout = 1000');
db.exec('PRAGMA synchronous = NORMAL');
db.exec('PRAGMA fullfsync = ON');
const checkpoint = (mode) => db.prepare('PRAGMA wal_checkpoint(' + mode + ')').get();
checkpoint('PASSIVE');
// Writers wait for this one, so it is left with what came in during the first.
if (checkpoint('RESTART').busy === 0) {
	// The first write after it starts the log anew and syncs its head: done here, it is not done in n8n's main thread.
	db.exec('PRAGMA user_version = ' + workerData.version);
}
db.close();`;

/** Resolves when the thread has ended, whatever came of it: what is left is moved along with the next one. */
export async function checkpoint(path: string): Promise<void> {
	await new Promise<void>((resolve) => {
		const worker = new Worker(PROGRAM, {
			eval: true,
			workerData: { path, version: SCHEMA_VERSION },
			execArgv: [],
			env: {},
			// Node's notice that its SQLite is experimental stands in n8n's log once already.
			stderr: true,
		});
		// It must not keep n8n alive; a checkpoint that is cut off harms nothing.
		worker.unref();
		worker.once('error', () => {
			resolve();
		});
		worker.once('exit', () => {
			resolve();
		});
	});
}
