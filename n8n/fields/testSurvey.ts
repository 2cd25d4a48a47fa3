/** The deliveries to a webhook trigger since a user began to listen for a test event: which events were ignored, and why. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { Survey, type Wanted } from '../../lib/event';

type SurveyContext = Pick<IHookFunctions | IWebhookFunctions, 'getNode' | 'getWorkflow'>;

/** In this process, which n8n calls from the first delivery of a test to the last. */
const surveys = new Map<string, Survey>();
const MOST_SURVEYS = 100;

/** Call when a test begins and when it ends. */
export function forgetTest(context: SurveyContext): void {
	surveys.delete(keyOf(context));
}

export function testSurvey(context: SurveyContext, wanted: Wanted): Survey {
	const key = keyOf(context);
	const survey = surveys.get(key) ?? new Survey(wanted);
	if (surveys.size >= MOST_SURVEYS) surveys.clear();
	surveys.set(key, survey);
	return survey;
}

const keyOf = (context: SurveyContext) =>
	JSON.stringify([context.getWorkflow().id, context.getNode().id]);
