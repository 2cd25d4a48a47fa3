/** Passes a delivery from n8n to the receiver, and its verdict to n8n. */
import type {
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
	Logger,
} from 'n8n-workflow';
import { notApplied, type ReadParameter, type Wanted } from '../../lib/event';
import type { Acknowledge } from '../../lib/ledger';
import {
	createVerifierCache,
	readTriggerSettings,
	TRIGGER_NUMBERS,
	receive,
	accepted,
	busy,
	type HandOver,
	type NoStart,
	REASONS,
	deliveryIdOf,
	UNMET_ADVICE,
} from '../../lib/receiver';
import { printable } from '../../lib/shared/text';
import { DAY_MS } from '../../lib/shared/time';
import type { DeliveryHeaders } from '../../lib/signature';
import { secretSource } from '../endpoint/secrets';
import { acknowledgeOf } from '../endpoint/webhooks';
import { beginRun, itemsOf } from '../execution/beginRun';
import { ledgerFor } from '../execution/ledger';
import { noteFields } from '../fields/conditions';
import { createLogLimiter, logLine, rejections } from '../log/log';
import { hintAt } from '../log/nodeError';
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
	const read: ReadParameter = (name, fallback) => this.getNodeParameter(name, 0, fallback);
	if (this.getMode() !== 'manual') return [await beginRun(this, readTriggerSettings(read))];
	hintAt(this, notApplied(read, TRIGGER_NUMBERS));
	return [testItems(this)];
}

/** The body as sent; undefined if it cannot be read. n8n parses a form before it calls the node, and keeps no bytes of it. */
async function rawBytes(request: DeliveryRequest): Promise<Buffer | undefined> {
	if (request.rawBody === undefined && request.readableEnded !== true) {
		await request.readRawBody?.().catch(() => undefined);
	}
	return request.rawBody;
}

type LogLimiter = ReturnType<typeof createLogLimiter>;
/** By n8n's logger, since each context may have another one. */
type Limiters = WeakMap<Logger, LogLimiter>;
const refusals: Limiters = new WeakMap();
const otherUrls: Limiters = new WeakMap();

function limiterOf(known: Limiters, logger: Logger, pauseMs?: number): LogLimiter {
	const limiter = known.get(logger) ?? createLogLimiter(logger, pauseMs);
	known.set(logger, limiter);
	return limiter;
}

/** A delivery arrived at the URL of the other setting of "If the Execution Fails", the parameter of the node. */
export function logOtherUrl(
	context: Pick<IWebhookFunctions, 'getNode' | 'getWorkflow' | 'logger'>,
	acknowledge: Acknowledge,
): void {
	const line = logLine(
		context,
		acknowledge === 'stored'
			? "a delivery arrived at the URL for 'If the Execution Fails' = 'Start Again', but the node is set to 'Do Not Start Again', which applies. Register the URL that the node shows"
			: "a delivery arrived at the URL for 'If the Execution Fails' = 'Do Not Start Again', but the node is set to 'Start Again', which applies: n8n responds before the execution ends, so after a failure only a poll trigger or another delivery starts the event again. Register the URL that the node shows",
	);
	limiterOf(otherUrls, context.logger, DAY_MS).call(line, () => line);
}

/** Writes the reason of each rejection to n8n's log, at most one line per second, node and reason. */
export function logRefusal(
	context: Pick<IWebhookFunctions, 'getNode' | 'getWorkflow' | 'logger'>,
	{ reason, detail }: RefusalLine,
): void {
	const line = logLine(context, `delivery rejected: ${reason}`);
	limiterOf(refusals, context.logger).call(line, () => `${line}; ${printable(detail, 1000)}`);
}

/** The part of a response that matters here. */
interface EndableResponse {
	statusCode: number;
	/** Whether the connection is closed. */
	readonly destroyed: boolean;
	readonly headersSent: boolean;
	setHeader(name: string, value: string): unknown;
	removeHeader(name: string): unknown;
	end: (...given: never[]) => unknown;
	once(event: 'close', listener: () => void): unknown;
	off(event: 'close', listener: () => void): unknown;
}

/** How long n8n may take to respond to a sender that has hung up, from the hand-over: the service itself gives up after 30 s. */
const RESPOND_WITHIN_MS = 30_000;

/**
 * Settles the hand-over when n8n ends the response, and sends what the service has to get.
 *
 * It wraps `end` because no event is reliable: when the caller has hung up, `finish` never fires and `close` fires
 * early with a false 200, but n8n still calls `end` with the status that it decided on.
 * A second call of `end` while the claim is being settled is ignored: the first one has not been sent yet.
 *
 * n8n never responds for a queued execution that a user stopped. So the events count as stored once the sender has hung
 * up and n8n has not responded in time.
 */
export function settleWithAnswer(
	response: EndableResponse,
	{ settle, abandon }: Pick<HandOver, 'settle' | 'abandon'>,
): void {
	const end = response.end.bind(response) as (...given: unknown[]) => unknown;
	let ending = false;
	let isLate = false;
	const abandonIfLate = () => {
		if (isLate && response.destroyed) void abandon();
	};
	const timer = setTimeout(() => {
		isLate = true;
		abandonIfLate();
	}, RESPOND_WITHIN_MS).unref();
	response.once('close', abandonIfLate);
	response.end = (...given: unknown[]) => {
		if (ending) return response;
		ending = true;
		clearTimeout(timer);
		response.off('close', abandonIfLate);
		const isOk = response.statusCode < 300;
		void settle(isOk).then((outcome) => {
			if (outcome === 'busy') end(...instead(response, busy));
			else if (outcome === 'accepted' && !isOk) end(...instead(response, accepted));
			else end(...given);
		});
		return response;
	};
}

/** Another response than n8n's. Returns its body. */
function instead(response: EndableResponse, { response: other }: NoStart): string[] {
	if (response.headersSent) return [];
	const { status, headers = {}, body } = other;
	response.statusCode = status;
	response.removeHeader('Content-Length');
	for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
	response.setHeader('Content-Type', 'application/json');
	return [JSON.stringify(body)];
}

type RefusalLine = NonNullable<NoStart['log']>;

/** The advice for a problem that contains its own. */
const AS_IT_SAYS = 'do what lastProblem says';

/** Counts a rejected delivery or an ignored event; a duplicate is neither. */
function countRejection(
	context: Pick<IWebhookFunctions, 'getNode' | 'getWorkflow' | 'logger'>,
	{ log, ignored }: NoStart,
	{ headers, wanted }: { readonly headers: DeliveryHeaders; readonly wanted: Wanted },
): void {
	const reason = log?.reason ?? (ignored && 'ignored');
	if (reason === undefined) return;
	const { id: nodeId, name: nodeName } = context.getNode();
	const { id: workflowId = '' } = context.getWorkflow();
	const { logger } = context;
	const unmet =
		ignored && wanted.isWantedType(ignored.type) && wanted.conditions.unmet(ignored.record);
	rejections.count({ workflowId, nodeId, nodeName }, reason, () => ledgerFor({ logger }), {
		deliveryId: deliveryIdOf(headers),
		// The condition, but not the value that did not meet it: that is part of the event.
		...(unmet
			? { problem: `it does not meet the condition '${unmet}'`, advice: UNMET_ADVICE }
			: log && causeOf(log)),
	});
}

function causeOf({ reason, detail, cause }: RefusalLine): RefusalLine['cause'] {
	if (cause !== undefined || detail === REASONS[reason].advice) return cause;
	return { problem: detail, advice: AS_IT_SAYS };
}
