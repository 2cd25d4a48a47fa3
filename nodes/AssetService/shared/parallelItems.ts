/** How many input items are processed at the same time: an option of every operation. */
import type { INodeProperties } from 'n8n-workflow';
import { bounded } from '../../../n8n/fields/parameters';

const READING = 8;
const CHANGING = 1;
const MOST = 64;

/** The value of the option. */
export const parallelItems = (changes: boolean) => bounded(changes ? CHANGING : READING, 1, MOST);

const optionWith = (fallback: number, description: string): INodeProperties => ({
	displayName: 'Parallel Items',
	name: 'parallelItems',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1, maxValue: MOST, numberPrecision: 0 },
	default: fallback,
	description,
});

export const parallelItemsOption = optionWith(
	READING,
	'Max number of input items to process at the same time. Set to 1 to process them one by one.',
);

const only = (option: INodeProperties): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [option],
});

/** The options of an operation that has no others. */
export const onlyParallelItems = only(parallelItemsOption);

/** The same for an operation that changes something. */
export const onlyParallelChanges = only(
	optionWith(
		CHANGING,
		'Max number of input items to process at the same time. With 1, nothing else is changed after the first failure.',
	),
);
