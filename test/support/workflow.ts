/** Runs one node in n8n-core's own engine: an input node hands it items, and its output is what n8n would store. */
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	ICredentialsHelper,
	NodeConnectionTypes,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IDataObject,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	type NodeExecutionHint,
} from 'n8n-workflow';

export interface TestCredential {
	readonly type: ICredentialType;
	/** What n8n has stored; `preAuthentication` writes here. */
	data: ICredentialDataDecryptedObject;
}

export interface NodeRunOptions {
	readonly node: INodeType;
	readonly parameters: INodeParameters;
	/** Items that come in; one empty item when left out. */
	readonly input?: readonly IDataObject[];
	readonly credentials?: readonly TestCredential[];
	readonly onError?: NonNullable<INode['onError']>;
}

export interface NodeRun {
	/** Resolves when the execution has ended, whichever way. */
	readonly finished: Promise<NodeResult>;
	cancel(): void;
}

export interface NodeResult {
	/** The items of the first output; empty when the node failed. */
	readonly items: readonly INodeExecutionData[];
	/** The items of the error output, with `onError: 'continueErrorOutput'`. */
	readonly errorItems: readonly INodeExecutionData[];
	readonly hints: readonly NodeExecutionHint[];
	/** Why the node failed, as n8n stores and shows it. */
	readonly error?: { readonly message: string; readonly description?: string | null | undefined };
	/** Everything that n8n would store. */
	readonly run: IRun;
}

// n8n-core logs every failing node; a test looks at the failure itself.
process.env['N8N_LOG_LEVEL'] ??= 'silent';

const INPUT = 'Input';
const TESTED = 'Tested';
/** Catches the error output, since n8n only fills an output that leads somewhere. */
const CAUGHT = 'Caught';

/** Runs the node to its end. */
export async function runNode(options: NodeRunOptions): Promise<NodeResult> {
	return await startNode(options).finished;
}

/** Starts the node; the run can be cancelled as a person cancels an execution. */
export function startNode(options: NodeRunOptions): NodeRun {
	const { input = [{}], credentials = [] } = options;
	const workflow = workflowOf(options, input);
	const additionalData = {
		credentialsHelper: new TestCredentialsHelper(credentials),
		currentNodeExecutionIndex: 0,
		executionId: 'execution-1',
		hooks: new ExecutionLifecycleHooks('manual', 'execution-1', {
			id: workflow.id,
			name: 'Test',
			nodes: Object.values(workflow.nodes),
			connections: {},
		} as unknown as IWorkflowBase),
		variables: {},
		webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
	} as unknown as IWorkflowExecuteAdditionalData;
	const startNode = workflow.getNode(INPUT) ?? undefined;
	const execution = new WorkflowExecute(additionalData, 'manual').run({
		workflow,
		...(startNode && { startNode }),
	});
	return {
		cancel: () => {
			execution.cancel();
		},
		finished: execution.then(resultOf),
	};
}

function resultOf(run: IRun): NodeResult {
	const data = run.data.resultData.runData[TESTED]?.[0];
	const [items, errorItems] = data?.data?.['main'] ?? [];
	const error = data?.error ?? run.data.resultData.error;
	return {
		items: items ?? [],
		errorItems: errorItems ?? [],
		hints: data?.hints ?? [],
		...(error && { error }),
		run,
	};
}

function workflowOf(
	{ node, parameters, credentials = [], onError }: NodeRunOptions,
	input: readonly IDataObject[],
): Workflow {
	const types: Record<string, INodeType> = {
		'test.input': passing('input', () => input.map((json) => ({ json }))),
		'test.tested': node,
		'test.caught': passing('caught', (items) => items),
	};
	const nodeOf = (name: string, more: Partial<INode> = {}): INode => ({
		id: name,
		name,
		type: `test.${name.toLowerCase()}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		...more,
	});
	const tested = nodeOf(TESTED, {
		parameters,
		...(onError && { onError }),
		credentials: Object.fromEntries(
			credentials.map(({ type }) => [type.name, { id: type.name, name: type.displayName }]),
		),
	});
	const { version } = node.description;
	tested.typeVersion = Array.isArray(version) ? Math.max(...version) : version;
	const to = (name: string) => [{ node: name, type: NodeConnectionTypes.Main, index: 0 }];
	return new Workflow({
		id: 'workflow-1',
		nodes: [nodeOf(INPUT), tested, nodeOf(CAUGHT)],
		connections: {
			[INPUT]: { main: [to(TESTED)] },
			...(onError === 'continueErrorOutput' && { [TESTED]: { main: [[], to(CAUGHT)] } }),
		},
		active: false,
		settings: { executionOrder: 'v1' },
		nodeTypes: {
			getByName: (type: string) => types[type],
			getByNameAndVersion: (type: string) => types[type],
			getKnownTypes: () => ({}),
		} as INodeTypes,
	});
}

function passing(
	name: string,
	items: (input: INodeExecutionData[]) => INodeExecutionData[],
): INodeType {
	return {
		description: {
			displayName: name,
			name,
			group: ['input'],
			version: 1,
			description: '',
			defaults: {},
			inputs: name === 'input' ? [] : [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute() {
			return [items(this.getInputData())];
		},
	};
}

/** Does with credentials what n8n's own helper does, over data in memory. */
class TestCredentialsHelper extends ICredentialsHelper {
	constructor(private readonly credentials: readonly TestCredential[]) {
		super();
	}

	getParentTypes() {
		return [];
	}

	isCredentialUsableByNode() {
		return true;
	}

	getCredentialsProperties(type: string) {
		return this.of(type).type.properties;
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_credential: INodeCredentialsDetails,
		type: string,
	) {
		const { type: description, data } = this.of(type);
		const defaults = description.properties.map((property) => [property.name, property.default]);
		return {
			...(Object.fromEntries(defaults) as ICredentialDataDecryptedObject),
			...data,
		};
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		type: string,
		request: IHttpRequestOptions,
	) {
		const { authenticate } = this.of(type).type;
		return typeof authenticate === 'function' ? await authenticate(credentials, request) : request;
	}

	/** A new token when none is stored or the last one was refused, which is then stored. */
	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		_node: INode,
		expired: boolean,
	) {
		const { type } = this.of(typeName);
		const stored = type.properties.find(({ typeOptions }) => typeOptions?.expirable === true);
		if (!type.preAuthentication || stored === undefined) return undefined;
		if (credentials[stored.name] !== '' && !expired) return undefined;
		const output = await type.preAuthentication.call(helpers, credentials);
		if (output[stored.name] === undefined) return undefined;
		const declared = Object.entries(output).filter(([name]) =>
			type.properties.some((property) => property.name === name),
		);
		Object.assign(this.of(typeName).data, Object.fromEntries(declared));
		return Object.assign(credentials, output);
	}

	async runPreAuthentication() {
		return undefined;
	}

	async getCredentials(): Promise<never> {
		throw new Error('not used here');
	}

	async updateCredentials() {
		throw new Error('not used here');
	}

	async updateCredentialsOauthTokenData() {
		throw new Error('not used here');
	}

	private of(type: string): TestCredential {
		const found = this.credentials.find((credential) => credential.type.name === type);
		if (!found) throw new Error(`no credential of type ${type}`);
		return found;
	}
}
