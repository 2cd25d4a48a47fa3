/** A store over texts: reads one, swaps one that is still what was read, and knows sessions. Everything else is the same for each of them. */
import {
	type ChangeOptions,
	RECORD,
	type Store,
	type Swap,
	type Swapped,
	type Update,
	type Vital,
} from '../common/store';
import { holderOf } from '../life/entry';

export abstract class TextStore implements Store {
	/** Unix milliseconds on the clock of the store. */
	protected abstract now(): number;
	protected abstract read(key: string): Promise<string | undefined>;
	protected abstract swap(swap: Swap): Promise<Swapped>;
	protected abstract vitalOf(session: string): Promise<Vital>;
	abstract renewSession(session: string): Promise<boolean>;
	abstract closeSession(session: string): Promise<void>;
	abstract close(): Promise<void>;

	async change<K extends { readonly key: string }, R>(
		keys: readonly K[],
		update: Update<K, R>,
		options: ChangeOptions,
	): Promise<R[]> {
		const changes = keys.map((key, n) => this.#changeOne(key, n, update, options));
		await Promise.allSettled(changes);
		return await Promise.all(changes);
	}

	async readRecord(key: string): Promise<string | undefined> {
		return await this.read(RECORD + key);
	}

	async swapRecord(...[key, ...texts]: Parameters<Store['swapRecord']>): Promise<boolean> {
		const [expected, next, keepMs] = texts;
		const swap = { key: RECORD + key, expected, next, keepMs, isDurable: true };
		return (await this.swap(swap)) === true;
	}

	async #changeOne<K extends { readonly key: string }, R>(
		key: K,
		n: number,
		update: Update<K, R>,
		{ guess, keepMs, isDurable, session, isDead }: ChangeOptions,
	): Promise<R> {
		let isGuess = guess !== undefined;
		let seen = isGuess ? guess?.[n] : await this.read(key.key);
		for (;;) {
			const holder = seen === undefined ? undefined : holderOf(seen);
			const isHolderDead =
				holder !== undefined && holder !== session && isDead(await this.vitalOf(holder));
			const { result, text } = update({ text: seen, now: this.now(), isHolderDead }, key);
			if (text !== undefined) {
				const next = text ?? undefined;
				const swapped = await this.swap({ key: key.key, expected: seen, next, keepMs, isDurable });
				if (swapped === true) return result;
				seen = swapped;
			} else if (isGuess) {
				seen = await this.read(key.key);
			} else {
				return result;
			}
			isGuess = false;
		}
	}
}
