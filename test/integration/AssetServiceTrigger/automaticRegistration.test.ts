/** The trigger's own endpoint: made by n8n-core's hooks at a real simulator, its deliveries taken by n8n-core's WebhookContext. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookContext } from 'n8n-core';
import type { IHookFunctions, IWebhookData } from 'n8n-workflow';
import { openLedger } from '../../../lib/ledger';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { startSimulator } from '../../../simulator';
import { oneNodeWorkflow } from '../../support/engine';
import { startTriggerServer } from '../../support/triggerServer';
import { waitFor } from '../../support/wait';

const CREDENTIAL = 'assetServiceApi';
const ENDPOINTS = '/webhooks/v1/webhook-endpoints';
const trigger = new AssetServiceTrigger();
const methods = trigger.webhookMethods.default;
const openProcessLedger = () => openLedger({ log: () => undefined });

const cleanUps: (() => void | Promise<void>)[] = [];
let next = 0;

afterEach(async () => {
	for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
	jest.restoreAllMocks();
});

interface WorldOptions {
	readonly registration?: 'automatic' | 'manual';
	readonly credentialTypes?: readonly string[];
}

/** A service, a ledger and a workflow with one trigger, of this test alone. */
async function createWorld(options: WorldOptions = {}) {
	const { registration = 'automatic', credentialTypes = [CREDENTIAL] } = options;
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-registration-'));
	cleanUps.push(() => {
		rmSync(folder, { recursive: true, force: true });
	});
	const ledgerPath = join(folder, 'ledger.sqlite');
	const useLedger = async (path: string) => {
		await openProcessLedger().close();
		process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = path;
	};
	await useLedger(ledgerPath);
	cleanUps.push(async () => {
		await openProcessLedger().close();
	});
	const simulator = await startSimulator({ assets: 1 });
	cleanUps.push(async () => {
		await simulator.stop();
	});

	const counts = { credential: 0, ledger: 0 };
	const failures: { credential?: Error } = {};
	const readCredential = async () => {
		counts.credential += 1;
		if (failures.credential !== undefined) throw failures.credential;
		const { baseUrl, authUrl, audience, clientId, clientSecret } = simulator;
		return { baseUrl, authUrl, audience, clientId, clientSecret };
	};
	const place = {
		parameters: { registration },
		credentialTypes,
		readCredential,
		workflowId: `workflow-${(next += 1)}`,
	};
	const server = await startTriggerServer({ trigger, ...place });
	cleanUps.push(async () => {
		await server.stop();
	});

	const log: string[] = [];
	const hook = (): IHookFunctions => {
		const { node, workflow, additionalData } = oneNodeWorkflow({
			nodeType: trigger,
			typeVersion: 2,
			...place,
		});
		Object.assign(additionalData, { webhookBaseUrl: server.url });
		const webhookData = { isTest: false } as IWebhookData;
		const context = new HookContext(
			workflow,
			node,
			additionalData,
			'trigger',
			'activate',
			webhookData,
		);
		return context as unknown as IHookFunctions;
	};
	// Every context has the same logger.
	jest.spyOn(hook().logger, 'warn').mockImplementation((line) => log.push(line));

	const ledger = openProcessLedger();
	const readRecord = ledger.readRecord.bind(ledger);
	jest.spyOn(ledger, 'readRecord').mockImplementation(async (key) => {
		counts.ledger += 1;
		return await readRecord(key);
	});
	/** How often credential and record are read by `work`. */
	const readsOf = async (work: () => Promise<unknown>) => {
		Object.assign(counts, { credential: 0, ledger: 0 });
		await work();
		return { ...counts };
	};
	return {
		simulator,
		server,
		failures,
		log: () => log.join('\n'),
		useLedger,
		ledgerPath,
		readsOf,
		publish: async () => {
			if (!(await methods.checkExists.call(hook()))) await methods.create.call(hook());
		},
		unpublish: async () => await methods.delete.call(hook()),
		deliver: async () => (await simulator.emit({ type: 'ocpp.message' })).responses,
		forge: async () => {
			const { event } = await simulator.emit({}, { deliver: false });
			return (await simulator.deliver(server.url, 'another-secret', event)).status;
		},
	};
}
type World = Awaited<ReturnType<typeof createWorld>>;

/** A delivery that is accepted by the endpoint that was made in the background. */
const accepted = async ({ deliver }: World) =>
	await waitFor(
		async () => ((await deliver()).some(({ status }) => status === 200) ? true : undefined),
		{ what: 'a delivery to be accepted' },
	);
/** The verifier of a node is read again when it is over a second old. */
const letSecondsPass = (seconds: number) => {
	const now = performance.now.bind(performance);
	jest.spyOn(performance, 'now').mockImplementation(() => now() + seconds * 1000);
};

it('accepts deliveries of a new endpoint at once, however lately the secret of the one before was read', async () => {
	const { publish, deliver, unpublish, simulator, server } = await createWorld();
	for (let edit = 0; edit < 3; edit += 1) {
		await publish();
		expect(await deliver()).toMatchObject([{ status: 200, body: '{"status":"accepted"}' }]);
		await unpublish();
	}
	expect(simulator.stats.endpoints).toEqual({ created: 3, deleted: 3, mostAtOnce: 1 });
	expect(server.started).toHaveLength(3);
});

