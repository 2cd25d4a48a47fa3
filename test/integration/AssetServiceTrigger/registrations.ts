/** The trigger's own endpoint: created by n8n-core's hooks at a real simulator, with deliveries to n8n-core's WebhookContext. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookContext } from 'n8n-core';
import type { IDataObject, IHookFunctions, INodeParameters, IWebhookData } from 'n8n-workflow';
import { openLedger } from '../../../lib/ledger';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { type SimulatorOptions, startSimulator } from '../../../simulator';
import { oneNodeWorkflow } from '../../support/engine';
import { startTriggerServer } from '../../support/triggerServer';
import { waitFor } from '../../support/wait';

export const CREDENTIAL = 'assetServiceApi';
export const ENDPOINTS = '/webhooks/v1/webhook-endpoints';
const trigger = new AssetServiceTrigger();
const methods = trigger.webhookMethods.default;
const openProcessLedger = () => openLedger({ log: () => undefined });

const cleanUps: (() => void | Promise<void>)[] = [];
let next = 0;

interface WorldOptions {
	readonly registration?: 'automatic' | 'manual';
	readonly credentialTypes?: readonly string[];
	readonly clientSecret?: string;
	/** How the service signs, and what its events look like. */
	readonly sign?: SimulatorOptions['sign'];
	readonly form?: SimulatorOptions['form'];
	/** Of the credential. */
	readonly serviceInterface?: IDataObject;
	/** Additional parameters of the trigger. */
	readonly parameters?: INodeParameters;
}

/** A service, a ledger and a workflow with one trigger, only for this test. */
export async function createWorld(options: WorldOptions = {}) {
	const {
		registration = 'automatic',
		credentialTypes = [CREDENTIAL],
		clientSecret,
		sign,
		form,
		serviceInterface,
	} = options;
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-registration-'));
	cleanUps.push(() => {
		rmSync(folder, { recursive: true, force: true });
	});
	const ledgerPath = join(folder, 'ledger.sqlite');
	const useLedger = async (path: string) => {
		await (await openProcessLedger()).close();
		process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = path;
	};
	await useLedger(ledgerPath);
	cleanUps.push(async () => {
		await (await openProcessLedger()).close();
	});
	const simulator = await startSimulator({ assets: 1, clientSecret, sign, form });
	cleanUps.push(async () => {
		await simulator.stop();
	});

	const counts = { credential: 0, ledger: 0 };
	const failures: { credential?: Error } = {};
	const readCredential = async () => {
		counts.credential += 1;
		if (failures.credential !== undefined) throw failures.credential;
		const { baseUrl, authUrl, audience, clientId, clientSecret } = simulator;
		const access = { baseUrl, authUrl, audience, clientId, clientSecret };
		return { ...access, ...(serviceInterface && { serviceInterface }) };
	};
	const published = {
		parameters: { registration, ...options.parameters },
		credentialTypes,
		readCredential,
		workflowId: `workflow-${(next += 1)}`,
	};
	const server = await startTriggerServer({ trigger, ...published });
	cleanUps.push(async () => {
		await server.stop();
	});

	const log: string[] = [];
	/** The workflow data that n8n keeps between its hooks. */
	const staticData: IDataObject = {};
	const hook = (): IHookFunctions => {
		const { node, workflow, additionalData } = oneNodeWorkflow({
			nodeType: trigger,
			typeVersion: 2,
			...published,
		});
		Object.assign(additionalData, { webhookBaseUrl: server.url });
		workflow.staticData = staticData;
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
	// All contexts share one logger.
	jest.spyOn(hook().logger, 'warn').mockImplementation((line) => log.push(line));

	const ledger = await openProcessLedger();
	const readRecord = ledger.readRecord.bind(ledger);
	jest.spyOn(ledger, 'readRecord').mockImplementation(async (key) => {
		// Counts of rejections are read and written in the background.
		if (!key.startsWith('rejections:')) counts.ledger += 1;
		return await readRecord(key);
	});
	/** How often `work` reads credential and record. */
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
		staticData,
		useLedger,
		ledgerPath,
		readsOf,
		publish: async () => {
			if (!(await methods.checkExists.call(hook()))) await methods.create.call(hook());
		},
		/** Changes parameters of the trigger, as a user does in the editor. */
		change: (parameters: INodeParameters) => Object.assign(published.parameters, parameters),
		unpublish: async () => await methods.delete.call(hook()),
		deliver: async () => (await simulator.emit({ type: 'ocpp.message' })).responses,
		forge: async () => {
			const { event } = await simulator.emit({}, { deliver: false });
			// A secret for any scheme.
			const secret = `whsec_${Buffer.from('another secret').toString('base64')}`;
			return (await simulator.deliver(server.url, secret, event)).status;
		},
	};
}
type World = Awaited<ReturnType<typeof createWorld>>;

/** A delivery that the endpoint created in the background accepts. */
export const accepted = async ({ deliver }: World) =>
	await waitFor(async () => (await deliver()).some(({ status }) => status === 200), {
		what: 'a delivery to be accepted',
	});
/** The verifier of a node is read again if it is over a second old. */
export const letSecondsPass = (seconds: number) => {
	const now = performance.now.bind(performance);
	jest.spyOn(performance, 'now').mockImplementation(() => now() + seconds * 1000);
};

/** Call it once per test file. */
export function cleanUpAfterEach(): void {
	afterEach(async () => {
		for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
		jest.restoreAllMocks();
	});
}
