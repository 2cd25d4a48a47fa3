/** What the scripts of the ledger do on a Redis, in memory, for a `ScriptedRedis`. */
import { SCRIPTS } from '../../../../lib/ledger/redis/scripts';

export class MemoryRedis {
	readonly texts = new Map<string, string>();

	/** The response to EVALSHA with these arguments. */
	evalsha([sha, , key = '', , ...args]: readonly string[]): string {
		if (sha === SCRIPTS.read.sha) return this.#text(key);
		if (sha === SCRIPTS.swap.sha) return this.#swap(key, args);
		if (sha !== SCRIPTS.setSession.sha) return '-NOSCRIPT No matching script';
		const before = this.#text(key);
		this.texts.set(key, args[0] ?? '');
		return before;
	}

	#text(key: string): string {
		const text = this.texts.get(key);
		return text === undefined ? '$-1' : `$${text.length}\r\n${text}`;
	}

	#swap(key: string, [isExpected, expected, isNext, next = '']: readonly string[]): string {
		const wanted = isNext === '1' ? next : undefined;
		const text = this.texts.get(key);
		if (text === wanted) return ':1';
		if (text !== (isExpected === '1' ? expected : undefined)) return this.#text(key);
		if (wanted === undefined) this.texts.delete(key);
		else this.texts.set(key, wanted);
		return ':1';
	}
}
