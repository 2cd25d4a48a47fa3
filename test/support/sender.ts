/** Sends events like the service: signed, and retried until acknowledged, with seconds instead of hours between attempts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod/v4';
import {
	type DeliveredEvent,
	type DeliveryResult,
	startSimulator,
	type Tamper,
} from '../../simulator';
import { createRandom, type Random } from '../../simulator/data/random';

export interface SenderOptions {
	/** Target URLs; each attempt picks one at random, like a load balancer in front of several processes. */
	readonly urls: readonly string[];
	/** The `urls` that the balancer's readiness checks currently exclude; none by default. */
	readonly notReady?: ReadonlySet<string>;
	readonly secret: string;
	/** Determines IDs, URLs and waits: the same seed gives the same sequence. */
	readonly seed: number;
	/** How long one attempt may take, in milliseconds; 30,000 by default, as for the service. */
	readonly attemptTimeoutMs?: number;
	/** Called with each attempt that is signed as by the service; nothing by default. */
	readonly onAttempt?: (event: DeliveredEvent, attempt: Attempt) => void;
}

/** One HTTP request and its response. Times are unix time in milliseconds. */
export interface Attempt {
	readonly url: string;
	readonly startedAt: number;
	readonly endedAt: number;
	/** 0 without a response. */
	readonly status: number;
	/**
	 * The `status` in the body: `accepted`, `duplicate`, ...; `refused by n8n` if n8n itself refused, as it does after its database
	 * has been slow for some seconds; undefined if the response is from neither.
	 */
	readonly outcome: string | undefined;
	/** Why there is no complete response, such as `ECONNREFUSED` or `timeout`. */
	readonly error: string | undefined;
}

export interface Sending {
	readonly event: DeliveredEvent;
	/** In order; only the last one can be acknowledged. */
	readonly attempts: readonly Attempt[];
	readonly acknowledged: boolean;
}

export interface EventSender {
	readonly random: Random;
	/** New events, each with its own ID. */
	events(count: number): DeliveredEvent[];
	/** One attempt. */
	attempt(
		event: DeliveredEvent,
		options?: { readonly url?: string; readonly tamper?: Tamper },
	): Promise<Attempt>;
	/** Makes attempts until one is acknowledged with 2xx or the time is over. */
	deliver(event: DeliveredEvent): Promise<Sending>;
	/**
	 * Delivers all events, starting this many per second on average, but holds back the next one while `atOnce` are
	 * unacknowledged (10 by default), so that no delivery of a slow machine takes longer than an attempt may.
	 */
	deliverAll(
		events: Iterable<DeliveredEvent>,
		options: { readonly perSecond: number; readonly atOnce?: number },
	): Promise<Sending[]>;
	/** Stops the sender: unacknowledged events are not sent again. */
	stop(): Promise<void>;
	/** Number of attempts at this URL that wait for a response. */
	underWay(url: string): number;
}

/** The service waits for hours. Here the waits grow to a few seconds, so that one event meets a fault several times. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;
/** How long the sender retries an event that is not acknowledged. After a kill, 60 s pass until another process may count it as dead, and 60 s in a process that is new itself. */
const GIVE_UP_AFTER_MS = 300_000;

/** Three seconds for each of them are within the 30 of an attempt. */
const MOST_AT_ONCE = 10;

/** Starts a sender; stop it when the test is over. */
export async function startSender(options: SenderOptions): Promise<EventSender> {
	const { urls, notReady, secret, seed, attemptTimeoutMs, onAttempt } = options;
	const random = createRandom(seed);
	// Its requests have the same form, time limit and signature as the service's.
	const service = await startSimulator({ assets: 1, attemptTimeoutMs });
	const waiting = new Map<string, number>();
	let made = 0;
	let stopped: Promise<void> | undefined;
	const choose = (): string | undefined => {
		const ready = urls.filter((url) => notReady?.has(url) !== true);
		return ready[random.int(ready.length)];
	};

	const sender: EventSender = {
		random,
		events(count) {
			return Array.from({ length: count }, () => ({
				id: `whevt_${random.text(16)}${made++}`,
				type: 'ocpp.message',
				createdAt: new Date().toISOString(),
				data: { asset: { id: `asset_${random.text(8)}` }, messageId: random.text(12) },
			}));
		},
		async attempt(event, { url = choose(), tamper = 'none' } = {}) {
			const startedAt = Date.now();
			if (url === undefined) {
				const error = 'no process is ready';
				return attemptOf('', startedAt, { status: 503, headers: {}, body: '', error });
			}
			waiting.set(url, sender.underWay(url) + 1);
			const result = await service.deliver(url, secret, event, tamper);
			waiting.set(url, sender.underWay(url) - 1);
			const attempt = attemptOf(url, startedAt, result);
			if (tamper === 'none') onAttempt?.(event, attempt);
			return attempt;
		},
		async deliver(event) {
			const attempts: Attempt[] = [];
			const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
			for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
				const attempt = await sender.attempt(event);
				attempts.push(attempt);
				if (isAcknowledged(attempt)) return { event, attempts, acknowledged: true };
				if (stopped || Date.now() + waitMs >= giveUpAt)
					return { event, attempts, acknowledged: false };
				await sleep(waitMs / 2 + random.int(waitMs));
			}
		},
		async deliverAll(events, { perSecond, atOnce = MOST_AT_ONCE }) {
			const sendings: Promise<Sending>[] = [];
			const open = new Set<Promise<Sending>>();
			for (const event of events) {
				while (open.size >= atOnce) await Promise.race(open);
				const sending = sender.deliver(event);
				sendings.push(sending);
				open.add(sending);
				void sending.then(() => open.delete(sending));
				// Evenly distributed between 0 and twice the mean.
				await sleep(random.int(2_000 / perSecond));
			}
			return await Promise.all(sendings);
		},
		underWay: (url) => waiting.get(url) ?? 0,
		stop: () => (stopped ??= service.stop()),
	};
	return sender;
}

export function isAcknowledged({ status, error }: Pick<Attempt, 'status' | 'error'>): boolean {
	return error === undefined && status >= 200 && status < 300;
}

const Answer = z.union([
	z.object({ status: z.string() }),
	z
		.object({ message: z.literal('Database is not ready!') })
		.transform(() => ({ status: 'refused by n8n' })),
]);

function attemptOf(url: string, startedAt: number, result: DeliveryResult): Attempt {
	const { status, body, error } = result;
	return { url, startedAt, endedAt: Date.now(), status, outcome: outcomeOf(body), error };
}

function outcomeOf(body: string): string | undefined {
	try {
		return Answer.safeParse(JSON.parse(body)).data?.status;
	} catch {
		return undefined;
	}
}
