/** The two URLs of the trigger: n8n responds at one once it has stored the execution, at the other once it has succeeded. */
import type { IHookFunctions, IWebhookDescription, IWebhookFunctions } from 'n8n-workflow';
import { readAcknowledge } from '../../lib/event';
import type { Acknowledge } from '../../lib/ledger';

/** The names are n8n's: a node has at most these two. */
const NAMES = { stored: 'default', succeeded: 'setup' } as const;

const isOther = (acknowledge: Acknowledge) =>
	`={{ $parameter["acknowledge"] ${acknowledge === 'succeeded' ? '!==' : '==='} "succeeded" }}`;

/** Literals only, except where the editor evaluates: an expression elsewhere would cost an isolate per request. */
export const triggerWebhooks: IWebhookDescription[] = [
	{
		name: NAMES.stored,
		httpMethod: 'POST',
		responseMode: 'onReceived',
		responseData: '',
		path: 'webhook',
		ndvHideUrl: isOther('stored'),
	},
	{
		name: NAMES.succeeded,
		httpMethod: 'POST',
		responseMode: 'lastNode',
		responseData: 'noData',
		path: 'done',
		ndvHideUrl: isOther('succeeded'),
	},
];

/** By the URL that a delivery arrived at. */
export function acknowledgeOf(context: IWebhookFunctions): Acknowledge {
	return context.getWebhookName() === NAMES.succeeded ? 'succeeded' : 'stored';
}

/** The URL that matches the parameter of the node: the production URL, or for hooks the test URL while the editor listens. */
export function webhookUrlOf(context: IHookFunctions | IWebhookFunctions): string | undefined {
	const acknowledge = readAcknowledge((name, fallback) => context.getNodeParameter(name, fallback));
	return context.getNodeWebhookUrl(NAMES[acknowledge]);
}
