/** What the editor shows of the trigger. */
import type { INodeProperties } from 'n8n-workflow';
import { eventTypesProperty } from '../../n8n/eventTypesProperty';
import {
	DEFAULT_RETENTION_DAYS,
	DEFAULT_TOLERANCE_SECONDS,
	MAX_RETENTION_DAYS,
	MIN_RETENTION_DAYS,
} from '../../lib/receiver/settings';

/** Everything is without expressions: n8n would need an isolate for each request to evaluate one. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName:
			'Copy the production URL of this node to a webhook endpoint of the service, and the signing secret of that endpoint to the credential',
		name: 'manualNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual'] } },
	},
	{
		displayName:
			'The API client needs the webhook scopes, and n8n a public https address. The service does not document how endpoints are created: if it refuses, use manual registration.',
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
				description:
					'You create the webhook endpoint at the service and paste the URL of this node there',
			},
			{
				name: 'Automatic',
				value: 'automatic',
				description:
					'The webhook endpoint is created when the workflow is published, and deleted when it is unpublished',
			},
		],
		default: 'manual',
		description: 'How the webhook endpoint comes to be at the service',
	},
	eventTypesProperty,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		noDataExpression: true,
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Include Delivery',
				name: 'includeDelivery',
				type: 'boolean',
				noDataExpression: true,
				default: false,
				description:
					'Whether to add the field _delivery with the delivery ID, the timestamp of the signature, the secret that matched (current or previous) and the time of receipt',
			},
			{
				displayName: 'Retention (Days)',
				name: 'retentionDays',
				type: 'number',
				noDataExpression: true,
				typeOptions: {
					minValue: MIN_RETENTION_DAYS,
					maxValue: MAX_RETENTION_DAYS,
					numberPrecision: 0,
				},
				default: DEFAULT_RETENTION_DAYS,
				description:
					'How long an event ID is remembered. At least 31: the service lists and delivers an event for 30 days.',
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
					'The age at which the endpoint is replaced by a new one with a new signing secret. 0 means never.',
			},
			{
				displayName: 'Rotation Grace Period (Hours)',
				name: 'rotationGraceHours',
				type: 'number',
				noDataExpression: true,
				displayOptions: { show: { '/registration': ['automatic'] } },
				typeOptions: { minValue: 0 },
				default: 24,
				description:
					'How long the replaced endpoint goes on beside the new one. Both secrets are accepted, and each event starts the workflow once.',
			},
			{
				displayName: 'Tolerance (Seconds)',
				name: 'toleranceSeconds',
				type: 'number',
				noDataExpression: true,
				typeOptions: { minValue: 0, numberPrecision: 0 },
				default: DEFAULT_TOLERANCE_SECONDS,
				description:
					'How far the timestamp of a signature may be from the clock of this n8n, in the past and in the future',
			},
		],
	},
];
