/** The trigger's own endpoint: made by n8n-core's hooks at a real simulator, its deliveries taken by n8n-core's WebhookContext. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookContext } from 'n8n-core';
import type { IHookFunctions, INode, IWebhookData } from 'n8n-workflow';
import { openLedger } from '../../../lib/ledger';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { startSimulator, type Simulator } from '../../../simulator';
import { oneNodeWorkflow } from '../../support/oneNodeWorkflow';
import { startTriggerServer, type TriggerServer } from '../../support/triggerServer';

const CREDENTIAL = 'assetServiceApi';
const WORKFLOW = 'workflow-1';
const trigger = new AssetServiceTrigger();
const methods = trigger.webhookMethods.default;

const folder = mkdtempSync(join(tmpdir(), 'asset-service-registration-'));
const ledgerPath = join(folder, 'ledger.sqlite');
let simulator: Simulator;
let server: TriggerServer;
const parameters: INode['parameters'] = { registration: 'automatic' };

let credentialReads = 0;
const readCredential = async () => {
	credentialReads += 1;
	const { baseUrl, authUrl, audience, clientId, clientSecret } = simulator;
	return { baseUrl, authUrl, audience, clientId, clientSecret };
};

const startServer = async (workflowId: string) =>
	await startTriggerServer({
		trigger,
		parameters,
		readCredential,
		credentialTypes: [CREDENTIAL],
		workflowId,
	});
const closeLedger = async () => {
	await openLedger({ log: () => undefined }).close();
};

beforeAll(async () => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = ledgerPath;
	simulator = await startSimulator({ assets: 1 });
	server = await startServer(WORKFLOW);
});
afterAll(async () => {
	await server.stop();
	await simulator.stop();
	await closeLedger();
	rmSync(folder, { recursive: true, force: true });
});

/** Every context has the same logger. */
let warn: jest.SpyInstance;
const hook = (): IHookFunctions => {
	const { node, workflow, additionalData } = oneNodeWorkflow({
		nodeType: trigger,
		typeVersion: 2,
		parameters,
		credentialTypes: [CREDENTIAL],
		readCredential,
		workflowId: WORKFLOW,
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
	warn = jest.spyOn(context.logger, 'warn').mockImplementation();
	return context as unknown as IHookFunctions;
};
const publish = async () => {
	if (!(await methods.checkExists.call(hook()))) await methods.create.call(hook());
};
const unpublish = async () => await methods.delete.call(hook());
const deliver = async () => (await simulator.emit({ type: 'ocpp.message' })).responses;

it('accepts deliveries of a new endpoint at once, however lately the secret of the one before was read', async () => {
	for (let edit = 0; edit < 3; edit += 1) {
		await publish();
		expect(await deliver()).toMatchObject([{ status: 200, body: '{"status":"accepted"}' }]);
		await unpublish();
	}
	expect(simulator.stats.endpoints).toEqual({ created: 3, deleted: 3, mostAtOnce: 1 });
	expect(server.started).toHaveLength(3);
});

it('reads the credential no more for a flood of forgeries', async () => {
	await publish();
	const [{ url } = { url: '' }] = simulator.endpoints;
	const { event } = await simulator.emit({ type: 'ocpp.message' });
	const forge = async () => (await simulator.deliver(url, 'another-secret', event)).status;
	expect(await forge()).toBe(401);
	const before = credentialReads;
	const statuses = await Promise.all(Array.from({ length: 50 }, forge));
	expect(new Set(statuses)).toEqual(new Set([401]));
	expect(credentialReads).toBe(before);
	await unpublish();
});

describe('a delivery that cannot be checked is answered 503, and the log says what to do', () => {
	const forge = async (url: string) => {
		const { event } = await simulator.emit({}, { deliver: false });
		warn.mockClear();
		const { status } = await simulator.deliver(url, 'another-secret', event);
		return { status, log: warn.mock.calls.flat().join('\n') };
	};

	it('when the ledger that keeps the secret cannot be opened', async () => {
		await publish();
		await closeLedger();
		process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = join(ledgerPath, 'not-a-folder', 'file');
		const { status, log } = await forge(server.url);
		await closeLedger();
		process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = ledgerPath;
		await unpublish();
		expect(status).toBe(503);
		expect(log).toMatch(/ledger_unavailable;.*not-a-folder/);
	});

	it('when the node has no endpoint', async () => {
		const unregistered = await startServer('workflow-2');
		const { status, log } = await forge(unregistered.url);
		await unregistered.stop();
		expect(status).toBe(503);
		expect(log).toMatch(/not_configured;.*publish the workflow again/);
	});
});
