/** Waits until the execution of a claim has begun, in this process or in another one. */
import { jittered, sleep } from '../shared/sleep';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;

export class Waiting {
	/** Called when an attempt of this process begins the event. */
	readonly #onBegin = new Map<string, () => void>();

	hasBegun(key: string): void {
		this.#onBegin.get(key)?.();
	}

	/** Resolves when an attempt of this process has begun the event, `isOpen` says false, or after `ms` milliseconds. */
	async untilBegun(key: string, ms: number, isOpen: () => Promise<boolean>): Promise<void> {
		const giveUpAt = performance.now() + ms;
		const begun = new Promise<'begun'>((resolve) => {
			this.#onBegin.set(key, () => {
				resolve('begun');
			});
		});
		try {
			for (let pauseMs = FIRST_PAUSE_MS; performance.now() < giveUpAt; pauseMs *= 1.5) {
				const pause = sleep(jittered(Math.min(pauseMs, LONGEST_PAUSE_MS)), { keepAlive: false });
				if ((await Promise.race([begun, pause])) === 'begun') return;
				if (!(await isOpen())) return;
			}
		} finally {
			this.#onBegin.delete(key);
		}
	}
}
