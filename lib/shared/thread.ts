/**
 * Work in a thread of its own, so that it never holds up n8n: requests go in, responses come back.
 *
 *     none ──call──▶ running ──ends, with or without an error──▶ none: what waits is rejected
 *
 * The thread runs a compiled module of the package. Where there is none (in tests, which run the sources, and in the simulation), the
 * same functions run inline.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PackageError } from './errors';

/** What a module exports as `serve` to be run in a thread: called once per thread, with its data. What goes in and out is cloned. */
export type Serve<Data, Request, Response> = (
	data: Data,
) => (request: Request) => Response | Promise<Response>;

interface ThreadOptions<Data, Request, Response> {
	/** The module with `serve`, without its extension: `join(__dirname, 'name')`. */
	readonly module: string;
	readonly serve: Serve<Data, Request, Response>;
	readonly data: Data;
	/** Milliseconds of a clock that nobody sets. */
	readonly clock?: () => number;
}

/** The thread has ended, or could not be started. */
export class ThreadEndedError extends PackageError {}

/** The messages between `Thread` and `threadEntry.ts`. */
export interface ThreadData {
	readonly file: string;
	readonly data: unknown;
}
export interface ThreadRequest {
	readonly id: number;
	readonly request: unknown;
}
export type ThreadResponse =
	| { readonly id: number; readonly response: unknown }
	| { readonly id: number; readonly error: unknown };

const ENTRY = join(__dirname, 'threadEntry.js');
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

export class Thread<Data, Request, Response> {
	readonly #options: ThreadOptions<Data, Request, Response>;
	readonly #clock: () => number;
	/** The compiled module; undefined where there is none. */
	readonly #file: string | undefined;
	readonly #waiting = new Map<number, PromiseWithResolvers<Response>>();
	#inline: ReturnType<Serve<Data, Request, Response>> | undefined;
	#worker: Worker | undefined;
	#ids = 0;
	/** How long a thread that ended before it had responded is not started again, in milliseconds. */
	#pauseMs = 0;
	#startAt = -Infinity;

	constructor(options: ThreadOptions<Data, Request, Response>) {
		this.#options = options;
		const file = `${options.module}.js`;
		this.#file = existsSync(file) ? file : undefined;
		this.#clock = options.clock ?? (() => performance.now());
	}

	/**
	 * Rejects with the error that `serve` has thrown, as a plain one with its message, and with `ThreadEndedError` if the thread ends
	 * first, or ended a moment ago: the pause until it is started again grows up to 10 s.
	 */
	async call(request: Request): Promise<Response> {
		const { serve, data } = this.#options;
		if (this.#file === undefined) {
			this.#inline ??= serve(data);
			return await this.#inline(request);
		}
		const worker = (this.#worker ??= this.#start(this.#file));
		const id = ++this.#ids;
		const waiting = Promise.withResolvers<Response>();
		const message: ThreadRequest = { id, request };
		worker.postMessage(message);
		// While somebody waits, the process lives.
		if (this.#waiting.size === 0) worker.ref();
		this.#waiting.set(id, waiting);
		return await waiting.promise;
	}

	/** Ends the thread, whatever it is doing: what waits is rejected. A later call starts another one. */
	async stop(): Promise<void> {
		this.#inline = undefined;
		const worker = this.#worker;
		this.#end(new ThreadEndedError('The thread was stopped'));
		await worker?.terminate();
	}

	#start(file: string): Worker {
		if (this.#clock() < this.#startAt) {
			throw new ThreadEndedError('A thread of the package keeps ending and is started again soon');
		}
		const workerData: ThreadData = { file, data: this.#options.data };
		const worker = new Worker(ENTRY, {
			workerData,
			// Node's notices about experimental features would be in n8n's log. Where they are only not read, Node 22.16 does not end by itself.
			execArgv: ['--disable-warning=ExperimentalWarning'],
			env: {},
		});
		worker.unref();
		worker.on('message', (message: ThreadResponse) => {
			this.#settle(worker, message);
		});
		// Without a listener, an error would end n8n. A thread can also end without one.
		worker.once('error', (cause: unknown) => {
			this.#ended(worker, cause);
		});
		worker.once('messageerror', (cause) => {
			this.#ended(worker, cause);
		});
		worker.once('exit', () => {
			this.#ended(worker);
		});
		return worker;
	}

	#settle(worker: Worker, message: ThreadResponse): void {
		if (worker !== this.#worker) return;
		this.#pauseMs = 0;
		const waiting = this.#waiting.get(message.id);
		this.#waiting.delete(message.id);
		if (this.#waiting.size === 0) worker.unref();
		if ('error' in message) waiting?.reject(message.error);
		// Only its own `serve` responds.
		else waiting?.resolve(message.response as Response);
	}

	#ended(worker: Worker, cause?: unknown): void {
		if (worker !== this.#worker) return;
		this.#startAt = this.#clock() + this.#pauseMs;
		this.#pauseMs = Math.min(Math.max(2 * this.#pauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
		this.#end(new ThreadEndedError('A thread of the package ended', { cause }));
		// After a message that could not be read it still runs.
		void worker.terminate();
	}

	#end(error: ThreadEndedError): void {
		this.#worker = undefined;
		const waiting = [...this.#waiting.values()];
		this.#waiting.clear();
		for (const { reject } of waiting) reject(error);
	}
}
