/** The webhook trigger: starts a workflow once per signed event. */
import {
	NodeConnectionTypes,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
	type TriggerPanelDefinition,
} from 'n8n-workflow';
import { TRIGGER_NUMBERS } from '../../lib/receiver';
import { assetServiceApiTest, testSigningSecret } from '../../n8n/api/credentials';
import { endpointLifecycle } from '../../n8n/endpoint/lifecycle';
import { triggerWebhooks } from '../../n8n/endpoint/webhooks';
import { accountAccessOptions } from '../../n8n/execution/accountAccess';
import {
	conditionFields,
	conditionsPropertyFor,
	wantedSubtitle,
} from '../../n8n/fields/conditions';
import { eventDelivery } from '../../n8n/fields/deliveryProperties';
import { triggerEventTypes } from '../../n8n/fields/eventTypeProperties';
import { signatureOptions } from '../../n8n/fields/signatureFields';
import { beginDelivered, receiveDelivery } from '../../n8n/webhook/delivery';
import { builderHint } from '../builderHints';

const delivery = eventDelivery('webhook');

const rotationGrace: INodeProperties = {
	displayName: 'Rotation Grace Period (Hours)',
	name: 'rotationGraceHours',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 0 },
	default: 24,
	description:
		'How long the old endpoint stays active next to the new one. Both secrets are accepted during this time.',
};

/** The options of the trigger, which most people never open. */
const triggerOptions: INodeProperties[] = [
	...delivery.options,
	{
		displayName: 'Include Delivery',
		name: 'includeDelivery',
		type: 'boolean',
		noDataExpression: true,
		default: false,
		description:
			'Whether to add a field _delivery with the delivery ID (not covered by the signature), the timestamp of the signature, the secret that matched (current or previous) and the time of receipt',
	},
	...accountAccessOptions,
	// Off the screen: the service delivers an event for at most 30 days, so nobody needs another value.
	{
		displayName: 'Retention (Days)',
		name: 'retentionDays',
		type: 'hidden',
		noDataExpression: true,
		default: TRIGGER_NUMBERS.retention.fallback,
	},
	{
		displayName: 'Rotate Secret After (Days)',
		name: 'rotateAfterDays',
		type: 'number',
		noDataExpression: true,
		displayOptions: { show: { '/registration': ['automatic'] } },
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'Age at which the endpoint is replaced by a new one with a new signing secret, or 0 for never',
	},
	{
		displayName: 'Rotate Secret At',
		name: 'rotateAt',
		type: 'dateTime',
		noDataExpression: true,
		displayOptions: { show: { '/registration': ['automatic'] } },
		default: '',
		description:
			'When an older endpoint is replaced by a new one, in the time zone of the workflow. If the time has come, this happens when you publish.',
	},
	// Without a rotation it has no effect. n8n reads the fields next to it, and shows this one only if one was added.
	{
		...rotationGrace,
		displayOptions: {
			show: { '/registration': ['automatic'], rotateAfterDays: [{ _cnd: { gt: 0 } }] },
		},
	},
	{
		...rotationGrace,
		displayOptions: {
			show: { '/registration': ['automatic'], rotateAt: [{ _cnd: { exists: true } }] },
			hide: { rotateAfterDays: [{ _cnd: { gt: 0 } }] },
		},
	},
	...signatureOptions,
	{
		displayName: 'Tolerance (Seconds)',
		name: 'toleranceSeconds',
		type: 'number',
		noDataExpression: true,
		typeOptions: {
			minValue: TRIGGER_NUMBERS.tolerance.least,
			maxValue: TRIGGER_NUMBERS.tolerance.most,
			numberPrecision: 0,
		},
		default: TRIGGER_NUMBERS.tolerance.fallback,
		description:
			'How far the timestamp of a signature may be in the past or in the future, by the clock of this n8n instance',
	},
];

