/** Assets: what the service manages, such as charging stations. */
import type { INodeProperties } from 'n8n-workflow';
import { ASSET_FILTERS, type ApiRecord } from '../../../lib/service';
import { array, pipe, transform, union } from '../../../lib/vendor/zod';
import { listFields, listOptions } from '../shared/listFields';
import { listOptionsOf } from '../shared/listRequest';
import { collection, plainText } from '../shared/parameters';
import type { Resource, Run } from '../shared/resource';
import { ASSET_SHAPE, simplifier, simplifyField } from '../shared/simplify';

const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
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
};

export const asset: Resource = {
	name: 'Asset',
	description: 'What the service manages',
	operations: {
		getAll: {
			name: 'Get Many',
			description: 'List the assets of the network',
			action: 'Get many assets',
			fields: [...listFields, simplifyField, filters, listOptions],
			run: getAll,
		},
	},
};

async function getAll(run: Run): Promise<ApiRecord[]> {
	const simplified = simplifier(run, ASSET_SHAPE);
	const options = listOptionsOf(run, filtersOf(run));
	return await Array.fromAsync(run.client.list('asset', options), simplified);
}

/** A list, as an expression may give it, becomes one text with commas. */
const filter = pipe(
	union([array(plainText), plainText]),
	transform((value) => (Array.isArray(value) ? value.join(',') : value)),
);
const knownFilters = Object.fromEntries(ASSET_FILTERS.map((name) => [name, filter]));

/** The filters that are filled in. */
function filtersOf(run: Run): Record<string, string> {
	const given = Object.entries(collection(run, filters, knownFilters));
	return Object.fromEntries(given.filter(([, value]) => value !== '')) as Record<string, string>;
}
