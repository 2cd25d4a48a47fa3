/** The store of the ledger on Redis, shared by any number of processes on any number of hosts. */
import { contentOf, type Format, numbered } from '../common/format';
import {
	type ChangeOptions,
	CLOSED_MS,
	SESSION_MS,
	type Store,
	type Update,
	type Vital,
} from '../common/store';
import { holderOf } from '../life/entry';
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

export class RedisStore implements Store {
	readonly #connection: RedisConnection;
	readonly #keyPrefix: string;

	constructor({ settings, warn = () => undefined }: RedisStoreOptions) {
		this.#connection = new RedisConnection(settings, warn);
		this.#keyPrefix = settings.keyPrefix;
	}

	/** Rejects only when all calls have ended, so that none can change anything afterwards. */
	async change<K extends { readonly key: string }, R>(
		keys: readonly K[],
		update: Update<K, R>,
		options: ChangeOptions,
	): Promise<R[]> {
		const changes = keys.map((key, n) => this.#changeOne(key, n, update, options));
		await Promise.allSettled(changes);
		return await Promise.all(changes);
	}

	async renewSession(name: string): Promise<boolean> {
		return (await this.#setSession(name, ALIVE, SESSION_MS)) === ALIVE;
	}

	async closeSession(name: string): Promise<void> {
		await this.#setSession(name, CLOSED, CLOSED_MS);
	}

	async readRecord(key: string): Promise<string | undefined> {
		return await this.#read(`record:${key}`);
	}

	async swapRecord(
		key: string,
		expected: string | undefined,
		next: string | undefined,
		keepMs = 0,
	): Promise<boolean> {
		return (await this.#swap(`record:${key}`, expected, next, keepMs)) === true;
	}

	async close(): Promise<void> {
		this.#connection.close();
	}

	async #changeOne<K extends { readonly key: string }, R>(
		key: K,
		n: number,
		update: Update<K, R>,
		{ guess, keepMs, session, isDead }: ChangeOptions,
	): Promise<R> {
		let isGuess = guess !== undefined;
		let seen = isGuess ? guess?.[n] : await this.#read(key.key);
		for (;;) {
			const holder = seen === undefined ? undefined : holderOf(seen);
			const isHolderDead =
				holder !== undefined && holder !== session && isDead(await this.#vitalOf(holder));
			const now = this.#connection.now();
			const { result, text } = update({ text: seen, now, isHolderDead }, key);
			if (text !== undefined) {
				const swapped = await this.#swap(key.key, seen, text ?? undefined, keepMs);
				if (swapped === true) return result;
				seen = swapped;
			} else if (isGuess) {
				seen = await this.#read(key.key);
			} else {
				return result;
			}
			isGuess = false;
		}
	}

	async #vitalOf(session: string): Promise<Vital> {
		const condition = await this.#read(`session:${session}`);
		if (condition === undefined) return 'gone';
		contentOf(SESSION, condition);
		return condition === CLOSED ? 'closed' : 'alive';
	}

	async #read(key: string): Promise<string | undefined> {
		const text = await this.#run(SCRIPTS.read, key, []);
		return typeof text === 'string' ? text : undefined;
	}

	/** True, or the text that it is. */
	async #swap(
		key: string,
		expected: string | undefined,
		next: string | undefined,
		keepMs: number,
	): Promise<true | string | undefined> {
		const texts = [expected, next].flatMap((text) =>
			text === undefined ? ['0', ''] : ['1', text],
		);
		const result = await this.#run(SCRIPTS.swap, key, [...texts, Math.ceil(keepMs)]);
		if (result === 1) return true;
		return typeof result === 'string' ? result : undefined;
	}

	async #setSession(name: string, condition: string, keepMs: number): Promise<unknown> {
		return await this.#run(SCRIPTS.setSession, `session:${name}`, [condition, keepMs]);
	}

	async #run(script: Call['script'], key: string, args: Call['args']): Promise<unknown> {
		return await this.#connection.run({ script, key: this.#keyPrefix + key, args });
	}
}
