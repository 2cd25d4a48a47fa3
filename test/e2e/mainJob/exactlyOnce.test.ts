/** An event that is delivered many times runs once, and one that n8n could not take runs when it is delivered again. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { claimOrWait, ledgerKey, openLedger } from '../../../lib/ledger';
import {
	type DeliveredEvent,
	startSimulator,
	type Simulator,
	type SimulatorOptions,
} from '../../../simulator';
import { type IssuedToken, Tokens } from '../../../simulator/store/tokens';
import { itemsOf } from '../../support/n8n/answers';
import { apiCredential } from '../../support/n8n/credentials';
import { waitForWebhook } from '../../support/n8n/workflows';
import { createWorld, type World } from '../../support/n8n/world';
import { assetList } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { importAutomatic, publishAtUrl } from '../webhookLife/automatic';
import { answered, deliver, newEvent, refusalsIn } from './deliveries';
import { NODE, runByHand } from './runByHand';
import { tracesOf } from './traces';
import { publishTrigger } from './trigger';

const MINUTES = 60_000;
jest.setTimeout(3 * MINUTES);
const EVENTS = 20;
const COPIES = 3;
/** Events under way at a time: on a starved machine n8n takes seconds for each, and a copy waits 20 s at most. */
const AT_ONCE = 4;
const RETENTION_MS = 30 * 24 * 60 * MINUTES;

let world: World;
const simulators: Simulator[] = [];
/** All that were used so far. */
const secrets: string[] = [];
const issue = jest.spyOn(Tokens.prototype, 'issue');
const WRONG_SECRET = 'a secret/that+is wrong?';

beforeAll(async () => {
	world = await createWorld();
}, 20 * MINUTES);
afterEach(async () => {
	for (const simulator of simulators.splice(0)) {
		secrets.push(simulator.clientSecret, ...simulator.endpoints.map(({ secret }) => secret));
		await simulator.stop();
		expect(tracesOf(secrets, world.userFolder)).toEqual([]);
	}
});
afterAll(async () => {
	await world.dispose();
});

async function simulate(options: SimulatorOptions = {}): Promise<Simulator> {
	// The service's own 30 s are of no interest here, and too short for a starved machine.
	const simulator = await startSimulator({ attemptTimeoutMs: 5 * MINUTES, ...options });
	simulators.push(simulator);
	return simulator;
}

const sorted = (values: readonly unknown[]) => values.map(String).sort();
const idsOf = (events: readonly { readonly id?: unknown }[]) => sorted(events.map(({ id }) => id));

it(
	`runs ${EVENTS} events once each: ${COPIES} copies at the same time, and one more after a restart`,
	async () => {
		const simulator = await simulate();
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
		// With every field as it was delivered.
		expect(started).toEqual(expect.arrayContaining(emitted.map(({ event }) => event)));
	},
	6 * MINUTES,
);

