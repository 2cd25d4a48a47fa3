/** What the editor shows of the trigger. */
import type { INodeProperties } from 'n8n-workflow';
import { conditionsProperty } from '../../n8n/conditions';
import { deliveryProperties } from '../../n8n/deliveryProperties';
import { triggerEventTypes } from '../../n8n/eventTypeProperties';
import { triggerOptions } from './options';

/** Everything is without expressions: n8n would need an isolate for each request to evaluate one. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName:
			'Create a webhook endpoint at the service with the production URL that this node shows, and paste its signing secret into the credential. The URL depends on "Acknowledge": when you change that, register the new URL. To test in the editor, use the test URL.',
		name: 'manualNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual'] } },
	},
	{
		displayName:
			'The API client needs the webhook scopes, and n8n a public https address. The service does not document how endpoints are created: if it refuses, use manual registration. The URL depends on "Acknowledge": when you change that, publish the workflow again.',
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
		description: 'How the webhook endpoint is created at the service',
	},
	...triggerEventTypes,
	conditionsProperty,
	...deliveryProperties,
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
