/**
 * How many input items are processed at the same time: `options.parallelItems` of every operation. Off the screen, since a
 * service that cannot take as many asks to wait.
 */
import type { INodeProperties } from 'n8n-workflow';
import { bounded } from '../../../n8n/fields/parameters';

/** The value of the option, 8 by default. An operation that changes something processes one item after another. */
export const parallelItems = (changes: boolean) => bounded(changes ? 1 : 8, 1, 64);

/** For the options of an operation. */
export const parallelItemsOption: INodeProperties = {
	displayName: 'Parallel Items',
	name: 'parallelItems',
	type: 'hidden',
	noDataExpression: true,
	default: '',
};

/** For an operation that has no other options: without it, n8n drops them. */
export const hiddenOptions: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'hidden',
	default: {},
};
