/** Faults around the poll trigger by itself: an n8n that cannot store, lists in odd orders, and a ledger that loses its data. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from '../../lib/vendor/ioredis';
import { expectOneRunOf } from '../support/expectations';
import { eventOf, type ListedEvent, startHostileList } from '../support/hostileList';
import { useForAll } from '../support/lifetime';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { countInRedis } from '../support/n8n/ledgerEntries';
import { n8nDatabase } from '../support/n8n/storedRows';
import { useWorld } from '../support/n8n/useWorld';
import { recordIn, recordText } from '../support/records';
import { startRedis, withRedis } from '../support/redis';
import { lockDatabase, withDatabase } from '../support/sqlite';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
const HOUR_SECONDS = 3_600;
const RECORDS = 'asset-service:ledger:record:poll:*';

const redis = useForAll(() => startRedis());
const world = useWorld(() => ({
	env: { ASSET_SERVICE_LEDGER: 'redis', ASSET_SERVICE_LEDGER_REDIS_URL: redis.url },
}));
let list: Awaited<ReturnType<typeof startHostileList>>;
let trigger: CountedWorkflow;

afterEach(async () => {
	await world.client.deactivate(trigger.workflow.id);
	await list.stop();
});

const publish = countedWorkflows();

/** Publishes a workflow with "Now" for a service that lists these events, newest first, in pages of `limit`. */
async function publishAt(events: ListedEvent[], limit = 50): Promise<void> {
	list = await startHostileList(events);
	trigger = await publish(world, { poll: { service: list, startFrom: 'now', limit } });
}

/** Polls at once: n8n's own polls are a minute apart. */
async function pollNow(): Promise<void> {
	await world.client.deactivate(trigger.workflow.id);
	await world.client.activate(trigger.workflow.id);
}

/** Events this many seconds apart, newest first. */
const eventsFrom = (secondsAgo: number, count: number, apart: number): ListedEvent[] =>
	Array.from({ length: count }, (_unused, n) => eventOf(secondsAgo + n * apart));

const inRedis = async <T>(work: (client: Redis) => Promise<T>): Promise<T> =>
	await withRedis(redis.url, work);

/** Makes the looks back of the trigger due as they are after this time. */
async function passForTrigger(seconds: number): Promise<void> {
	await inRedis(async (client) => {
		for (const key of await client.keys(RECORDS)) {
			const record = recordIn((await client.get(key)) ?? undefined) as {
				position?: { looks: { at: number }[] };
			};
			const { position } = record;
			if (position === undefined) continue;
			const looks = position.looks.map((look) => ({ ...look, at: look.at - seconds * 1000 }));
			await client.set(key, recordText({ ...record, position: { ...position, looks } }));
		}
	});
}

async function loseLedger(): Promise<void> {
	await inRedis((client) => client.flushall());
	trigger.recorder.note({ what: 'fault', fault: 'ledger lost', is: 'once' });
}

/** Polls until n8n has saved that these events have started. It saves that with an execution or a publication, not after a poll. */
async function pollUntilSaved(events: readonly ListedEvent[]): Promise<void> {
	const newest = Math.max(...events.map(({ createdAt }) => Date.parse(createdAt)));
	const savedUpTo = (): number =>
		withDatabase(n8nDatabase(world.userFolder), (database) => {
			const row = database
				.prepare('SELECT staticData FROM workflow_entity WHERE id = ?')
				.get(trigger.workflow.id);
			return Number(/"at":(\d+)/.exec(String(row?.['staticData']))?.[1] ?? 0);
		});
	await waitFor(
		async () => {
			if (savedUpTo() >= newest) return true;
			await pollNow();
			return false;
		},
		{ what: 'n8n to save up to when the trigger has polled', timeoutMs: MINUTES },
	);
}

