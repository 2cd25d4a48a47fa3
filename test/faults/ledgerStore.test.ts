/** Faults of the ledger's store while n8n works: a full disk, a read-only disk, and the ledger's own Redis down. */
import { join } from 'node:path';
import { expectOneAttemptEach, expectOneRunEach, expectUndisturbed } from '../support/expectations';
import { useForAll } from '../support/lifetime';
import { createSmallDisk } from '../support/mount';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { useWorld } from '../support/n8n/useWorld';
import { startRedis } from '../support/redis';
import { expectToOutlastRedis } from '../support/redisOutage';
import { report, summary } from '../support/report';
import type { Attempt, EventSender } from '../support/sender';
import { holdLog } from '../support/sqlite';

const disk = useForAll(() => createSmallDisk(512));
const ledgerFile = (): string => join(disk.folder, 'ledger', 'events.sqlite');
const redis = useForAll(() => startRedis({ appendOnly: true }));
const world = useWorld(() => ({
	env: { ASSET_SERVICE_LEDGER_SQLITE_PATH: ledgerFile() },
}));
let trigger: CountedWorkflow;

const publish = countedWorkflows();

async function newSender(seed: number): Promise<EventSender> {
	trigger = await publish(world);
	return await trigger.startSender({ seed });
}

const isUnavailable = ({ status, outcome }: Attempt): boolean =>
	status === 503 && outcome === 'unavailable';

const durations = (attempts: readonly Attempt[]): number[] =>
	attempts.map(({ startedAt, endedAt }) => endedAt - startedAt).sort((a, b) => a - b);

const expectN8nUndisturbed = (): Promise<void> =>
	expectUndisturbed(trigger, world.url, { pids: [world.server.pid], withinMs: 2_000 });

it('responds with 503 on a full disk, and runs each event once when there is space again', async () => {
	const sender = await newSender(1);
	const before = await sender.deliverAll(sender.events(5), { perSecond: 10 });
	// Without it, the ledger would free the space of its log whenever it closes the file, enough for one or two events.
	const release = holdLog(ledgerFile());
	disk.fill();
	const events = sender.events(12);
	const whileFull: Attempt[] = [];
	for (const event of events) whileFull.push(await sender.attempt(event));
	await expectN8nUndisturbed();
	report(
		`disk full: ${whileFull.length} deliveries responded with 503: ${summary(durations(whileFull))}`,
	);
	expect(whileFull.filter((attempt) => !isUnavailable(attempt))).toEqual([]);
	expect(world.server.logs()).toContain('the disk is full');

	release();
	disk.empty();
	const after = await sender.deliverAll(events, { perSecond: 10 });
	expectOneAttemptEach(after);
	await expectOneRunEach(trigger, [...before, ...after]);
});

it('responds with 503 on a read-only disk, and accepts at once when it is writable', async () => {
	const sender = await newSender(2);
	const before = await sender.deliverAll(sender.events(3), { perSecond: 10 });
	await world.server.stop();
	disk.setReadOnly(true);
	await world.server.start();

	// Earlier events may still be known: SQLite can read where it cannot write.
	for (const { event } of before) {
		const attempt = await sender.attempt(event);
		expect(isUnavailable(attempt) || attempt.outcome === 'duplicate').toBe(true);
	}
	const events = sender.events(5);
	const whileReadOnly: Attempt[] = [];
	for (const event of events) whileReadOnly.push(await sender.attempt(event));
	await expectN8nUndisturbed();
	report(
		`disk read-only: ${whileReadOnly.length} deliveries responded with 503: ${summary(durations(whileReadOnly))}`,
	);
	expect(whileReadOnly.filter((attempt) => !isUnavailable(attempt))).toEqual([]);
	expect(world.server.logs()).toContain('must be writable by the user that runs n8n');

	disk.setReadOnly(false);
	const after = await sender.deliverAll([...before.map(({ event }) => event), ...events], {
		perSecond: 10,
	});
	expectOneAttemptEach(after);
	await expectOneRunEach(trigger, [...before, ...after]);
});

it('responds with 503 within 3 s while the ledger’s own Redis is down for 10 s, and accepts again within 5 s of its return', async () => {
	await world.restart({
		ASSET_SERVICE_LEDGER: 'redis',
		ASSET_SERVICE_LEDGER_REDIS_URL: redis.url,
	});
	const sender = await newSender(3);
	await expectToOutlastRedis(trigger, sender, {
		redis,
		pids: [world.server.pid],
		perSecond: 4,
		look: expectN8nUndisturbed,
	});
});
