/** Builds workflows in n8n's format: for its REST API, for a node that contains one, and for n8n-core's own engine. */
import { randomUUID } from 'node:crypto';
import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

export interface NodePlan {
	/** A new one by default. */
	readonly id?: string;
	/** With its package, such as `n8n-nodes-base.webhook`. */
	readonly type: string;
	readonly typeVersion: number;
	readonly parameters?: object;
	/** As in n8n, one per type. */
	readonly credentials?: readonly CredentialName[];
	readonly webhookId?: string;
	readonly onError?: NonNullable<INode['onError']>;
	readonly retryOnFail?: boolean;
	readonly maxTries?: number;
	/** Milliseconds. */
	readonly waitBetweenTries?: number;
	/** Runs only for the first of its items. */
	readonly executeOnce?: boolean;
}

export interface CredentialName {
	readonly type: string;
	readonly id: string;
	readonly name: string;
}

interface WorkflowPlan {
	readonly name?: string;
	/** By their names. */
	readonly nodes: Readonly<Record<string, NodePlan>>;
	/** Names of nodes, each connected to the next. */
	readonly chains?: readonly (readonly string[])[];
	/** By node name, the node at its error output. */
	readonly errorsTo?: Readonly<Record<string, string>>;
}

export interface WorkflowContent {
	readonly name: string;
	readonly nodes: INode[];
	readonly connections: IConnections;
	/** The order of execution that n8n has for new workflows. */
	readonly settings: { readonly executionOrder: 'v1' };
}

export function buildWorkflow(plan: WorkflowPlan): WorkflowContent {
	return {
		name: plan.name ?? 'Test',
		nodes: Object.entries(plan.nodes).map(
			([name, { parameters, credentials, ...node }], index) => ({
				id: randomUUID(),
				...node,
				name,
				position: [index * 220, 0],
				parameters: (parameters ?? {}) as INodeParameters,
				...(credentials && { credentials: credentialsByType(credentials) }),
			}),
		),
		connections: connectionsOf(plan),
		settings: { executionOrder: 'v1' },
	};
}

export function credentialsByType(
	credentials: readonly CredentialName[],
): Record<string, { id: string; name: string }> {
	return Object.fromEntries(credentials.map(({ type, id, name }) => [type, { id, name }]));
}

function connectionsOf({ chains = [], errorsTo = {} }: WorkflowPlan): IConnections {
	const connections: IConnections = {};
	const connect = (from: string, to: string, output: number): void => {
		const outputs = ((connections[from] ??= {})['main'] ??= []);
		while (outputs.length <= output) outputs.push([]);
		outputs[output]?.push({ node: to, type: 'main', index: 0 });
	};
	for (const chain of chains) {
		for (const [index, to] of chain.slice(1).entries()) connect(chain[index] ?? '', to, 0);
	}
	for (const [from, to] of Object.entries(errorsTo)) connect(from, to, 1);
	return connections;
}
