/**
 * "Listen for test event": n8n listens until an execution starts. An ignored event starts none, so it is counted here.
 * A rejected delivery, and the last of several ignored events, start one that fails with the reason.
 */
import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeOperationError,
} from 'n8n-workflow';
import type { Wanted } from '../../lib/event';
import { type NoStart, REASONS } from '../../lib/receiver';
import { printable, sentence } from '../../lib/shared/text';
import { asText, isRecord } from '../../lib/shared/values';
import { forgetTest, testSurvey } from '../fields/testSurvey';

/** The fields that `webhook` passes to `execute` next to the `json` of an item: nothing else reaches it in every process. */
const FAILURE = 'assetServiceFailure';
const IGNORED = 'assetServiceIgnored';

/** So many ignored events without a matching one end the test: until it ends, n8n shows nothing. */
const MOST_IGNORED = 5;
const TO_CONTINUE =
	"If such events should start the workflow, correct 'Trigger On' or 'Conditions'. To wait for a rarer event, listen again, or publish the workflow and open its first execution.";

/** The result for n8n of a delivery that does not start the workflow, and the reason for the sender. */
export function endOrListenOn(
	context: IWebhookFunctions,
	{ log, ignored }: NoStart,
	wanted: Wanted,
): Pick<IWebhookResponseData, 'workflowData'> & { reason?: string } {
	if (ignored !== undefined) {
		const survey = testSurvey(context, wanted);
		survey.inspect(ignored);
		const reason = ignoredSoFar(context, wanted);
		if (survey.ignored < MOST_IGNORED) return { reason };
		const message = `No event matched the trigger: ${survey.nearest}`;
		return { reason, ...failing(context, { message, description: TO_CONTINUE }, wanted) };
	}
	if (log === undefined) return {};
	const { reason, detail } = log;
	const advice = sentence(printable(detail, 1000));
	const message = `Delivery rejected: ${REASONS[reason].problem}`;
	return failing(context, { message, description: `${advice} (Log code: ${reason})` }, wanted);
}

/** The start of an execution that fails with the message, which ends the test. */
function failing(
	context: IWebhookFunctions,
	failure: { readonly message: string; readonly description: string },
	wanted: Wanted,
): Pick<IWebhookResponseData, 'workflowData'> {
	return { workflowData: [withIgnored(context, [{ json: {}, [FAILURE]: failure }], wanted)] };
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
 * @throws {NodeOperationError} if the delivery was rejected, or the last of several events was ignored.
 */
export function testItems(context: IExecuteFunctions): INodeExecutionData[] {
	const items = context.getInputData();
	const [first] = items as (INodeExecutionData | undefined)[];
	const message = asText(first?.[IGNORED]);
	const failure = first?.[FAILURE];
	if (isRecord(failure)) {
		throw new NodeOperationError(context.getNode(), asText(failure['message']), {
			description: `${asText(failure['description'])} ${message}`.trim(),
		});
	}
	if (message === '') return items;
	context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
	return items.map(({ [IGNORED]: _ignored, ...item }) => item);
}
