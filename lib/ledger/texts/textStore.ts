/** A store over texts: reads one, swaps one that is still what was read, and knows sessions. Everything else is the same for each of them. */
import { RECORD, type Records, type Swap, type Swapped, type Vital } from '../common/store';
import { holderOf } from '../life/entry';

/** An entry as it is read, for a step. */
interface Seen {
	readonly text: string | undefined;
	/** Unix milliseconds on the clock of the store. */
	readonly now: number;
	/** Whether the holder in the text is dead. */
	readonly isHolderDead: boolean;
}

/** The result of a step. `text` is the entry after it: absent if nothing changes, null to remove it. */
interface Change<R> {
	readonly result: R;
	readonly text?: string | null;
}

/** Has no effects: it runs again if the entry was changed in between. */
export type Update<K, R> = (seen: Seen, key: K) => Change<R>;

export interface ChangeOptions {
	/** How long a changed entry is kept from now on, in milliseconds; a longer time is never shortened. */
	readonly keepMs: number;
	/** Whether the results wait until the changes survive a power cut. */
	readonly isDurable: boolean;
	/** The session of the caller, which is not dead. */
	readonly session: string;
	/** Whether the process of another session is dead. */
	readonly isDead: (vital: Vital) => boolean;
	/** The texts that the entries probably have (undefined: none), for a store where reading costs a round trip. */
	readonly guess?: readonly (string | undefined)[];
}

/** Every method rejects with `LedgerUnavailableError` when the store cannot be reached or written. */
export abstract class TextStore implements Records {
	/** Unix milliseconds on the clock of the store. */
	protected abstract now(): number;
	protected abstract read(key: string): Promise<string | undefined>;
	protected abstract swap(swap: Swap): Promise<Swapped>;
	protected abstract vitalOf(session: string): Promise<Vital>;

	/** Renews the session for `SESSION_MS`, or opens it; whether it was alive. */
	abstract renewSession(session: string): Promise<boolean>;

	/** Marks the session as closed, so that it is dead for everybody. At the exit of a process this has to take effect at once. */
	abstract closeSession(session: string): Promise<void>;

	/** Releases files and connections; a later call opens them again. */
	abstract close(): Promise<void>;

	/** Applies the step to the entry of each key; returns the results in order. Each is atomic, not all together: if it rejects, some may have changed. */
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

	async swapRecord(...[key, ...texts]: Parameters<Records['swapRecord']>): Promise<boolean> {
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
