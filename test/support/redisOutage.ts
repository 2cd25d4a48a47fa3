/** Stops the ledger's Redis under steady deliveries, and checks what n8n and the trigger promise for this case. */
import { setTimeout as sleep } from 'node:timers/promises';
import { watchCores } from './cores';
import { expectOneRunEach, untilMoreRan } from './expectations';
import type { CountedWorkflow } from './n8n/countedWorkflow';
import type { RedisServer } from './redis';
import { report, summary } from './report';
import { type EventSender, isAcknowledged, type Sending } from './sender';

const AWAY_MS = 10_000;
/** So long are events sent after its return. */
const AFTER_MS = 8_000;

interface OutageOptions {
	readonly redis: RedisServer;
	/** IDs of n8n's processes. Time that they spend without a core does not count. */
	readonly pids: readonly number[];
	/** Events per second, from before the outage until after it. */
	readonly perSecond: number;
	/** Expects n8n to be undisturbed; called each second while Redis is down. */
	readonly look: () => Promise<void>;
}

export async function expectToOutlastRedis(
	workflow: CountedWorkflow,
	sender: EventSender,
	{ redis, pids, perSecond, look }: OutageOptions,
): Promise<void> {
	const { recorder } = workflow;
	let isOver = false;
	function* events() {
		while (!isOver) yield* sender.events(1);
	}
	// So many that each process meets one soon after Redis is back.
	const sendingAll = sender.deliverAll(events(), { perSecond, atOnce: 20 });
	await untilMoreRan(workflow, 5);
	const withoutCore = watchCores(...pids);
	recorder.note({ what: 'fault', fault: 'broken', is: 'on' });
	await redis.stop();
	const stoppedAt = Date.now();
	while (Date.now() < stoppedAt + AWAY_MS) {
		await look();
		await sleep(1_000);
	}
	const startingAt = Date.now();
	await redis.start();
	const backAt = Date.now();
	recorder.note({ what: 'fault', fault: 'broken', is: 'off' });
	await sleep(AFTER_MS);
	isOver = true;
	const sendings = await sendingAll;
	const withoutCoreMs = withoutCore();
	expectUnavailableWhileAway(sendings, { stoppedAt, startingAt, backAt, withoutCoreMs });
	await expectOneRunEach(workflow, sendings);
}

/** Unix time in milliseconds, and the result of `watchCores` since the store was stopped. */
interface Outage {
	readonly stoppedAt: number;
	readonly startingAt: number;
	/** When the store responded again. */
	readonly backAt: number;
	readonly withoutCoreMs: number;
}

/**
 * While the ledger's store was down, every delivery got 503 within 3 s. Within 5 s of its return, events were
 * accepted again; none was rejected later, or by a process that had already accepted one.
 */
function expectUnavailableWhileAway(sendings: readonly Sending[], outage: Outage): void {
	const { stoppedAt, startingAt, backAt, withoutCoreMs } = outage;
	const attempts = sendings.flatMap((sending) => sending.attempts);
	const away = attempts.filter(
		(a) => a.startedAt >= stoppedAt && a.endedAt < startingAt && a.outcome !== 'refused by n8n',
	);
	expect(away.length).toBeGreaterThan(0);
	expect(away.filter(({ status, outcome }) => status !== 503 || outcome !== 'unavailable')).toEqual(
		[],
	);
	const waits = away.map(({ startedAt, endedAt }) => endedAt - startedAt).sort((a, b) => a - b);
	report(
		`the store away: ${away.length} deliveries responded with 503: ${summary(waits)}; ${withoutCoreMs.toFixed(0)} ms without a core`,
	);
	expect(waits.at(-1)).toBeLessThan(3_000 + withoutCoreMs);

	for (const url of new Set(attempts.map((attempt) => attempt.url))) {
		const since = attempts.filter((a) => a.url === url && a.startedAt >= startingAt);
		const refused = since.filter(({ outcome }) => outcome === 'unavailable');
		const lastRefused = Math.max(startingAt, ...refused.map(({ startedAt }) => startedAt));
		const acceptedAt = Math.min(...since.filter(isAcknowledged).map(({ endedAt }) => endedAt));
		report(
			`the store back: the last delivery refused began ${lastRefused - backAt} ms later, the first accepted ended ${acceptedAt - backAt} ms later`,
		);
		expect(acceptedAt - backAt).toBeLessThan(5_000 + withoutCoreMs);
		expect(lastRefused - backAt).toBeLessThan(5_000 + withoutCoreMs);
		expect(lastRefused).toBeLessThan(acceptedAt + withoutCoreMs);
	}
}