/** No field allows expressions: to evaluate one, n8n would need an isolate per request. */
const properties: INodeProperties[] = [
	{
		displayName:
			"Create a webhook endpoint at the service with the 'Production URL' under 'Webhook URLs' above, and enter its signing secret in the credential.",
		name: 'manualNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual'] } },
	},
	{
		displayName:
			'The API client needs permission to create and delete webhook endpoints, and n8n needs a public https URL.',
		name: 'automaticNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['automatic'] } },
	},
	{
		displayName: 'Registration',
		name: 'registration',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Manual',
				value: 'manual',
				description: 'You create the webhook endpoint at the service with the URL of this node',
			},
			{
				name: 'Automatic',
				value: 'automatic',
				description:
					'The node creates the webhook endpoint when the workflow is published and deletes it when it is unpublished',
			},
		],
		default: 'manual',
		description: 'How the webhook endpoint is created at the service',
	},
	...triggerEventTypes,
	conditionsPropertyFor('webhook'),
	...delivery.fields,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		noDataExpression: true,
		placeholder: 'Add option',
		default: {},
		options: triggerOptions,
	},
];

const PARAGRAPH = '<br /><br />';

/** n8n shows it folded, under "When will this node trigger my flow?". */
const TEST = [
	"<b>Test with a real event</b>: the test URL is under Webhook URLs. A webhook endpoint has only one URL and one signing secret, so create a second endpoint with the test URL and paste its secret into 'Previous Signing Secret' of the credential. Then click the button above and send an event from the service. Ignored events do not end the test; a rejected delivery ends it and shows why. Afterwards, delete the second endpoint and clear that field. With automatic registration, the node creates and deletes the second endpoint itself.",
	"<b>Test without a second endpoint</b>: select 'set mock data' in the output panel and paste a sample event. Or publish the workflow and open one of its executions to work with a real event.",
];
const PRODUCTION =
	"Each event that the service delivers to the <b>production URL</b> starts the workflow once. You see these executions in the <b>Executions</b> tab. The reason for a rejected delivery is in n8n's log. To count the rejected and ignored deliveries of the last 7 days by reason, run the Asset Service node with the resource <b>Event</b> and the operation <b>Get Rejections</b>.";

/** The texts next to the parameters in the editor, for a user who tests the trigger. */
const triggerPanel: TriggerPanelDefinition = {
	header: 'Receive an event from the service',
	executionsHelp: {
		inactive: [...TEST, `<b>In production</b>: publish the workflow. ${PRODUCTION}`].join(
			PARAGRAPH,
		),
		active: [...TEST, `<b>In production</b>: ${PRODUCTION}`].join(PARAGRAPH),
	},
	activationHint: {
		inactive:
			'The button uses the test URL. Create a separate webhook endpoint for it at the service. Publish the workflow to receive events at the production URL.',
		active:
			'The workflow is published: events at the production URL start it, and you see them in the <b>Executions</b> tab. The button uses the test URL. Create a separate webhook endpoint for it at the service.',
	},
};

export class AssetServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Asset Service Trigger',
		name: 'assetServiceTrigger',
		icon: { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' },
		group: ['trigger'],
		// Never 1: n8n evaluates an expression on every request for nodes of version 1.
		version: 2,
		// n8n shows it in the list also for the action node, which has the same name there.
		description:
			'Starts the workflow once per delivered event; its actions look up stations, sessions, uptime and events',
		subtitle: wantedSubtitle,
		defaults: { name: 'Asset Service Trigger' },
		builderHint: builderHint('assetServiceTrigger'),
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'assetServiceSigningSecretApi',
				required: true,
				testedBy: 'assetServiceSigningSecretApiTest',
				// Not `show: manual`: if credentials cover every value that way, the editor treats the parameter as its own and hides it.
				displayOptions: { hide: { registration: ['automatic'] } },
			},
			{
				name: 'assetServiceApi',
				required: true,
				testedBy: 'assetServiceApiTest',
				displayOptions: { show: { registration: ['automatic'] } },
			},
		],
		webhooks: triggerWebhooks,
		triggerPanel,
		properties,
	};

	methods = {
		credentialTest: { assetServiceSigningSecretApiTest: testSigningSecret, assetServiceApiTest },
		loadOptions: { conditionFields },
	};

	webhookMethods = { default: endpointLifecycle };

	webhook = receiveDelivery;

	/** The first step of each execution: passes on the events that no other execution has begun. */
	execute = beginDelivered;
}
