/** The parameters of the webhook trigger. */
import type { INodeProperties } from 'n8n-workflow';
import { conditionsPropertyFor } from '../../n8n/conditions';
import { webhookDeliveryProperties } from '../../n8n/deliveryProperties';
import { triggerEventTypes } from '../../n8n/eventTypeProperties';
import { triggerOptions } from './options';

/** No field allows expressions: to evaluate one, n8n would need an isolate per request. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName:
			"Open 'Webhook URLs' above, select 'Production URL' and create a webhook endpoint with that URL at the service. Then create a credential with its signing secret: each endpoint has its own. After you change 'If the Execution Fails', register the new URL.",
		name: 'manualNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual'] } },
	},
	{
		displayName:
			"The API client needs permission to create and delete webhook endpoints, and n8n needs a public https URL. If the service rejects the registration, use manual registration. After you change 'If the Execution Fails', publish the workflow again.",
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
	...webhookDeliveryProperties,
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
