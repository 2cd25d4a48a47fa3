/** A trigger behind a real HTTP server, run by n8n-core's own WebhookContext, with responses like those of n8n's webhook handler. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IWebhookData,
	IWebhookFunctions,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { rejections } from '../../n8n/log/log';
import { oneNodeWorkflow } from './engine';

export interface TriggerServerOptions {
	readonly trigger: INodeType;
	readonly parameters?: INode['parameters'];
	/** The decrypted credential, by type; called once per read. */
	readonly readCredential: (type: string) => Promise<IDataObject>;
	readonly credentialTypes: readonly string[];
	/** Stores the execution: a rejection gets 500, as n8n does. */
	readonly store?: (...items: IDataObject[]) => Promise<void>;
	/** Runs the execution; at the URL that responds after its end, a rejection gets 500. */
	readonly run?: (items: readonly INodeExecutionData[]) => Promise<void>;
	readonly mode?: WorkflowExecuteMode;
	/**
	 * As for content types that n8n does not know, the bytes are read when the node asks for them, or cannot be read; as for
	 * forms, n8n has parsed them before it calls the node, and does not have them any more.
	 */
	readonly body?: 'onRequest' | 'unreadable' | 'parsed';
	readonly workflowId?: string;
	/** Distinguishes the triggers of one workflow. */
	readonly nodeId?: string;
}

export interface TriggerServer {
	readonly url: string;
	/** The items that started the workflow, in order. */
	readonly started: IDataObject[];
	/** The same, per execution. */
	readonly runs: readonly IDataObject[][];
	/** The items of an editor test that started an execution, as n8n stores them. */
	readonly tested: INodeExecutionData[];
	/** How often `webhook()` threw, which should be never. */
	readonly thrown: unknown[];
	stop(): Promise<void>;
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startTriggerServer(options: TriggerServerOptions): Promise<TriggerServer> {
	const started: IDataObject[] = [];
	const runs: IDataObject[][] = [];
	const tested: INodeExecutionData[] = [];
	const thrown: unknown[] = [];
	const server: Server = createServer((request, response) => {
		void handle(options, request, response, { started, runs, tested }).catch((error: unknown) => {
			thrown.push(error);
			if (!response.writableEnded) answerJson(response, 500, { message: 'Error' });
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	// If a failed test leaves it open, it must not keep Jest from ending.
	server.unref();
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/webhook`,
		started,
		runs,
		tested,
		thrown,
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
			await rejections.flush();
		},
	};
}

async function handle(
	options: TriggerServerOptions,
	request: IncomingMessage & { rawBody?: Buffer; readRawBody?: () => Promise<void> },
	response: ServerResponse,
	{ started, runs, tested }: Pick<TriggerServer, 'started' | 'tested'> & { runs: IDataObject[][] },
): Promise<void> {
	if (options.body === undefined) request.rawBody = await readAll(request);
	if (options.body === 'parsed') await readAll(request);
	request.readRawBody = async () => {
		if (options.body === 'unreadable' || request.readableEnded) throw new Error('not readable');
		request.rawBody = await readAll(request);
	};
	const context = contextOf(options, request, expressLike(response));
	const { trigger } = options;
	const result = await trigger.webhook?.call(context as unknown as IWebhookFunctions);
	const items = (result?.workflowData?.[0] ?? []).map(({ json }) => json);
	if (options.mode === 'manual') tested.push(...(result?.workflowData?.[0] ?? []));
	if (result?.noWebhookResponse === true) {
		// n8n starts an execution for items even if the node has already responded.
		started.push(...items);
		return;
	}
	try {
		if (items.length === 0) throw new Error('webhook() answered neither a response nor data');
		await options.store?.(...items);
		started.push(...items);
		runs.push(items);
		if (isLastNode(request)) {
			await options.run?.(result?.workflowData?.[0] ?? []);
			response.end();
			return;
		}
	} catch {
		answerJson(response, 500, { code: 0, message: 'There was a problem executing the workflow' });
		return;
	}
	answerJson(response, 200, result?.webhookResponse);
	void options.run?.(result?.workflowData?.[0] ?? []).catch(() => undefined);
}

function contextOf(
	{
		trigger,
		parameters = {},
		readCredential,
		credentialTypes,
		mode = 'webhook',
		workflowId = 'workflow-1',
		nodeId,
	}: TriggerServerOptions,
	request: IncomingMessage,
	response: ServerResponse,
): WebhookContext {
	const { node, workflow, additionalData } = oneNodeWorkflow({
		nodeType: trigger,
		typeVersion: 2,
		parameters,
		credentialTypes,
		readCredential,
		workflowId,
		nodeId,
	});
	const webhookBaseUrl = `http://${request.headers.host ?? ''}/webhook`;
	Object.assign(additionalData, { httpRequest: request, httpResponse: response, webhookBaseUrl });
	const [stored, succeeded] = trigger.description.webhooks ?? [];
	const webhookDescription = isLastNode(request) ? succeeded : stored;
	const webhookData = { isTest: mode === 'manual', webhookDescription } as IWebhookData;
	return new WebhookContext(workflow, node, additionalData, mode, webhookData, [], null);
}

/** Whether the delivery was sent to the URL that responds when the execution has ended. */
const isLastNode = (request: IncomingMessage) => request.url?.endsWith('/done') === true;

/** The part of Express that n8n's responses have and nodes use. */
function expressLike(response: ServerResponse): ServerResponse {
	return Object.assign(response, {
		status(code: number) {
			response.statusCode = code;
			return response;
		},
		set(headers: Record<string, string>) {
			for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
			return response;
		},
		json(body: unknown) {
			answerJson(response, response.statusCode, body);
			return response;
		},
	});
}

function answerJson(response: ServerResponse, status: number, body: unknown): void {
	response.statusCode = status;
	response.setHeader('content-type', 'application/json');
	response.end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}
