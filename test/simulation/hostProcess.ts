/**
 * A Node process: clocks, timers and randomness of the simulation, and the package loaded into it.
 *
 * Facts: the processes of a host share its clocks. `performance` starts with the process. n8n has its own listeners for
 * SIGTERM.
 */
import * as crypto from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Serve } from '../../lib/shared/thread';
import type { Owner, Task } from './clock';
import type { LoadPackage } from './package';
import type { World } from './world';

/** The host was started this long before the simulation. */
const UPTIME_MS = 1_000_000;

export class HostProcess implements Owner {
	isAlive = true;
	isEnding = false;
	held: Task[] | undefined;
	readonly name: string;
	readonly #world: World;
	readonly #command: string;
	readonly #startedAt: number;
	#nodes: ReturnType<LoadPackage> | undefined;
	readonly #events = new EventEmitter();

	/** `command` is n8n's: start, webhook, worker. */
	constructor(world: World, name: string, command: string) {
		this.#world = world;
		this.name = name;
		this.#command = command;
		this.#startedAt = world.clock.now;
		this.#events.on('SIGTERM', () => undefined);
		world.note({ what: 'process', process: name, is: 'up' });
	}

	/** The package is loaded when it is used: many a process dies before that. */
	get nodes(): ReturnType<LoadPackage> {
		return (this.#nodes ??= this.#load());
	}

	/** Never resolves if the process dies meanwhile. */
	async sleep(ms: number): Promise<void> {
		await new Promise<void>((resolve) => {
			this.after(ms, resolve);
		});
	}

	after(ms: number, run: () => void): Task {
		return this.#world.clock.after(ms, run, this);
	}

	kill(): void {
		if (!this.isAlive) return;
		this.isAlive = false;
		this.#world.note({ what: 'process', process: this.name, is: 'killed' });
		this.#world.storage.forget(this);
	}

	/** SIGTERM: n8n's own listeners let its executions end before `exit`. */
	terminate(): void {
		this.isEnding = true;
		this.#world.note({ what: 'process', process: this.name, is: 'ending' });
		this.#events.emit('SIGTERM');
	}

	exit(): void {
		if (!this.isAlive) return;
		// What it starts here takes effect only as far as it is synchronous.
		this.#events.emit('exit');
		this.isAlive = false;
		this.#world.note({ what: 'process', process: this.name, is: 'exited' });
		this.#world.storage.forget(this);
	}

	pause(): void {
		if (this.held !== undefined || !this.isAlive) return;
		this.#world.clock.pause(this);
		this.#world.note({ what: 'process', process: this.name, is: 'paused' });
	}

	resume(): void {
		if (this.held === undefined || !this.isAlive) return;
		this.#world.note({ what: 'process', process: this.name, is: 'resumed' });
		this.#world.clock.resume(this);
	}

	/**
	 * `lib/shared/thread.ts` in this process. Facts: requests and responses travel; the thread does one thing after the other, and
	 * each takes as long as its sync. Where syncs fail, it may also end when it has done its work: the response is lost.
	 */
	#threads() {
		const { random, disk } = this.#world;
		const travel = async () => {
			await this.sleep(random.whole('thread', 0, 2));
		};
		const isSyncing = async () => {
			await this.sleep(disk.syncingMs(this));
		};
		return class<Data, Request, Response> {
			#serve: ReturnType<Serve<Data, Request, Response>> | undefined;

			constructor(
				readonly options: { readonly serve: Serve<Data, Request, Response>; readonly data: Data },
			) {}

			async call(request: Request): Promise<Response> {
				await travel();
				const serve = (this.#serve ??= this.options.serve(this.options.data));
				const response = await serve(request);
				await isSyncing();
				if (random.chance('thread ends', disk.syncFailures / 10)) {
					this.#serve = undefined;
					throw new Error('A thread of the package ended');
				}
				await travel();
				return response;
			}

			async stop(): Promise<void> {
				this.#serve = undefined;
			}
		};
	}

	#load(): ReturnType<LoadPackage> {
		const { clock, random, disk, redis, env } = this.#world;
		const label = `process ${this.name}`;
		const startedAt = this.#startedAt;
		const timer = (ms: number | undefined, run: () => void, repeats: boolean) => {
			const handle = {
				task: undefined as Task | undefined,
				unref: () => handle,
				ref: () => handle,
			};
			const start = () => {
				handle.task = this.after(Math.max(1, ms ?? 1), () => {
					if (repeats) start();
					run();
				});
			};
			start();
			return handle;
		};
		const clear = (handle: { task?: Task } | undefined) => {
			if (handle?.task) handle.task.isCancelled = true;
		};
		const onEntry = (key: string, from: string, to: string) => {
			this.#world.entryChanged(this, key, from, to);
		};
		const onRecord = (key: string, text: string) => {
			this.#world.recordChanged(this, key, text);
		};
		const process = {
			...{ env, argv: ['node', 'n8n', this.#command], pid: 1, version: globalThis.process.version },
			...{ platform: 'linux', versions: globalThis.process.versions, cwd: () => '/' },
			...{
				emitWarning: () => undefined,
				nextTick: (run: () => void) => {
					globalThis.process.nextTick(run);
				},
			},
			on: this.#events.on.bind(this.#events),
			once: this.#events.once.bind(this.#events),
			off: this.#events.off.bind(this.#events),
			listenerCount: (name: string) => this.#events.listenerCount(name),
			hrtime: { bigint: () => BigInt(this.#world.uptimeMs() + UPTIME_MS) * 1_000_000n },
			getBuiltinModule: () => disk.sqliteFor(this, { onEntry, onRecord }),
		};
		const fileSystem = disk.fsFor(this);
		const modules: Record<string, unknown> = {
			'node:fs': {
				...fileSystem,
				readFileSync: (path: string, ...rest: []) =>
					path.endsWith('/boot_id') ? this.#world.boot : fileSystem.readFileSync(path, ...rest),
			},
			...(redis && { ioredis: redis.moduleFor(this, { onEntry, onRecord }) }),
			'node:os': { uptime: () => (this.#world.uptimeMs() + UPTIME_MS) / 1000 },
			'node:crypto': {
				...crypto,
				randomBytes: (size: number) => random.bytes(label, size),
				randomUUID: () => random.bytes(label, 16).toString('hex'),
			},
			'node:timers/promises': {
				setImmediate: () => this.sleep(0),
				setTimeout: (ms: number) => this.sleep(ms),
			},
			'simulation:thread': { Thread: this.#threads() },
		};
		const real = globalThis.Date;
		class SimulatedDate extends real {
			constructor(...given: [] | [number]) {
				if (given.length === 0) super(clock.now);
				else super(...given);
			}

			static override now(): number {
				return clock.now;
			}
		}
		return this.#world.loadPackage({
			require: (name: string) => modules[name] ?? externalOf(name),
			...{ module: undefined, exports: undefined, process, Date: SimulatedDate },
			Math: Object.assign(Object.create(Math) as Math, { random: () => random.next(label) }),
			performance: { now: () => clock.now - startedAt },
			setTimeout: (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
				timer(
					ms,
					() => {
						run(...given);
					},
					false,
				),
			setInterval: (run: () => void, ms?: number) => timer(ms, run, true),
			setImmediate: (run: () => void) => timer(0, run, false),
			...{ clearTimeout: clear, clearInterval: clear },
			__dirname: '/package',
		});
	}
}

/** The network is simulated where n8n's helper would send a request, so nothing needs these. */
const unused = () => Object.assign(function () {}, { default: function () {} });

function externalOf(name: string): unknown {
	if (/^(undici|ioredis)/.test(name)) return unused();
	// Of a module that is imported, bundled code copies all that is the module's own, in each file.
	// eslint-disable-next-line @typescript-eslint/no-require-imports
	return Object.create(require(name) as object) as unknown;
}
