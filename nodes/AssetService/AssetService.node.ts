/** The action node: lists assets, events and deliveries, resends deliveries, creates and deletes webhook endpoints. */
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { assetServiceApiTest } from '../../n8n/credentialTests/api';
import { execute, resources } from './execute';

export class AssetService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Asset Service',
		name: 'assetService',
		icon: { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Lists assets, events and deliveries of the Asset and Webhook Service, and manages its webhook endpoints',
		defaults: { name: 'Asset Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'assetServiceApi', required: true, testedBy: 'assetServiceApiTest' }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Asset', value: 'asset', description: 'What the service manages' },
					{
						name: 'Delivery',
						value: 'delivery',
						description: 'An attempt to bring an event to a webhook endpoint',
					},
					{ name: 'Event', value: 'event', description: 'Something that happened in the network' },
					{
						name: 'Webhook Endpoint',
						value: 'webhookEndpoint',
						description: 'An address that the service delivers events to',
					},
				],
				default: 'asset',
			},
			...Object.values(resources).flatMap(({ properties }) => properties),
		],
	};

	methods = { credentialTest: { assetServiceApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await execute(this)];
	}
}
