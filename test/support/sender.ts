/** Sends events as the service does: signed, and again until they are acknowledged, with the hours between the attempts shortened to seconds. */
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
	/** Where deliveries go; each attempt takes one by chance, as a balancer in front of several processes would. */
	readonly urls: readonly string[];
	/** Of `urls`, those that the balancer's readiness checks leave out at this moment; none unless told. */
	readonly notReady?: ReadonlySet<string>;
	readonly secret: string;
	/** Decides the ids, the addresses and the waits: the same run again for the same seed. */
	readonly seed: number;
	/** How long one attempt may take, in milliseconds; the service's 30,000 unless told. */
	readonly attemptTimeoutMs?: number;
}

/** One HTTP request and what came back. Times are milliseconds of unix time. */
export interface Attempt {
	readonly url: string;
	readonly startedAt: number;
	readonly endedAt: number;
	/** 0 when no answer came. */
	readonly status: number;
	/**
	 * The `status` in the body: `accepted`, `duplicate`, ...; `starved` when n8n itself refused, as it does when its database
	 * has been slow for some seconds; undefined when the answer is neither's.
	 */
	readonly outcome: string | undefined;
	/** Why no whole answer came, such as `ECONNREFUSED` or `timeout`. */
	readonly error: string | undefined;
}

export interface Sending {
	readonly event: DeliveredEvent;
	/** In order; the last one is the one that was acknowledged, if any was. */
	readonly attempts: readonly Attempt[];
	readonly acknowledged: boolean;
}

export interface EventSender {
	readonly random: Random;
	/** Events with ids of their own. */
	events(count: number): DeliveredEvent[];
	/** One attempt. */
	attempt(
		event: DeliveredEvent,
		options?: { readonly url?: string; readonly tamper?: Tamper },
	): Promise<Attempt>;
	/** Attempts until one is acknowledged with 2xx, or the time is over. */
	deliver(event: DeliveredEvent): Promise<Sending>;
	/**
	 * Delivers all, beginning with so many a second on average, whatever becomes of those before. With `atOnce` it
	 * holds the next one back while so many are not acknowledged, so that a slow machine is not buried.
	 */
	deliverAll(
		events: readonly DeliveredEvent[],
		options: { readonly perSecond: number; readonly atOnce?: number },
	): Promise<Sending[]>;
	/** Ends it: what is not acknowledged by then is not sent again. */
	stop(): Promise<void>;
	/** How many attempts at this address wait for their answer. */
	underWay(url: string): number;
}

/** The service waits hours; here the waits grow to a few seconds, so that an event meets a fault several times. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;
/** How long the sender goes on with an event that is not acknowledged. */
const GIVE_UP_AFTER_MS = 150_000;

/** Starts a sender; stop it when the test is over. */
export async function startSender(options: SenderOptions): Promise<EventSender> {
	const { urls, notReady, secret, seed, attemptTimeoutMs } = options;
	const random = createRandom(seed);
	// Its requests have the form, the time limit and the signature of the service's.
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
			return attemptOf(url, startedAt, result);
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
		async deliverAll(events, { perSecond, atOnce = Infinity }) {
			const sendings: Promise<Sending>[] = [];
			const open = new Set<Promise<Sending>>();
			for (const event of events) {
				while (open.size >= atOnce) await Promise.race(open);
				const sending = sender.deliver(event);
				sendings.push(sending);
				open.add(sending);
				void sending.then(() => open.delete(sending));
				// Evenly spread between nothing and twice the mean.
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
		.transform(() => ({ status: 'starved' })),
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