describe('credential and record are read', () => {
	it('once for a publication, whether the endpoint is new or was there', async () => {
		const { publish, readsOf } = await createWorld();
		expect(await readsOf(publish)).toEqual({ credential: 1, ledger: 1 });
		expect(await readsOf(publish)).toEqual({ credential: 1, ledger: 1 });
	});

	it('once for an unpublication', async () => {
		const { publish, unpublish, readsOf } = await createWorld();
		await publish();
		expect(await readsOf(unpublish)).toEqual({ credential: 1, ledger: 1 });
	});

	it('once for the first delivery, and not for the next one', async () => {
		const { publish, deliver, readsOf } = await createWorld();
		await publish();
		expect(await readsOf(deliver)).toEqual({ credential: 1, ledger: 1 });
		expect(await readsOf(deliver)).toEqual({ credential: 0, ledger: 0 });
	});

	it('once for a forgery, also one that comes seconds after the latest read', async () => {
		const { publish, forge, readsOf } = await createWorld();
		await publish();
		expect(await readsOf(forge)).toEqual({ credential: 1, ledger: 1 });
		letSecondsPass(2);
		expect(await readsOf(forge)).toEqual({ credential: 1, ledger: 1 });
	});

	it('and the credential is not for more forgeries of that second', async () => {
		const { publish, forge, readsOf } = await createWorld();
		await publish();
		await forge();
		const now = performance.now();
		jest.spyOn(performance, 'now').mockReturnValue(now);
		const reads = await readsOf(async () => {
			const statuses = await Promise.all(Array.from({ length: 50 }, forge));
			expect(new Set(statuses)).toEqual(new Set([401]));
		});
		expect(reads.credential).toBeLessThanOrEqual(1);
	});
});

describe('a publication that was killed is finished by the next delivery', () => {
	it('which is answered 503, so that the service delivers again', async () => {
		const world = await createWorld();
		expect(await world.forge()).toBe(503);
		expect(world.log()).toMatch(/not_configured;.*is being registered/);
		await accepted(world);
		expect(world.simulator.endpoints).toHaveLength(1);
	});

	it('once, however many come in', async () => {
		const world = await createWorld();
		await Promise.all(Array.from({ length: 20 }, world.forge));
		await accepted(world);
		expect(world.simulator.stats.endpoints).toMatchObject({ created: 1, mostAtOnce: 1 });
	});

	it('and not tried again by each one while the service refuses', async () => {
		const world = await createWorld();
		const { simulator, forge } = world;
		simulator.faults.add({ method: 'POST', path: ENDPOINTS, status: 400 });
		await forge();
		await waitFor(() => (/tried again later/.test(world.log()) ? true : undefined), {
			what: 'the failure in the log',
		});
		simulator.faults.clear();
		letSecondsPass(5);
		const reads = await world.readsOf(async () => {
			for (let n = 0; n < 5; n += 1) expect(await forge()).toBe(503);
		});
		expect(reads.credential).toBe(0);
		expect(simulator.stats.endpoints.created).toBe(0);
	});

	it('but not for a workflow that has just been unpublished', async () => {
		const { publish, unpublish, forge, simulator, readsOf } = await createWorld();
		await publish();
		await unpublish();
		expect(await readsOf(forge)).toMatchObject({ credential: 0 });
		expect(simulator.stats.endpoints).toMatchObject({ created: 1, deleted: 1 });
	});
});

describe('a delivery that cannot be checked is answered 503, and the log says what to do', () => {
	it('when the ledger that keeps the secret cannot be opened', async () => {
		const { publish, useLedger, ledgerPath, forge, log } = await createWorld();
		await publish();
		await useLedger(join(ledgerPath, 'not-a-folder', 'file'));
		expect(await forge()).toBe(503);
		expect(log()).toMatch(/ledger_unavailable;.*not-a-folder/);
	});

	it.each([
		['automatic', CREDENTIAL],
		['manual', 'assetServiceSigningSecretApi'],
	] as const)("when n8n's database is away, with %s registration", async (registration, type) => {
		const world = await createWorld({ registration, credentialTypes: [type] });
		world.failures.credential = new Error('connect ECONNREFUSED 10.1.2.3:5432');
		expect(await world.forge()).toBe(503);
		expect(world.log()).toMatch(/not_configured;.*could not be read.*n8n's database is reachable/);
		expect(world.log()).not.toContain('ECONNREFUSED');
	});

	it.each([
		['automatic', /not_configured; set the API credential of the node/],
		['manual', /not_configured; set the signing secret/],
	] as const)(
		'when the node has no credential, with %s registration',
		async (registration, advice) => {
			const { forge, log } = await createWorld({ registration, credentialTypes: [] });
			expect(await forge()).toBe(503);
			expect(log()).toMatch(advice);
		},
	);
});

it('bounds what the service sends before it is shown or kept', async () => {
	const { simulator, publish, readsOf } = await createWorld();
	const id = `we_\u001b[2J\n${'x'.repeat(5_000_000)}`;
	simulator.faults.add({ method: 'POST', path: ENDPOINTS, body: { data: { id, secret: 's' } } });
	await readsOf(async () => {
		const error: unknown = await publish().catch((thrown: unknown) => thrown);
		const { message, description } = error as { message: string; description: string };
		expect(message).toMatch(/with 5000008 characters of id/);
		expect(message.length + description.length).toBeLessThan(1000);
		expect(message).not.toMatch(/[\u0000-\u001f]/);
	});
});
