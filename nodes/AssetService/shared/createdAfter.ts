/** How far back an operation looks: to a moment, or so many days. */
import type { INodeProperties } from 'n8n-workflow';
import { unknown } from '../../../lib/vendor/zod';
import { timeOf } from './instant';
import { parameter, type InputItem } from './parameters';

const DAY_MS = 86_400_000;

export function createdAfterField(
	words: Pick<INodeProperties, 'description' | 'hint'>,
): INodeProperties {
	return {
		displayName: 'Created After',
		name: 'createdAfter',
		type: 'dateTime',
		default: '',
		...words,
	};
}

/** The moment in milliseconds since 1970; `days` before `now` when the field is empty. */
export function createdAfterOf(item: InputItem, days: number, now: number): number {
	const given = timeOf(item, 'Created After', parameter(item, 'createdAfter', unknown()));
	return given ?? now - days * DAY_MS;
}