/** Whether nothing is in flight: no event in the ledger is pending or stored. */
async function haveAllBegun(): Promise<boolean> {
	const open = [countInRedis('pending', [redis]), countInRedis('stored', [redis])];
	return (await Promise.all(open)).every((count) => count === 0);
}

it('runs each event once although n8n’s database is locked for 25 s while five hours of them start', async () => {
	await publishAt([eventOf(6 * HOUR_SECONDS)]);
	const missed = eventsFrom(10, 200, (5 * HOUR_SECONDS) / 200);
	list.events.unshift(...missed);
	await pollNow();
	await waitFor(() => trigger.counter.calls.length >= 5, {
		what: 'the first events to run',
		timeoutMs: 2 * MINUTES,
	});
	const { note } = trigger.recorder;
	const unlock = lockDatabase(n8nDatabase(world.userFolder));
	note({ what: 'fault', fault: 'n8n locked', is: 'on' });
	await sleep(25_000);
	unlock();
	note({ what: 'fault', fault: 'n8n locked', is: 'off' });
	// The lock may leave an execution "running" in n8n's database forever, although it has ended.
	await expectOneRunOf(trigger, missed, { isIdle: haveAllBegun });
	await pollNow();
	await expectOneRunOf(trigger, missed, { isIdle: haveAllBegun });
});

it('runs nothing from before publishing if two new events are listed out of order', async () => {
	await publishAt(eventsFrom(60, 1_500, 60));
	const [newer, older] = [eventOf(0), eventOf(2)];
	list.events.unshift(older, newer);
	await pollNow();
	await expectOneRunOf(trigger, [older, newer]);
});

it('finds an event between known ones even if another is dated a day ahead', async () => {
	await publishAt([eventOf(HOUR_SECONDS)], 5);
	const known = [eventOf(-24 * HOUR_SECONDS), ...eventsFrom(0, 20, 10)];
	list.events.unshift(...known);
	await pollNow();
	await expectOneRunOf(trigger, known);
	const late = eventOf(250);
	list.events.splice(known.length, 0, late);
	// A poll reads two minutes behind the newest event, and further back every hour.
	await passForTrigger(HOUR_SECONDS);
	await pollNow();
	await expectOneRunOf(trigger, [...known, late]);
});

it('finds events that appear in the list 15 minutes late, in their place, by its daily look back', async () => {
	await publishAt([eventOf(HOUR_SECONDS)], 5);
	// Some of them older than ten minutes, so that a poll could end before the late ones.
	const known = eventsFrom(0, 60, 12);
	list.events.unshift(...known);
	await pollNow();
	await expectOneRunOf(trigger, known);
	list.events.splice(known.length, 0, ...eventsFrom(900, 5, 1));
	const late = list.events.slice(known.length, known.length + 5);
	await passForTrigger(24 * HOUR_SECONDS);
	await pollNow();
	await expectOneRunOf(trigger, [...known, ...late]);
});

it('runs missed events after Redis has lost its data, nothing twice, and logs one line about it', async () => {
	await publishAt(eventsFrom(HOUR_SECONDS, 20, 60));
	const ran = eventsFrom(10, 3, 60);
	list.events.unshift(...ran);
	await pollNow();
	await expectOneRunOf(trigger, ran);
	await pollUntilSaved(ran);

	await loseLedger();
	const missed = eventsFrom(0, 8, 0.5);
	list.events.unshift(...missed);
	await pollNow();
	await expectOneRunOf(trigger, [...ran, ...missed]);
	await pollUntilSaved(missed);

	await world.server.stop();
	await loseLedger();
	const later = eventsFrom(0, 4, 0.1);
	list.events.unshift(...later);
	await world.server.start();
	await expectOneRunOf(trigger, [...ran, ...missed, ...later]);
	const lines = world.server.logs().split('\n');
	const told = lines.filter((line) => line.includes('events created up to'));
	expect(told.map((line) => line.includes(trigger.workflow.id))).toEqual([true, true]);
});
