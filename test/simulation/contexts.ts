/** What n8n passes to a node: the parts of its contexts that the package uses. */
import type {
	IExecuteFunctions,
	IHookFunctions,
	INodeExecutionData,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import type { Settings } from '../history/history';
import type { HostProcess } from './hostProcess';
import type { Delivery, Response } from './n8n';
import { SECRET, SERVICE_URL } from './service';
import type { World } from './world';

export const WORKFLOW = 'workflow-1';

type Trigger = 'webhook' | 'poll' | 'station' | 'action';

export type PollingTrigger = 'poll' | 'station';

const NODES = {
	webhook: { id: 'node-webhook', name: 'Events', type: 'test.assetServiceTrigger' },
	poll: { id: 'node-poll', name: 'Poll', type: 'test.assetServicePollTrigger' },
	station: { id: 'node-station', name: 'Stations', type: 'test.assetServiceStationTrigger' },
	action: { id: 'node-action', name: 'Asset Service', type: 'test.assetService' },
} as const;

const CREDENTIALS: Readonly<Record<string, unknown>> = {
	assetServiceSigningSecretApi: { signingSecret: SECRET, scheme: 'timestamped' },
	assetServiceApi: {
		...{ baseUrl: SERVICE_URL, authUrl: `${SERVICE_URL}/auth`, audience: 'test' },
		...{ clientId: 'client', clientSecret: 'secret-of-the-client' },
	},
};

/** The parameters of the triggers. */
export function parametersOf(
	world: World,
	{ acknowledge, batchSize, wants, station }: Settings,
): Record<string, unknown> {
	const { kind, catchUpHours, ...watched } = station ?? {};
	return {
		...{ ...watched, triggerOn: kind },
		...{ acknowledge, registration: 'manual', startFrom: world.scenario.startFrom },
		eventTypes: wants === 'all' ? [] : ['ocpp.message'],
		...(batchSize > 1 ? { delivery: 'batched', batchSize } : { delivery: 'immediate' }),
		pollTimes: { item: [{ mode: 'everyX', value: world.scenario.pollMinutes, unit: 'minutes' }] },
		...{ limit: world.scenario.pageSize, options: { accountAccess: 'thisWorkflow', catchUpHours } },
	};
}

function common(world: World, host: HostProcess, trigger: Trigger, poll?: number) {
	const credentials = {
		assetServiceSigningSecretApi: { id: '1', name: 'Secret' },
		assetServiceApi: { id: '2', name: 'API' },
	};
	const node = { ...NODES[trigger], typeVersion: 2, position: [0, 0], parameters: {}, credentials };
	const silent = () => undefined;
	const { version } = world.n8n;
	const warn = (message: string) => {
		world.note({ what: 'warned', by: host.name, message });
	};
	return {
		getNode: () => node,
		getWorkflow: () => ({ id: WORKFLOW, name: 'Workflow', active: true }),
		getWorkflowSettings: () => ({}),
		getTimezone: () => 'UTC',
		getInstanceBaseUrl: () => 'https://n8n.test/',
		getRestApiUrl: () => 'https://n8n.test/rest',
		getNodeWebhookUrl: () => 'https://n8n.test/webhook/1/webhook',
		getCredentials: async (type: string) => {
			await host.sleep(1);
			return CREDENTIALS[type];
		},
		logger: { debug: silent, info: silent, warn, error: warn },
		helpers: {
			httpRequest: ({ url }: { url: string }) =>
				world.service.request(host, { reader: trigger, poll, version }, url),
			createDeferredPromise: deferred,
		},
	};
}

/** n8n's deferred promise. */
export function deferred<T>() {
	let resolve: (value: T) => void = () => undefined;
	let reject: (error: Error) => void = () => undefined;
	const promise = new Promise<T>((...given) => {
		[resolve, reject] = given;
	});
	return { promise, resolve, reject };
}

function reader(parameters: Readonly<Record<string, unknown>>) {
	return (name: string, fallback: unknown): unknown => {
		const value = name
			.split('.')
			.reduce<unknown>(
				(object, step) => (object as Record<string, unknown> | undefined)?.[step],
				parameters,
			);
		return value ?? fallback;
	};
}

export function hookContext(
	world: World,
	host: HostProcess,
	{ settings, mode }: { settings: Settings; mode: string },
): IHookFunctions {
	return {
		...common(world, host, 'webhook'),
		...{ getMode: () => 'trigger', getActivationMode: () => mode },
		getNodeParameter: reader(parametersOf(world, settings)),
	} as unknown as IHookFunctions;
}

export function webhookContext(
	world: World,
	host: HostProcess,
	{
		settings,
		delivery,
		response,
		isEarly,
	}: { settings: Settings; delivery: Delivery; response: Response; isEarly: boolean },
): IWebhookFunctions {
	const rawBody = Buffer.from(delivery.body);
	return {
		...common(world, host, 'webhook'),
		getMode: () => 'webhook',
		getNodeParameter: reader(parametersOf(world, settings)),
		getRequestObject: () => ({ headers: delivery.headers, rawBody }),
		getResponseObject: () => response,
		getWebhookName: () => (isEarly ? 'default' : 'setup'),
	} as unknown as IWebhookFunctions;
}

export function pollContext(
	world: World,
	host: HostProcess,
	{
		trigger,
		poll,
		settings,
		mode,
		data,
		emit,
	}: {
		trigger: PollingTrigger;
		/** Its number. */
		poll: number;
		settings: Settings;
		mode: string;
		data: Record<string, unknown>;
		emit: (
			items: INodeExecutionData[],
			done?: { resolve: (run: unknown) => void; reject: (error: Error) => void },
		) => void;
	},
): IPollFunctions {
	const { pollBudgetMs } = world.scenario;
	return {
		...common(world, host, trigger, poll),
		...{ getMode: () => 'trigger', getActivationMode: () => mode },
		getNodeParameter: reader(parametersOf(world, settings)),
		getWorkflowStaticData: () => data,
		...(pollBudgetMs !== undefined && { getPollBudgetMs: () => pollBudgetMs }),
		__emit: (
			[items = []]: INodeExecutionData[][],
			_response: unknown,
			done: { resolve: (run: unknown) => void; reject: (error: Error) => void } | undefined,
		) => {
			emit(items, done);
		},
	} as unknown as IPollFunctions;
}

interface ExecuteOptions {
	readonly trigger: Trigger;
	readonly mode: string;
	readonly id: string;
	readonly items: readonly INodeExecutionData[];
	readonly parameters: Readonly<Record<string, unknown>>;
	/** As n8n's own objects. */
	readonly hooks?: {
		readonly handlers: Readonly<Record<string, ((run: unknown) => Promise<void>)[]>>;
	};
	readonly onFinish?: ((handler: () => Promise<void>) => void) | undefined;
	readonly data?: object;
	readonly signal?: AbortSignal;
}

export function executeContext(
	world: World,
	host: HostProcess,
	options: ExecuteOptions,
): IExecuteFunctions {
	const { trigger, mode, id, items, hooks, onFinish, data = {}, signal } = options;
	const read = reader(options.parameters);
	return {
		...common(world, host, trigger),
		...{ getMode: () => mode, getExecutionId: () => id, getInputData: () => items },
		getNodeParameter: (name: string, _index: number, fallback: unknown) => read(name, fallback),
		getExecutionCancelSignal: () => signal,
		...{ addExecutionHints: () => undefined, continueOnFail: () => false },
		...{ isToolExecution: () => false, getExecuteData: () => ({}) },
		additionalData: { ...(hooks && { hooks }) },
		runExecutionData: data,
		...(onFinish && { onExecutionFinish: onFinish }),
	} as unknown as IExecuteFunctions;
}
