/**
 * The session of this process: it says that what the process holds in the ledger is held by a living process.
 *
 *     none ──first use──▶ alive ──not renewed for 60 s──▶ lapsed ──renewed──▶ alive
 *                           └── the process ends in order, and runs nothing ──▶ closed
 *
 * It is renewed three times in its life, with one write whatever the process holds. A closed session is dead for everybody
 * at once. One that lapsed is dead for a process whose own session has lived for 60 s without a break: after an outage of
 * the ledger or a suspended host all of them lapse together, and nobody is dead.
 */
import { randomBytes } from 'node:crypto';
import { SESSION_MS, type Vital } from './common/store';
import type { TextStore } from './texts/textStore';

const RENEW_EVERY_MS = SESSION_MS / 3;
const RETRY_MS = 1_000;
/** A session that was renewed this recently cannot have lapsed, so a store that lacks it has lost data. */
const SURE_MS = SESSION_MS - 5_000;

interface SessionOptions {
	/** Called if the store has lost the session, and so perhaps more. */
	readonly onLost: () => void;
	/** Milliseconds of a clock that nobody sets. */
	readonly clock?: () => number;
}

export class Session {
	#name = newName();
	readonly #store: Pick<TextStore, 'renewSession' | 'closeSession'>;
	readonly #onLost: () => void;
	readonly #clock: () => number;
	/** When it was last renewed. */
	#renewedAt = -Infinity;
	/** Since when it has lived without a break. */
	#since = Infinity;
	#renewal: Promise<void> | undefined;
	#timer: NodeJS.Timeout | undefined;

	constructor(store: Pick<TextStore, 'renewSession' | 'closeSession'>, options: SessionOptions) {
		this.#store = store;
		this.#onLost = options.onLost;
		this.#clock = options.clock ?? (() => performance.now());
	}

	/** Never used again after it was closed. */
	get name(): string {
		return this.#name;
	}

	/** Resolves when the session lives; before that, the process must not hold anything. Rejects like the store. */
	async open(): Promise<void> {
		// Again if it was closed meanwhile.
		while (this.#clock() - this.#renewedAt >= SURE_MS) await this.#renew();
	}

	/**
	 * Asks again until the session has lived while it asked: what a process held that was paused for longer may be another
	 * one's meanwhile.
	 */
	async whileAlive<R>(ask: () => Promise<R>): Promise<R> {
		for (;;) {
			await this.open();
			const askedAt = this.#clock();
			const result = await ask();
			if (this.#clock() - this.#renewedAt < SURE_MS && this.#since <= askedAt) return result;
		}
	}

	/** Whether another process is dead, from its session. */
	readonly isDead = (vital: Vital): boolean => {
		if (vital !== 'gone') return vital === 'closed';
		const now = this.#clock();
		return now - this.#renewedAt < SESSION_MS && now - this.#since >= SESSION_MS;
	};

	/** For a process that ends and runs nothing any more. What it holds afterwards, it holds under another name. */
	async close(): Promise<void> {
		clearTimeout(this.#timer);
		const closed = this.#name;
		const wasOpen = this.#renewedAt !== -Infinity;
		this.#name = newName();
		this.#renewedAt = -Infinity;
		this.#since = Infinity;
		this.#renewal = undefined;
		if (wasOpen) await this.#store.closeSession(closed);
	}

	async #renew(): Promise<void> {
		const renewal = (this.#renewal ??= this.#renewNow().finally(() => {
			if (this.#renewal === renewal) this.#renewal = undefined;
		}));
		await renewal;
	}

	async #renewNow(): Promise<void> {
		const name = this.#name;
		const startedAt = this.#clock();
		let nextMs = RETRY_MS;
		try {
			const wasAlive = await this.#store.renewSession(name);
			if (name !== this.#name) return;
			const isLost = !wasAlive && startedAt - this.#renewedAt < SURE_MS;
			// A first renewal finds itself if its response was lost.
			if (!wasAlive || this.#since === Infinity) this.#since = startedAt;
			this.#renewedAt = startedAt;
			nextMs = RENEW_EVERY_MS;
			if (isLost) this.#onLost();
		} finally {
			if (name === this.#name) this.#renewIn(nextMs);
		}
	}

	/** The timer does not keep the process alive. */
	#renewIn(ms: number): void {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			this.#renew().catch(() => undefined);
		}, ms).unref();
	}
}

/** 64 random bits. */
function newName(): string {
	return randomBytes(8).toString('base64url');
}
