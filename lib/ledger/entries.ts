/** Applies the steps of `life` to the texts that a store keeps. */
import { checkKey } from './common/key';
import type { Change, ChangeOptions, Store } from './common/store';
import { decode, encode, type Entry } from './life/entry';
import type { StepMoment } from './life/states';
import type { Step } from './life/steps';
import type { Session } from './session';

/** The result of a step, and the entry after it. */
interface After<R> {
	readonly result: R;
	readonly entry?: Entry | undefined;
	readonly text?: string | undefined;
}

export class Entries {
	readonly #store: Pick<Store, 'change'>;
	readonly #session: Pick<Session, 'name' | 'isDead'>;

	constructor(store: Pick<Store, 'change'>, session: Pick<Session, 'name' | 'isDead'>) {
		this.#store = store;
		this.#session = session;
	}

	/** Applies the step to the entry of each key. */
	async change<K extends { readonly key: string }, R>(
		keys: readonly K[],
		step: (entry: Entry | undefined, key: K, moment: StepMoment) => Step<R>,
		options: Partial<ChangeOptions> = {},
	): Promise<After<R>[]> {
		for (const { key } of keys) checkKey(key);
		return await this.#store.change(
			keys,
			({ text, ...moment }, key): Change<After<R>> => {
				const entry = decode(text);
				const { result, next } = step(entry, key, moment);
				if (next === undefined) return { result: { result, entry, text } };
				if (next === null) return { result: { result }, text: null };
				const written = encode(next);
				return { result: { result, entry: next, text: written }, text: written };
			},
			{
				...{ keepMs: 0, isDurable: false, session: this.#session.name },
				isDead: this.#session.isDead,
				...options,
			},
		);
	}

	/** For a step that changes nothing. */
	async look<R>(
		key: string,
		look: (entry: Entry | undefined, moment: StepMoment) => R,
	): Promise<R> {
		const [after] = await this.change([{ key }], (entry, _key, moment) => ({
			result: look(entry, moment),
		}));
		if (after === undefined) throw new TypeError('A store returns one result for each key');
		return after.result;
	}
}
