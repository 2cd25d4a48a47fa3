/** The webhook trigger: starts a workflow once per signed event. */
import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { assetServiceApiTest, testSigningSecret } from '../../n8n/api/credentials';
import { endpointLifecycle } from '../../n8n/endpoint/registration';
import { triggerWebhooks } from '../../n8n/endpoint/webhooks';
import { conditionFields, wantedSubtitle } from '../../n8n/fields/conditions';
import { beginDelivered, receiveDelivery } from '../../n8n/webhook/delivery';
import { builderHint } from '../builderHints';
import { screen } from './description';

export class AssetServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Asset Service Trigger',
		name: 'assetServiceTrigger',
		icon: { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' },
		group: ['trigger'],
		// Never 1: n8n evaluates an expression on every request for nodes of version 1.
		version: 2,
		description:
			'Starts the workflow when the Asset and Webhook Service delivers an event, once per event',
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
		triggerPanel: screen.triggerPanel,
		properties: screen.properties,
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
