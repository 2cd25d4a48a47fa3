/** A workflow of one node in n8n-core's own terms, with the credentials that the test gives it. */
import {
	Workflow,
	type IDataObject,
	type INode,
	type INodeType,
	type INodeTypes,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

export interface OneNode {
	readonly nodeType: INodeType;
	readonly typeVersion: number;
	readonly parameters?: INode['parameters'];
	readonly credentialTypes: readonly string[];
	/** The decrypted credential, by type; called once a read. */
	readonly readCredential: (type: string) => Promise<IDataObject>;
	readonly workflowId: string;
}

export interface OneNodeWorkflow {
	readonly node: INode;
	readonly workflow: Workflow;
	readonly additionalData: IWorkflowExecuteAdditionalData;
}

export function oneNodeWorkflow(options: OneNode): OneNodeWorkflow {
	const {
		nodeType,
		typeVersion,
		parameters = {},
		credentialTypes,
		readCredential,
		workflowId,
	} = options;
	const node: INode = {
		id: 'node-1',
		name: 'Node',
		type: `test.${nodeType.description.name}`,
		typeVersion,
		position: [0, 0],
		parameters,
		credentials: Object.fromEntries(
			credentialTypes.map((type) => [type, { id: `credential-${type}`, name: type }]),
		),
	};
	const nodeTypes = {
		getByName: () => nodeType,
		getByNameAndVersion: () => nodeType,
		getKnownTypes: () => ({}),
	} as INodeTypes;
	const workflow = new Workflow({
		id: workflowId,
		nodes: [node],
		connections: {},
		active: true,
		nodeTypes,
	});
	const additionalData = {
		credentialsHelper: {
			isCredentialUsableByNode: () => true,
			getDecrypted: async (_data: unknown, _credential: unknown, type: string) =>
				await readCredential(type),
		},
	} as unknown as IWorkflowExecuteAdditionalData;
	return { node, workflow, additionalData };
}
