/** The action node. Its operations are in `resources`, one file each. */
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { LISTED_RESOURCES, LISTS } from '../../lib/service';
import { assetServiceApiTest } from '../../n8n/api/credentials';
import { conditionFields } from '../../n8n/fields/conditions';
import { builderHint } from '../builderHints';
import { execute } from './execute';
import { properties, subtitle } from './properties';
import { resources } from './resources';
import { searchDeliveries } from './searchDeliveries';

/** Such as `assets, deliveries and events`. */
const listed = new Intl.ListFormat('en-GB').format(
	LISTED_RESOURCES.map((resource) => LISTS[resource].records),
);

/** Operations that need no credential. */
const WITHOUT_REQUESTS = Object.values(resources).flatMap(({ operations }) =>
	Object.entries(operations).flatMap(([name, operation]) =>
		'runLocally' in operation ? [name] : [],
	),
);

export class AssetService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Asset Service',
		name: 'assetService',
		icon: { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle,
		description: `Lists ${listed} of the Asset and Webhook Service, calculates uptime, and manages webhook endpoints`,
		defaults: { name: 'Asset Service' },
		usableAsTool: true,
		builderHint: builderHint('assetService'),
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'assetServiceApi',
				required: true,
				testedBy: 'assetServiceApiTest',
				displayOptions: { hide: { operation: WITHOUT_REQUESTS } },
			},
		],
		properties,
	};

	methods = {
		credentialTest: { assetServiceApiTest },
		listSearch: { searchDeliveries },
		loadOptions: { conditionFields },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await execute(this)];
	}
}
