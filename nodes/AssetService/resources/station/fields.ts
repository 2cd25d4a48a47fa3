/** The fields of the questions about stations. Those that several share are single objects, so that n8n keeps their values. */
import type { INodeProperties } from 'n8n-workflow';
import { MAX_CATCH_UP_HOURS } from '../../../../n8n/polling/station/settings';
import { parallelItemsOption } from '../../shared/parallelItems';
import { createdAfterField } from '../../shared/times';

export const DAYS_BACK = 1;
export const LOOK_BACK = { default: 24, most: MAX_CATCH_UP_HOURS };
export const MAX_EVENTS = { default: 1_000_000, most: 10_000_000 };

export const assetIdsField: INodeProperties = {
	displayName: 'Asset IDs',
	name: 'assetIds',
	type: 'string',
	default: '',
	placeholder: 'e.g. asset_01HZX3, asset_01HZX4',
	description: 'Only these stations: their IDs, separated by commas',
	hint: 'Leave empty for all stations',
};

export const periodFields: readonly INodeProperties[] = [
	createdAfterField({
		description: 'When the period begins',
		hint: 'Leave empty for the last 24 hours',
	}),
	{
		displayName: 'Created Before',
		name: 'createdBefore',
		type: 'dateTime',
		default: '',
		description: 'When the period ends',
		hint: 'Leave empty for now',
	},
];

export const lookBackField: INodeProperties = {
	displayName: 'Look Back (Hours)',
	name: 'lookBackHours',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: LOOK_BACK.most, numberPrecision: 0 },
	default: LOOK_BACK.default,
	description:
		'How far before the period to read, to find the state at its beginning. Stations report a status only when it changes.',
};

export const maxEventsOption: INodeProperties = {
	displayName: 'Max Events',
	name: 'maxEvents',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: MAX_EVENTS.most, numberPrecision: 0 },
	default: MAX_EVENTS.default,
	description: 'Max number of events to read. If the period has more, the node fails.',
};

export const optionsWith = (...options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [...options, maxEventsOption, parallelItemsOption],
});

export const options = optionsWith();
