/** Assets: what the service manages, such as charging stations. */
import { ASSET_FILTERS } from '../../../lib/service';
import { collected, listFields, listOptions, listOptionsOf } from '../shared/listing';
import { asText, collectionParameter } from '../shared/parameters';
import type { Resource, Run } from './resource';

const show = { resource: ['asset'] };

export const asset: Resource = {
	properties: [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show },
			options: [
				{
					name: 'Get Many',
					value: 'getAll',
					description: 'List the assets of the network',
					action: 'Get many assets',
				},
			],
			default: 'getAll',
		},
		...listFields('asset'),
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			displayOptions: { show: { ...show, operation: ['getAll'] } },
			options: [
				{
					displayName: 'Asset Groups',
					name: 'assetGroups',
					type: 'string',
					default: '',
					description: 'IDs of asset groups, separated by commas',
				},
				{
					displayName: 'Charging Station Make',
					name: 'chargingStationMake',
					type: 'string',
					default: '',
					description: 'Only charging stations of this make',
				},
				{
					displayName: 'Charging Station Model',
					name: 'chargingStationModel',
					type: 'string',
					default: '',
					description: 'Only charging stations of this model',
				},
				{
					displayName: 'Firmware Version',
					name: 'firmwareVersion',
					type: 'string',
					default: '',
					description: 'Only charging stations with this version of the firmware',
				},
			],
		},
		listOptions('asset'),
	],
	run: async (_operation, run) =>
		await collected(run.client.list('asset', listOptionsOf(run, filtersOf(run)))),
};

/** The filters that are filled in; a list, as an expression may give it, becomes one text with commas. */
function filtersOf({ context, itemIndex }: Run): Record<string, string> {
	const filters = collectionParameter(context, 'filters', itemIndex);
	const filled = ASSET_FILTERS.map((name): [string, string] => {
		const value = filters[name];
		return [name, Array.isArray(value) ? value.map(asText).join(',') : asText(value)];
	});
	return Object.fromEntries(filled.filter(([, value]) => value !== ''));
}
