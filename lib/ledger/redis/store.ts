/** The store of the ledger on Redis, shared by any number of processes on any number of hosts. */
import { contentOf, type Format, numbered } from '../common/format';
import { CLOSED_MS, SESSION_MS, type Swap, type Swapped, type Vital } from '../common/store';
import { TextStore } from '../texts/textStore';
import { RedisConnection } from './connection';
import { type Call, SCRIPTS } from './scripts';
import type { RedisSettings } from './settings';

const SESSION: Format = { what: 'the session of an n8n process', number: 1 };
const ALIVE = numbered(SESSION, 'alive');
const CLOSED = numbered(SESSION, 'closed');

interface RedisStoreOptions {
	readonly settings: RedisSettings;
	/** Called if the setup of Redis breaks the ledger's guarantee. */
	readonly warn?: ((message: string) => void) | undefined;
}

export class RedisStore extends TextStore {
	readonly #connection: RedisConnection;
	readonly #keyPrefix: string;

	constructor({ settings, warn = () => undefined }: RedisStoreOptions) {
		super();
		this.#connection = new RedisConnection(settings, warn);
		this.#keyPrefix = settings.keyPrefix;
	}

	async renewSession(name: string): Promise<boolean> {
		return (await this.#setSession(name, ALIVE, SESSION_MS)) === ALIVE;
	}

	async closeSession(name: string): Promise<void> {
		await this.#setSession(name, CLOSED, CLOSED_MS);
	}

	async close(): Promise<void> {
		this.#connection.close();
	}

	protected now(): number {
		return this.#connection.now();
	}

	protected async read(key: string): Promise<string | undefined> {
		const text = await this.#run(SCRIPTS.read, key, []);
		return typeof text === 'string' ? text : undefined;
	}

	protected async swap({ key, expected, next, keepMs = 0 }: Swap): Promise<Swapped> {
		const texts = [expected, next].flatMap((text) =>
			text === undefined ? ['0', ''] : ['1', text],
		);
		const result = await this.#run(SCRIPTS.swap, key, [...texts, Math.ceil(keepMs)]);
		if (result === 1) return true;
		return typeof result === 'string' ? result : undefined;
	}

	protected async vitalOf(session: string): Promise<Vital> {
		const condition = await this.read(`session:${session}`);
		if (condition === undefined) return 'gone';
		contentOf(SESSION, condition);
		return condition === CLOSED ? 'closed' : 'alive';
	}

	async #setSession(name: string, condition: string, keepMs: number): Promise<unknown> {
		return await this.#run(SCRIPTS.setSession, `session:${name}`, [condition, keepMs]);
	}

	async #run(script: Call['script'], key: string, args: Call['args']): Promise<unknown> {
		return await this.#connection.run({ script, key: this.#keyPrefix + key, args });
	}
}