/** n8n stores an execution in two tables, in one transaction. */
it.each(['execution_entity', 'execution_data'])(
	'does not acknowledge an event while n8n cannot write to %s, and runs it once after that',
	async (table) => {
		const simulator = await simulate({ retryTimeScale: 1 / 3600 });
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

describe('the ledger', () => {
	let ledgerPath: string;

	beforeAll(() => {
		ledgerPath = join(world.userFolder, '.n8n', 'asset-service-ledger.sqlite');
	});

	it('answers 503 unavailable while another process has locked it, and takes the event after that', async () => {
		const simulator = await simulate();
		const trigger = await publishTrigger(world, simulator);
		const event = newEvent();
		// The first event makes the file.
		expect(await deliver(simulator, trigger, newEvent())).toEqual(answered(200, 'accepted'));
		const other = new DatabaseSync(ledgerPath, { timeout: 10_000 });
		other.exec('BEGIN IMMEDIATE');
		expect(await deliver(simulator, trigger, event)).toEqual(answered(503, 'unavailable'));
		other.exec('ROLLBACK');
		other.close();
		expect(await refusalsIn(world, trigger, 1)).toEqual(['ledger_unavailable']);
		expect(await trigger.startedWith()).toHaveLength(1);
		expect(await deliver(simulator, trigger, event)).toEqual(answered(200, 'accepted'));
		expect(await trigger.startedWith()).toHaveLength(2);
	});

	it('makes a copy wait for the one that is being handed over: it takes over, is a duplicate, or comes again later', async () => {
		const simulator = await simulate();
		const trigger = await publishTrigger(world, simulator);
		const events = { released: newEvent(), committed: newEvent(), kept: newEvent() };
		// This process plays the other one that is handing the events over.
		const ledger = await openLedger({
			env: { ASSET_SERVICE_LEDGER_SQLITE_PATH: ledgerPath },
			log: () => undefined,
		});
		const claim = async ({ id }: DeliveredEvent) => {
			const claimed = await claimOrWait(ledger, ledgerKey(trigger.workflow.id, id));
			if (claimed.outcome !== 'claimed') throw new Error(`The event is ${claimed.outcome}.`);
			return claimed.hold;
		};
		const [released, committed, kept] = await Promise.all(Object.values(events).map(claim));

		const ended: string[] = [];
		const sent = Object.entries(events).map(async ([name, event]) => {
			const { url, endpoint } = trigger;
			const { status, body, headers } = await simulator.deliver(url, endpoint.secret, event);
			ended.push(name);
			return { status, body, retryAfter: headers['retry-after'] };
		});
		// A later event is through: the copies before it have come to their claims.
		expect(await deliver(simulator, trigger, newEvent())).toEqual(answered(200, 'accepted'));
		expect(ended).toEqual([]);
		await released?.release();
		await committed?.commit(RETENTION_MS);
		expect(await Promise.all(sent)).toEqual([
			{ ...answered(200, 'accepted'), retryAfter: undefined },
			{ ...answered(200, 'duplicate'), retryAfter: undefined },
			{ ...answered(503, 'busy'), retryAfter: '60' },
		]);
		expect(ended.at(-1)).toBe('kept');
		expect(idsOf(await trigger.startedWith())).toContain(events.released.id);
		expect(await trigger.startedWith()).toHaveLength(2);

		await kept?.release();
		expect(await deliver(simulator, trigger, events.kept)).toEqual(answered(200, 'accepted'));
		await ledger.close();
	});
});

describe('the whole run', () => {
	it('leaves no secret in logs, items, executions, databases, the ledger or the package', async () => {
		const { client, userFolder } = world;
		const simulator = await simulate({ assets: 3 });
		const url = await publishAtUrl(
			client,
			await importAutomatic(client, simulator, { options: { includeDelivery: true } }),
		);
		const { event } = await simulator.emit();
		const forged = await simulator.deliver(url, 'another secret', event);
		expect(forged.status).toBe(401);
		const credential = await client.createCredential(apiCredential(simulator));
		expect(itemsOf(await runByHand(world, assetList(credential)), NODE)).toHaveLength(3);
		const refused = await client.createCredential(
			apiCredential(simulator, { clientSecret: WRONG_SECRET }),
		);
		expect((await runByHand(world, assetList(refused))).status).toBe('error');

		const { endpoints, clientSecret } = simulator;
		expect(endpoints).toHaveLength(1);
		secrets.push(...endpoints.map(({ secret }) => secret), clientSecret, WRONG_SECRET);
		const issued = issue.mock.results.map(({ value }) => value as IssuedToken | undefined);
		const tokens = issued.flatMap((token) => (token ? [token.accessToken] : []));
		expect(tokens.length).toBeGreaterThan(0);
		expect(tracesOf([...secrets, ...tokens, world.owner.password], userFolder)).toEqual([]);
		// It would have found them: the event in an execution, the reason in the log, the name in the package.
		const known = tracesOf([event.id, 'signature_mismatch', 'n8n-nodes-asset-service'], userFolder);
		expect(known).toContain(`0 in ${join('.n8n', 'database.sqlite')}: execution_data`);
		expect(known.join()).toMatch(/1 in n8n-start-\d+\.log.*2 in .*package\.json/s);
	});
});

/** Makes n8n's database refuse new rows in a table until the answer is called. */
function failWrites(table: string): () => void {
	const name = `refuse_${table}`;
	const run = (sql: string): void => {
		const database = new DatabaseSync(join(world.userFolder, '.n8n', 'database.sqlite'), {
			timeout: 10_000,
		});
		database.exec(sql);
		database.close();
	};
	run(
		`CREATE TRIGGER ${name} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
	);
	return () => {
		run(`DROP TRIGGER IF EXISTS ${name}`);
	};
}
