/**
 * "Listen for test event": n8n listens until an execution starts. An ignored event starts none, so it is counted here;
 * a rejected delivery starts one that fails with the reason.
 */
import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeOperationError,
} from 'n8n-workflow';
import type { Wanted } from '../../lib/event';
import type { NoStart, RefusalReason } from '../../lib/receiver';
import { printable } from '../../lib/shared/printable';
import { sentence } from '../../lib/shared/sentence';
import { asText, isRecord } from '../../lib/shared/values';
import { forgetTest, testSurvey } from '../testSurvey';

/** The fields that `webhook` passes to `execute` next to the `json` of an item: nothing else reaches it in every process. */
const REJECTED = 'assetServiceRejected';
const IGNORED = 'assetServiceIgnored';

const WORDS: Readonly<Record<RefusalReason, string>> = {
	signature_missing: 'it has no signature',
	signature_malformed: 'its signature cannot be read',
	signature_mismatch: 'its signature does not match',
	timestamp_outside_tolerance: 'its timestamp is too old or in the future',
	event_invalid: 'the body is not a JSON object with an ID',
	not_configured: 'the node has no usable signing secret, or a condition that can never match',
	ledger_unavailable: 'the event ledger is not available',
	busy: 'another delivery of this event is still in progress',
};

/** The result for n8n of a delivery that does not start the workflow, and the reason for the sender. */
export function endOrListenOn(
	context: IWebhookFunctions,
	{ log, ignored }: NoStart,
	wanted: Wanted,
): Pick<IWebhookResponseData, 'workflowData'> & { reason?: string } {
	if (ignored !== undefined) {
		testSurvey(context, wanted).look(ignored);
		return { reason: ignoredSoFar(context, wanted) };
	}
	if (log === undefined) return {};
	const { reason, detail } = log;
	const advice = sentence(printable(detail, 1000));
	const rejected = {
		message: `Delivery rejected: ${WORDS[reason]}`,
		description: `${advice} (Log code: ${reason})`,
	};
	return { workflowData: [withIgnored(context, [{ json: {}, [REJECTED]: rejected }], wanted)] };
}

/** The items that end the test, with a note about the events ignored before them. */
export function withIgnored(
	context: IWebhookFunctions,
	items: INodeExecutionData[],
	wanted: Wanted,
): INodeExecutionData[] {
	const ignored = ignoredSoFar(context, wanted);
	forgetTest(context);
	return ignored === '' ? items : items.map((item) => ({ ...item, [IGNORED]: ignored }));
}

function ignoredSoFar(context: IWebhookFunctions, wanted: Wanted): string {
	const survey = testSurvey(context, wanted);
	if (survey.ignored === 0) return '';
	const events = survey.ignored === 1 ? '1 event was' : `${survey.ignored} events were`;
	return `${events} ignored while listening. ${survey.why}`;
}

/**
 * The items that a test continues with; a hint lists the ignored events.
 * @throws {NodeOperationError} if the delivery was rejected.
 */
export function testItems(context: IExecuteFunctions): INodeExecutionData[] {
	const items = context.getInputData();
	const [first] = items as (INodeExecutionData | undefined)[];
	const message = asText(first?.[IGNORED]);
	const rejected = first?.[REJECTED];
	if (isRecord(rejected)) {
		throw new NodeOperationError(context.getNode(), asText(rejected['message']), {
			description: `${asText(rejected['description'])} ${message}`.trim(),
		});
	}
	if (message === '') return items;
	context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
	return items.map(({ [IGNORED]: _ignored, ...item }) => item);
}
