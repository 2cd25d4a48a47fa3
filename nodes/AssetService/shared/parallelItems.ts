/** How many input items are worked on at once: an option of every operation. */
import type { INodeProperties } from 'n8n-workflow';
import { bounded } from '../../../n8n/parameters';

const DEFAULT = 8;
const MOST = 64;

/** The value of the option. */
export const parallelItems = bounded(DEFAULT, 1, MOST);

export const parallelItemsOption: INodeProperties = {
	displayName: 'Parallel Items',
	name: 'parallelItems',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1, maxValue: MOST, numberPrecision: 0 },
	default: DEFAULT,
	description: 'How many input items to work on at once. With 1, one is done after the other.',
};

/** The options of an operation that has no others. */
export const onlyParallelItems: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [parallelItemsOption],
};
