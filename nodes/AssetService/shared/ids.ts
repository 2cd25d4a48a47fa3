/** The endpoint of an operation: a field in which a user enters an ID or a URL. */
import type { INodeProperties } from 'n8n-workflow';
import { idInPath } from '../../../lib/service';
import { object, pipe, transform, union } from '../../../lib/vendor/zod';
import { parameter, parameterError, text, type InputItem } from './operation';

/** The value of such a field, or a plain text, as an expression or an import may provide it. */
export const located = union([
	pipe(
		object({ value: text }),
		transform(({ value }) => value),
	),
	text,
]);

export function endpointField(description: string): INodeProperties {
	return {
		displayName: 'Endpoint',
		name: 'endpointId',
		type: 'resourceLocator',
		default: { mode: 'id', value: '' },
		required: true,
		description,
		modes: [
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. we_01HZX3',
				hint: 'The service shows it next to the endpoint and in the response to its creation',
			},
			{
				displayName: 'By URL',
				name: 'url',
				type: 'string',
				placeholder: 'e.g. https://api.example.com/webhooks/v1/webhook-endpoints/we_01HZX3',
				hint: 'Any URL of the service that contains the endpoint ID',
			},
		],
	};
}

/** The ID of the endpoint. Throws a `NodeOperationError` if there is none, or none in the URL. */
export function endpointIdOf(item: InputItem): string {
	const given = parameter(item, 'endpointId', located);
	if (given === '') {
		throw parameterError(
			item,
			"'Endpoint' is empty",
			'Enter the endpoint ID, or a URL that contains it.',
		);
	}
	const id = /^https?:\/\//i.test(given) ? endpointIdIn(given) : given;
	if (id === undefined) {
		throw parameterError(
			item,
			"The URL in 'Endpoint' contains no endpoint ID",
			'Enter only the ID, or a URL with /webhook-endpoints/ followed by the ID.',
		);
	}
	// Checked here too, before a request for any other item is sent.
	idInPath(id, 'Endpoint ID');
	return id;
}

/**
 * The ID in a pasted URL: the part after `/webhook-endpoints/`, otherwise the first part of the path that looks like an
 * endpoint ID (`we_...`).
 */
export function endpointIdIn(address: string): string | undefined {
	if (!URL.canParse(address)) return undefined;
	const { pathname, hash } = new URL(address);
	// Web applications have a path of their own after the #.
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
