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
let simulator: Simulator;
let server: TriggerServer;
const parameters: INode['parameters'] = { registration: 'automatic' };

let credentialReads = 0;
const readCredential = async () => {
	credentialReads += 1;
	const { baseUrl, authUrl, audience, clientId, clientSecret } = simulator;
	return { baseUrl, authUrl, audience, clientId, clientSecret };
};

beforeAll(async () => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = join(folder, 'ledger.sqlite');
	simulator = await startSimulator({ assets: 1 });
	server = await startTriggerServer({
		trigger,
		parameters,
		readCredential,
		credentialTypes: [CREDENTIAL],
		workflowId: WORKFLOW,
	});
});
afterAll(async () => {
	await server.stop();
	await simulator.stop();
	await openLedger({ log: () => undefined }).close();
	rmSync(folder, { recursive: true, force: true });
});

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
	jest.spyOn(context.logger, 'warn').mockImplementation();
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
