/** Passes a delivery from n8n to the receiver, and its verdict to n8n. */
import type {
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { createVerifierCache, readTriggerSettings, receive } from '../../lib/receiver';
import type { DeliveryHeaders } from '../../lib/signature';
import { noteFields } from '../arrivedFields';
import { beginRun, itemsOf } from '../beginRun';
import { ledgerFor } from '../ledger';
import { countRejection } from '../rejections';
import { acknowledgeOf } from '../webhooks';
import { logOtherUrl, logRefusal } from './refusalLog';
import { secretSource } from './secretSource';
import { type EndableResponse, settleWithAnswer } from './settleWithAnswer';
import { endOrListenOn, testItems, withIgnored } from './testEvent';

/** The parts of n8n's request that are used here: Node's headers, and the decompressed bytes of the body. */
interface DeliveryRequest {
	readonly headers: DeliveryHeaders;
	readonly headersDistinct?: DeliveryHeaders;
	readonly rawBody?: Buffer;
	readonly readableEnded?: boolean;
	readRawBody?(): Promise<void>;
}

/** The parts of n8n's response (Express) that are used here. */
interface DeliveryResponse extends EndableResponse {
	status(code: number): this;
	set(headers: Readonly<Record<string, string>>): this;
	json(body: unknown): this;
}

/** One per process, so that requests share it. */
const verifiers = createVerifierCache();

/** Never throws on input: n8n would store an exception as a failed execution. */
export async function receiveDelivery(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = this.getRequestObject() as unknown as DeliveryRequest;
	const response = this.getResponseObject() as unknown as DeliveryResponse;
	const settings = readTriggerSettings((name, fallback) => this.getNodeParameter(name, fallback));
	const isTest = this.getMode() === 'manual';
	const acknowledge = acknowledgeOf(this);
	if (!isTest && acknowledge !== settings.acknowledge) logOtherUrl(this, settings.acknowledge);
	const verdict = await receive(
		// Every occurrence of each header, so that a repeated one is noticed.
		{ headers: request.headersDistinct ?? request.headers, body: await rawBytes(request) },
		{
			verifiers,
			secrets: secretSource(this),
			...(!isTest && { openLedger: () => ledgerFor(this) }),
			workflowId: this.getWorkflow().id ?? '',
			isEarly: acknowledge === 'stored',
			settings,
		},
	);
	const event = verdict.start ? verdict.items.at(-1)?.record : verdict.ignored?.record;
	if (event !== undefined) noteFields(this, event);
	if (!verdict.start) {
		if (verdict.log) logRefusal(this, verdict.log);
		const { status, headers = {}, body } = verdict.response;
		const { reason, ...test } = isTest ? endOrListenOn(this, verdict, settings) : {};
		response
			.status(status)
			.set(headers)
			.json({ ...body, reason });
		if (!isTest) countRejection(this, verdict, { headers: request.headers, wanted: settings });
		return { noWebhookResponse: true, ...test };
	}
	const { settle, abandon } = verdict;
	if (settle && abandon) settleWithAnswer(response, { settle, abandon });
	const items = itemsOf(verdict.items);
	return {
		workflowData: [isTest ? withIgnored(this, items, settings) : items],
		webhookResponse: { status: 'accepted' },
	};
}

/** The items that an execution continues with. */
export async function beginDelivered(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	if (this.getMode() === 'manual') return [testItems(this)];
	return [
		await beginRun(
			this,
			readTriggerSettings((name, fallback) => this.getNodeParameter(name, 0, fallback)),
		),
	];
}

/** The body as sent; undefined if it cannot be read. n8n parses a form before it calls the node, and keeps no bytes of it. */
async function rawBytes(request: DeliveryRequest): Promise<Buffer | undefined> {
	if (request.rawBody === undefined && request.readableEnded !== true) {
		await request.readRawBody?.().catch(() => undefined);
	}
	return request.rawBody;
}
