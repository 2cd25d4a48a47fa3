/** An event that is delivered many times is executed once, and one that n8n could not store is executed on redelivery. */
import { startSimulator, type Simulator } from '../../../simulator';
import { useForEach } from '../../support/lifetime';
import { n8nDatabase } from '../../support/n8n/storedRows';
import { useWorld } from '../../support/n8n/useWorld';
import { waitForWebhook } from '../../support/n8n/workflows';
import { withDatabase } from '../../support/sqlite';
import { waitFor } from '../../support/wait';
import { tracesOf } from './traces';
import { publishTrigger } from './trigger';

const MINUTES = 60_000;
const EVENTS = 20;
const COPIES = 3;
/** Events in flight at the same time: under heavy load, n8n takes seconds for each, and a copy waits at most 20 s. */
const AT_ONCE = 4;

const world = useWorld();
const simulator = useForEach(() =>
	// The service's own limit of 30 s does not matter here and is too short for a busy machine.
	startSimulator({ attemptTimeoutMs: 5 * MINUTES, retryTimeScale: 1 / 3600 }),
);
afterEach(() => {
	const secrets = [simulator.clientSecret, ...simulator.endpoints.map(({ secret }) => secret)];
	expect(tracesOf(secrets, world.userFolder)).toEqual([]);
});

const sorted = (values: readonly unknown[]) => values.map(String).sort();
const idsOf = (events: readonly { readonly id?: unknown }[]) => sorted(events.map(({ id }) => id));

it(`runs ${EVENTS} events once each: ${COPIES} copies at the same time, and one more after a restart`, async () => {
	const { url, workflow, startedWith } = await publishTrigger(world, simulator);

	const emitted: Awaited<ReturnType<Simulator['emit']>>[] = [];
	while (emitted.length < EVENTS) {
		const some = Array.from({ length: AT_ONCE }, () => simulator.emit({}, { copies: COPIES }));
		emitted.push(...(await Promise.all(some)));
	}
	for (const { responses } of emitted) {
		expect(responses.map(({ status }) => status)).toEqual(Array(COPIES).fill(200));
		expect(sorted(responses.map(({ body }) => body))).toEqual([
			'{"status":"accepted"}',
			...Array<string>(COPIES - 1).fill('{"status":"duplicate"}'),
		]);
	}

	await world.restart();
	await waitForWebhook(url);
	for (const { event } of emitted) {
		const { responses } = await simulator.emit({ id: event.id });
		expect(responses).toMatchObject([{ status: 200, body: '{"status":"duplicate"}' }]);
	}

	const executions = await world.client.waitForExecutions({ workflowId: workflow.id }, EVENTS);
	expect(executions.map(({ status }) => status)).toEqual(Array(EVENTS).fill('success'));
	expect(new Set(executions.map(({ id }) => id)).size).toBe(EVENTS);
	const started = await startedWith();
	expect(idsOf(started)).toEqual(idsOf(emitted.map(({ event }) => event)));
	// With every field as delivered.
	expect(started).toEqual(expect.arrayContaining(emitted.map(({ event }) => event)));
});

/** n8n stores an execution in two tables, in one transaction. */
it.each(['execution_entity', 'execution_data'])(
	'does not acknowledge an event while n8n cannot write to %s, and runs it once after that',
	async (table) => {
		const { endpoint, startedWith } = await publishTrigger(world, simulator);

		const lift = failWrites(table);
		try {
			const { event, responses } = await simulator.emit({}, { copies: COPIES });
			expect(responses).toHaveLength(COPIES);
			for (const { status } of responses) expect(status).toBeGreaterThanOrEqual(500);
			expect(await startedWith()).toEqual([]);

			lift();
			// The service's own retries, after 1 s, 4 s and so on.
			const deliveries = await waitFor(
				() => {
					const all = simulator.deliveries(endpoint.id);
					return all.every(({ status }) => status === 'success') ? all : undefined;
				},
				{ what: 'every delivery to be acknowledged', timeoutMs: 2 * MINUTES },
			);
			expect(deliveries).toHaveLength(COPIES);
			for (const { attempts } of deliveries) {
				expect(attempts[0]?.statusCode).toBeGreaterThanOrEqual(500);
				expect(attempts.at(-1)?.statusCode).toBe(200);
			}
			expect(await startedWith()).toEqual([event]);
		} finally {
			lift();
		}
	},
);

/** Makes n8n's database refuse new rows in a table until the returned function is called. */
function failWrites(table: string): () => void {
	const name = `refuse_${table}`;
	const run = (sql: string): void => {
		withDatabase(n8nDatabase(world.userFolder), (database) => {
			database.exec(sql);
		});
	};
	run(
		`CREATE TRIGGER ${name} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
	);
	return () => {
		run(`DROP TRIGGER IF EXISTS ${name}`);
	};
}
