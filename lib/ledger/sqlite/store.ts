/** The store of the ledger in an SQLite file, shared by the processes of one host, with nothing to set up. A thread works on the file. */
import { join } from 'node:path';
import { jittered, sleep } from '../../shared/pace';
import { Thread } from '../../shared/thread';
import {
	LedgerUnavailableError,
	SESSION_MS,
	type Swap,
	type Swapped,
	type Vital,
} from '../common/store';
import { TextStore } from '../texts/textStore';
import { LedgerDatabase, loadSqlite } from './database';
import { sqliteUnavailableError } from './files';
import { type HostClock, hostClock } from './hostClock';
import {
	type LedgerFileOptions,
	type LedgerRequest,
	type LedgerResponse,
	type LedgerValue,
	served,
} from './ledgerFile';

/** `openDatabase` is only used where there is no thread. */
interface SqliteStoreOptions extends Omit<LedgerFileOptions, 'clock'> {
	/** Default: the clocks of the host. */
	readonly clock?: HostClock;
	/** Called if the file or its log was deleted or replaced while it was open. */
	readonly onReplaced?: (() => void) | undefined;
}

const THREAD_ENDED =
	'The event ledger is not available. Its thread has ended and is started again: if this continues, look for the cause in the log, such as too little memory.';
/** How long what finds the file locked is tried again: since another process has last written, and in all. */
const BUSY_MS = 250;
const LONGEST_BUSY_MS = 5_000;
const BUSY_PAUSE_MS = 3;
/**
 * Where another process writes as well, each lets the others have the lock after its own write: one that always has it does not
 * notice who waits, and a sync takes long. Each process renews its session more often than this.
 */
const POLITE_MS = SESSION_MS / 2;
const POLITE_PAUSE_MS = 3 * BUSY_PAUSE_MS;

interface WaitingRequest {
	readonly request: LedgerRequest;
	readonly resolve: (value: LedgerValue) => void;
	readonly reject: (error: LedgerUnavailableError) => void;
	/** Since when it has found the file locked. */
	busySince?: number;
}

export class SqliteStore extends TextStore {
	readonly #path: string;
	readonly #clock: HostClock;
	readonly #onReplaced: () => void;
	readonly #thread: Thread<string, readonly LedgerRequest[], LedgerResponse>;
	/** What has come while the thread works: its next transaction. */
	#waiting: WaitingRequest[] = [];
	/** When another process was last seen to write. */
	#othersWroteAt = -Infinity;
	#isSending = false;
	#isUsed = false;
	/** What has found the file locked, until it is tried again. */
	#busy: WaitingRequest[] = [];

	constructor({ path, clock = hostClock(), openDatabase, onReplaced }: SqliteStoreOptions) {
		super();
		this.#path = path;
		this.#clock = clock;
		this.#onReplaced = onReplaced ?? (() => undefined);
		this.#thread = new Thread({
			module: join(__dirname, 'ledgerFile'),
			serve: () => served({ path, clock, openDatabase }),
			data: path,
		});
	}

	async renewSession(session: string): Promise<boolean> {
		return (await this.#ask({ op: 'renew', session })) === true;
	}

	/** On the calling thread, before it returns: at its exit, a process waits for nothing. */
	async closeSession(name: string): Promise<void> {
		const { boot, monotonic } = this.#clock;
		try {
			const database = new LedgerDatabase(this.#path, loadSqlite(), BUSY_MS);
			try {
				database.statements.writeSession.run({ name, boot, renewed: monotonic(), closed: 1 });
			} finally {
				database.close();
			}
		} catch (error) {
			throw sqliteUnavailableError(this.#path, error);
		}
	}

	async close(): Promise<void> {
		if (!this.#isUsed) return;
		await this.#ask({ op: 'close' }).catch(() => undefined);
		this.#isUsed = false;
		await this.#thread.stop();
	}

	protected now(): number {
		return this.#clock.now();
	}

	protected async read(key: string): Promise<string | undefined> {
		return (await this.#ask({ op: 'read', key })) as string | undefined;
	}

	protected async swap(swap: Swap): Promise<Swapped> {
		return (await this.#ask({ op: 'swap', ...swap })) as Swapped;
	}

	protected async vitalOf(session: string): Promise<Vital> {
		return (await this.#ask({ op: 'vitalOf', session })) as Vital;
	}

	/** Only `LedgerFile` responds: it gives each request what belongs to it. */
	async #ask(request: LedgerRequest): Promise<LedgerValue> {
		return await new Promise((resolve, reject) => {
			this.#waiting.push({ request, resolve, reject });
			if (!this.#isSending) void this.#send();
		});
	}

	async #send(): Promise<void> {
		[this.#isSending, this.#isUsed] = [true, true];
		// What the same moment asks for goes together.
		await Promise.resolve();
		while (this.#waiting.length > 0) {
			const sent = this.#waiting;
			this.#waiting = [];
			try {
				const requests = sent.map(({ request }) => request);
				const response = await this.#thread.call(requests);
				if (response.isReplaced) this.#onReplaced();
				if (response.haveOthersWritten) this.#othersWroteAt = performance.now();
				for (const [n, each] of sent.entries()) this.#settle(each, response.results[n]);
				if (response.hasWritten && performance.now() - this.#othersWroteAt < POLITE_MS)
					await sleep(jittered(POLITE_PAUSE_MS));
			} catch (error) {
				const unavailable = new LedgerUnavailableError(THREAD_ENDED, { cause: error });
				for (const { reject } of sent) reject(unavailable);
			}
		}
		// At once: what is asked for from now on has to be sent.
		this.#isSending = false;
	}

	#settle(waiting: WaitingRequest, result: LedgerResponse['results'][number] | undefined): void {
		if (result === undefined) throw new TypeError('The file responds to each request');
		if ('value' in result) {
			waiting.resolve(result.value);
			return;
		}
		const now = performance.now();
		const since = (waiting.busySince ??= now);
		const isOver =
			now - Math.max(since, this.#othersWroteAt) >= BUSY_MS || now - since >= LONGEST_BUSY_MS;
		if (!result.isBusy || isOver) {
			waiting.reject(new LedgerUnavailableError(result.error));
			return;
		}
		this.#busy.push(waiting);
		if (this.#busy.length > 1) return;
		setTimeout(() => {
			this.#waiting.push(...this.#busy.splice(0));
			if (!this.#isSending) void this.#send();
		}, jittered(BUSY_PAUSE_MS));
	}
}
