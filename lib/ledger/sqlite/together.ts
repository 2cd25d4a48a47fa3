/** Does the work of all callers of one moment in one transaction: a burst then costs one lock, one write to the log and one check of the file. */
import { setImmediate } from 'node:timers/promises';

interface Transactions {
	transaction(work: () => void): void;
}

export class Together<D extends Transactions> {
	readonly #run: (work: (database: D) => void) => Promise<void>;
	#next: { readonly works: ((database: D) => void)[]; readonly done: Promise<void> } | undefined;

	/** `run` may call its work several times: the last time counts. */
	constructor(run: (work: (database: D) => void) => Promise<void>) {
		this.#run = run;
	}

	/** Returns the result of `work`. If one of the works throws, all callers get the error, and nothing has changed. */
	async run<T>(work: (database: D) => T): Promise<T> {
		const { works, done } = (this.#next ??= this.#begin());
		const result: { value?: T } = {};
		works.push((database) => {
			result.value = work(database);
		});
		await done;
		return result.value as T;
	}

	#begin(): { works: ((database: D) => void)[]; done: Promise<void> } {
		const works: ((database: D) => void)[] = [];
		const done = setImmediate().then(async () => {
			this.#next = undefined;
			await this.#run((database) => {
				const all = () => {
					for (const work of works) work(database);
				};
				if (works.length === 1) all();
				else database.transaction(all);
			});
		});
		return { works, done };
	}
}
