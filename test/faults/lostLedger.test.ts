/** The files of the ledger are deleted or replaced, or its Redis is emptied: n8n logs one warning, and known events do not start again. */
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { expectOneRunOf } from '../support/expectations';
import { eventOf, type HostileList, startHostileList } from '../support/hostileList';
import { useForAll } from '../support/lifetime';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { ledgerFile } from '../support/n8n/ledgerClock';
import { warningsOf } from '../support/n8n/logLines';
import type { N8nServer } from '../support/n8n/server';
import { useWorld } from '../support/n8n/useWorld';
import { startRedis, withRedis } from '../support/redis';
import { report } from '../support/report';
import type { EventSender } from '../support/sender';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
const JSON_LOG = { N8N_LOG_FORMAT: 'json' };

const publish = countedWorkflows();

const ledgerWarnings = (server: N8nServer): string[] =>
	warningsOf(server).filter((line) => /event ledger/i.test(line));

/** Waits until n8n has logged a warning about the event ledger, if it ever does. */
async function untilWarned(server: N8nServer): Promise<void> {
	await waitFor(() => ledgerWarnings(server).length > 0, {
		what: 'a warning about the event ledger',
		timeoutMs: 1.5 * MINUTES,
		everyMs: 1_000,
	}).catch(() => undefined);
}

type DeliveredEvents = ReturnType<EventSender['events']>;

const deliverAll = async (sender: EventSender, events: DeliveredEvents) =>
	await sender.deliverAll(events, { perSecond: 20, atOnce: 10 });

async function untilAllEnded({ client, workflow }: CountedWorkflow): Promise<void> {
	await waitFor(
		async () => {
			const rows = await client.listExecutions({ workflowId: workflow.id });
			return rows.every(({ status }) => status !== 'new' && status !== 'running');
		},
		{ what: 'every execution to end', timeoutMs: 2 * MINUTES, everyMs: 500 },
	);
}

describe('with SQLite', () => {
	const world = useWorld(() => ({ env: JSON_LOG }));

	it('warns once if the write-ahead log is deleted while n8n runs, and starts no event twice', async () => {
		const trigger = await publish(world);
		const sender = await trigger.startSender({ seed: 1 });
		const [before, after] = [sender.events(10), sender.events(10)];
		await deliverAll(sender, before);
		await untilAllEnded(trigger);
		const log = `${ledgerFile(world.userFolder)}-wal`;
		expect(existsSync(log)).toBe(true);
		rmSync(log);
		await deliverAll(sender, after);
		await untilWarned(world.server);
		await deliverAll(sender, before);
		await untilAllEnded(trigger);
		await expectOneRunOf(trigger, [...before, ...after]);
		const warnings = ledgerWarnings(world.server);

		await world.restart();
		await deliverAll(sender, [...before, ...after]);
		await untilAllEnded(trigger);
		await expectOneRunOf(trigger, [...before, ...after]);
		report(`the write-ahead log deleted: warnings: ${JSON.stringify(warnings)}`);
		expect(warnings).toEqual([expect.stringMatching(/deleted|replaced/i)]);
		await world.client.deactivate(trigger.workflow.id);
	});
});

describe('with SQLite and a poll trigger', () => {
	const world = useWorld(() => ({ env: JSON_LOG }));
	const list = useForAll((): Promise<HostileList> => startHostileList([eventOf(60)]));

	it('warns once if a backup of the ledger is restored, and the next polls start no event twice', async () => {
		const trigger = await publish(world, { poll: { service: list, startFrom: 'retained' } });
		await untilRan(trigger, list.events.length);
		await world.server.stop();
		const restore = backUpLedger(world.userFolder);
		await world.server.start();
		list.events.unshift(...Array.from({ length: 25 }, (_unused, n) => eventOf(n)));
		await untilRan(trigger, list.events.length);
		await untilAllEnded(trigger);
		// n8n writes what a poll trigger keeps in its database after the next poll.
		await list.untilPolled(1);

		await world.server.stop();
		restore();
		trigger.recorder.note({ what: 'fault', fault: 'ledger restored', is: 'once' });
		await world.server.start();
		await list.untilPolled(2);
		await untilWarned(world.server);
		await untilAllEnded(trigger);
		await expectOneRunOf(trigger, list.events);
		const warnings = ledgerWarnings(world.server);
		report(
			`a backup of the ledger restored: ${list.events.length} listed events; warnings: ${JSON.stringify(warnings)}`,
		);
		expect(warnings).toHaveLength(1);
		await world.client.deactivate(trigger.workflow.id);
	});
});

describe('with Redis', () => {
	const redis = useForAll(() => startRedis());
	const world = useWorld(() => ({
		env: { ...JSON_LOG, ASSET_SERVICE_LEDGER: 'redis', ASSET_SERVICE_LEDGER_REDIS_URL: redis.url },
	}));

	it('warns once if Redis is emptied while n8n runs', async () => {
		const trigger = await publish(world);
		const sender = await trigger.startSender({ seed: 1 });
		await deliverAll(sender, sender.events(10));
		await withRedis(redis.url, (client) => client.flushall());
		await deliverAll(sender, sender.events(10));
		await untilWarned(world.server);
		await deliverAll(sender, sender.events(10));
		const warnings = ledgerWarnings(world.server);
		report(`Redis emptied: warnings: ${JSON.stringify(warnings)}`);
		expect(warnings).toHaveLength(1);
		await world.client.deactivate(trigger.workflow.id);
	});
});

async function untilRan({ counter }: CountedWorkflow, events: number): Promise<void> {
	await waitFor(() => counter.begun.size >= events, {
		what: `${events} events to run`,
		timeoutMs: 3 * MINUTES,
		everyMs: 500,
	});
}

/** Copies the files of the ledger while n8n is stopped. Returns a function that restores them. */
function backUpLedger(userFolder: string): () => void {
	const files = ['', '-wal', '-shm'].map((suffix) => `${ledgerFile(userFolder)}${suffix}`);
	const kept = files.filter((file) => existsSync(file));
	for (const file of kept) copyFileSync(file, `${file}.backup`);
	return () => {
		for (const file of files) rmSync(file, { force: true });
		for (const file of kept) copyFileSync(`${file}.backup`, file);
	};
}
