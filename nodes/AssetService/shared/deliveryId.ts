/** The delivery of an operation: from the list of its endpoint, or by its ID. */
import type { INodeProperties } from 'n8n-workflow';
import { idInPath } from '../../../lib/service';
import { located } from './locator';
import { parameter, parameterError, type InputItem } from './parameters';

export const deliveryField: INodeProperties = {
	displayName: 'Delivery',
	name: 'deliveryId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The delivery to send again',
	// The list of another endpoint is another list.
	typeOptions: { loadOptionsDependsOn: ['endpointId.value'] },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a delivery…',
			hint: 'Deliveries to the endpoint above, the newest first',
			typeOptions: { searchListMethod: 'searchDeliveries', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. whdel_01HZX3',
		},
	],
};

/** The ID of the delivery. Throws a `NodeOperationError` when there is none. */
export function deliveryIdOf(item: InputItem): string {
	const id = parameter(item, 'deliveryId', located);
	if (id === '') {
		throw parameterError(
			item,
			'Delivery is empty.',
			'Choose a delivery from the list, or enter its ID.',
		);
	}
	idInPath(id, 'Delivery ID');
	return id;
}
