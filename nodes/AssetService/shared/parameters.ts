/** Reads parameters whose type an expression or an AI agent may have changed. */
import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import { isRecord } from '../../../lib/shared/values';

/** A text, trimmed; a number is taken as text, and a missing value as an empty one. */
export function textParameter(context: IExecuteFunctions, name: string, itemIndex: number): string {
	return asText(context.getNodeParameter(name, itemIndex, ''));
}

/** A text that must not be empty. Throws a `NodeOperationError` that names the field by its label. */
export function requiredText(
	context: IExecuteFunctions,
	name: string,
	label: string,
	itemIndex: number,
): string {
	const text = textParameter(context, name, itemIndex);
	if (text !== '') return text;
	throw new NodeOperationError(context.getNode(), `${label} is empty.`, {
		itemIndex,
		description: `Fill in ${label}.`,
	});
}

/** A list of texts without empty ones; one text may hold several, separated by commas. */
export function textsParameter(
	context: IExecuteFunctions,
	name: string,
	itemIndex: number,
): string[] {
	const value = context.getNodeParameter(name, itemIndex, []) as unknown;
	const texts = Array.isArray(value) ? value.map(asText) : asText(value).split(',');
	return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
}

/** A collection; empty when there is none. */
export function collectionParameter(
	context: IExecuteFunctions,
	name: string,
	itemIndex: number,
): Readonly<Record<string, unknown>> {
	const value = context.getNodeParameter(name, itemIndex, {}) as unknown;
	return isRecord(value) ? value : {};
}

/** A text, number or boolean as text; everything else is empty. */
export function asText(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
