/** What happens to a delivery, step by step: bytes, signature, event, type, claim, workflow, commit. */
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { parseEvent, type ParsedEvent } from '../../lib/receiver/event';
import { claimOrWait, ledgerKey, LedgerUnavailableError, openLedger } from '../../lib/ledger';
import type { DeliveryHeaders, SecretName } from '../../lib/receiver/signature';
import { beginRun } from './beginRun';
import { settleWithAnswer, type EndableResponse } from './settleWithAnswer';
import { duplicate, ignored, refuse, type Answer, type DeliveryPlace } from './refusal';
import { readTriggerSettings, type TriggerSettings } from '../../lib/receiver/settings';
import { checkSignature, type Signed } from './signatureCheck';

/** The part of n8n's request that is used here: Node's headers, and the decompressed bytes of the body. */
interface DeliveryRequest {
	readonly headers: DeliveryHeaders;
	readonly headersDistinct?: DeliveryHeaders;
	readonly rawBody?: Buffer;
	readRawBody?(): Promise<void>;
}

/** The part of n8n's response (Express) that is used here. */
interface DeliveryResponse extends EndableResponse {
	status(code: number): this;
	set(headers: Readonly<Record<string, string>>): this;
	json(body: unknown): this;
}

/**
 * Receives one delivery. Never throws for what came in: a throw would be stored by n8n as a failed execution.
 * An event is acknowledged when its execution is stored, or was before; in every other case the service delivers it again.
 */
export async function receiveDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = context.getRequestObject() as unknown as DeliveryRequest;
	const response = context.getResponseObject() as unknown as DeliveryResponse;
	const place = placeOf(context);
	const settings = readTriggerSettings((name, fallback) =>
		context.getNodeParameter(name, fallback),
	);
	const receivedAt = new Date();

	const answer = ({ status, headers = {}, body }: Answer): IWebhookResponseData => {
		response.status(status).set(headers).json(body);
		return { noWebhookResponse: true };
	};

	const body = await rawBytes(request);
	const headers = headersOf(request);
	const signed = await checkSignature(context, { headers, body, receivedAt, settings });
	if (!signed.ok) return answer(refuse(context.logger, place, signed.reason, signed.detail));

	const parsed = parseEvent(body);
	if (!parsed.ok) return answer(refuse(context.logger, place, 'event_invalid'));
	const { event } = parsed;

	if (!settings.isWanted(event.type)) return answer(ignored);

	const output = handOver(itemOf(event, signed, headers, receivedAt, settings));
	if (context.getMode() === 'manual') return output;

	const claim = await claimEvent(context, place, event);
	if (!claim.ok) return answer(claim.answer);

	settleWithAnswer(response, claim.hold, settings.retentionMs);
	return output;
}

/** The items that a run goes on with. */
export async function beginDelivered(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const { retentionMs } = readTriggerSettings((name, fallback) =>
		context.getNodeParameter(name, 0, fallback),
	);
	return await beginRun(context, retentionMs);
}

/** The body as it was sent; empty when it cannot be read, which no signature of a delivery fits. */
async function rawBytes(request: DeliveryRequest): Promise<Buffer> {
	if (request.rawBody === undefined) {
		try {
			await request.readRawBody?.();
		} catch {
			return Buffer.alloc(0);
		}
	}
	return request.rawBody ?? Buffer.alloc(0);
}

/** Every occurrence of every header, so that a repeated one is seen as such. */
function headersOf(request: DeliveryRequest): DeliveryHeaders {
	return request.headersDistinct ?? request.headers;
}

type ClaimedEvent =
	{ ok: true; hold: Parameters<typeof settleWithAnswer>[1] } | { ok: false; answer: Answer };

async function claimEvent(
	{ logger }: IWebhookFunctions,
	place: DeliveryPlace,
	event: ParsedEvent,
): Promise<ClaimedEvent> {
	try {
		const ledger = openLedger({
			log: (line) => {
				logger.info(line);
			},
		});
		const claim = await claimOrWait(ledger, ledgerKey(place.workflowId, event.id));
		switch (claim.outcome) {
			case 'claimed':
				return { ok: true, hold: claim.hold };
			case 'duplicate':
				return { ok: false, answer: duplicate };
			case 'busy':
				return { ok: false, answer: refuse(logger, place, 'busy') };
		}
	} catch (error) {
		const detail = error instanceof LedgerUnavailableError ? error.message : undefined;
		return { ok: false, answer: refuse(logger, place, 'ledger_unavailable', detail) };
	}
}

function placeOf(context: IWebhookFunctions): DeliveryPlace {
	const { id: nodeId, name: nodeName } = context.getNode();
	return { workflowId: context.getWorkflow().id ?? '', nodeId, nodeName };
}

function itemOf(
	{ record }: ParsedEvent,
	{ secret, timestamp }: Extract<Signed, { ok: true }>,
	headers: DeliveryHeaders,
	receivedAt: Date,
	{ includeDelivery }: TriggerSettings,
): IDataObject {
	const item = record as IDataObject;
	if (!includeDelivery) return item;
	const id = firstHeader(headers, 'x-webhook-delivery-id') ?? firstHeader(headers, 'webhook-id');
	return { ...item, _delivery: deliveryFacts(id, timestamp, secret, receivedAt) };
}

function deliveryFacts(
	id: string | undefined,
	timestamp: number | null,
	secret: SecretName,
	receivedAt: Date,
): IDataObject {
	return { id: id ?? null, timestamp, secret, receivedAt: receivedAt.toISOString() };
}

function firstHeader(headers: DeliveryHeaders, name: string): string | undefined {
	const value = headers[name];
	return typeof value === 'string' ? value : value?.[0];
}

function handOver(item: IDataObject): IWebhookResponseData {
	return { workflowData: [[{ json: item }]], webhookResponse: { status: 'accepted' } };
}
