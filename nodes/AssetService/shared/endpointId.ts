/** The endpoint of an operation: by its ID, or by an address that holds it. */
import { NodeOperationError, type INodeProperties } from 'n8n-workflow';
import type { Run } from '../resources/resource';
import { asText } from './parameters';
import { isRecord } from '../../../lib/shared/values';

/** The field of the endpoint, for these operations of a resource. */
export function endpointField(
	resource: string,
	operation: string[],
	description: string,
): INodeProperties {
	return {
		displayName: 'Endpoint',
		name: 'endpointId',
		type: 'resourceLocator',
		default: { mode: 'id', value: '' },
		required: true,
		displayOptions: { show: { resource: [resource], operation } },
		description,
		modes: [
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. we_01HZX3',
			},
			{
				displayName: 'By URL',
				name: 'url',
				type: 'string',
				placeholder: 'e.g. https://api.example.com/webhooks/v1/webhook-endpoints/we_01HZX3',
				hint: 'Any address of the service that holds the ID of the endpoint',
			},
		],
	};
}

/** The ID of the endpoint. Throws a `NodeOperationError` when there is none, or none in the address. */
export function endpointIdOf({ context, itemIndex }: Run): string {
	const parameter = context.getNodeParameter('endpointId', itemIndex, '') as unknown;
	const text = asText(isRecord(parameter) ? parameter.value : parameter);
	const refuse = (message: string, description: string) =>
		new NodeOperationError(context.getNode(), message, { itemIndex, description });
	if (text === '')
		throw refuse('Endpoint is empty.', 'Enter the ID of the endpoint, or its address.');
	if (!/^https?:\/\//i.test(text)) return text;
	const id = endpointIdIn(text);
	if (id !== undefined) return id;
	throw refuse(
		'The address holds no ID of an endpoint.',
		'Enter the ID alone, or an address with /webhook-endpoints/ and the ID in it.',
	);
}

/**
 * The ID in a pasted address: what follows `/webhook-endpoints/`, else the first part of the path that looks like the ID of
 * an endpoint (`we_...`).
 */
export function endpointIdIn(address: string): string | undefined {
	if (!URL.canParse(address)) return undefined;
	const { pathname, hash } = new URL(address);
	// Web applications keep their own path behind the #.
	const parts = `${pathname}/${hash.slice(1)}`.split(/[/?&]/).filter((part) => part !== '');
	const after = parts[parts.indexOf('webhook-endpoints') + 1];
	const named = parts.includes('webhook-endpoints') ? after : undefined;
	const found = named ?? parts.find((part) => /^we_[\w-]+$/.test(part));
	return found === undefined ? undefined : decoded(found);
}

function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}
