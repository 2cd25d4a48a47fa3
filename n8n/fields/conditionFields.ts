/** The fields that the editor offers for a condition: the known ones, and those of recent events, with their values. */
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { CONDITION_FIELDS, eventFromList, Fields, OTHER_FIELD } from '../../lib/event';
import { withoutTags } from '../../lib/shared/text';
import { apiClientFor } from '../api/apiClient';
import { arrivedFields } from './arrivedFields';

export const KNOWN_FIELDS: INodePropertyOptions[] = [
	...Object.entries(CONDITION_FIELDS).map(([value, name]) => ({ name, value })),
	{ name: 'Other (Enter Path)', value: OTHER_FIELD },
];

/** One page, the largest that the service is known to return. */
const MOST_EVENTS = 100;
/** The editor shows no options until this has ended. */
const MOST_MS = 5_000;

/**
 * Without an API credential, or if the service does not respond in time, takes the events that arrived: a failure would leave
 * nothing to select.
 */
export async function conditionFields(
	this: ILoadOptionsFunctions,
	mostMs = MOST_MS,
): Promise<INodePropertyOptions[]> {
	const fields = await recentFields(this, AbortSignal.timeout(mostMs)).catch(() =>
		arrivedFields(this),
	);
	const seen = new Map(fields.withValues.map(({ path, values }) => [path, described(values)]));
	const found = [...seen].filter(([path]) => !Object.hasOwn(CONDITION_FIELDS, path));
	return [
		...KNOWN_FIELDS.map((option) => {
			const values = seen.get(String(option.value));
			return values === undefined ? option : { ...option, description: values };
		}),
		...found.map(([path, description]) => ({ name: path, value: path, description })),
	];
}

async function recentFields(context: ILoadOptionsFunctions, signal: AbortSignal): Promise<Fields> {
	const fields = new Fields();
	let requests = 0;
	const mayRequest = () => ++requests <= 1;
	const client = await apiClientFor(context, () => undefined, signal);
	for await (const record of client.list('event', { limit: MOST_EVENTS, mayRequest })) {
		const parsed = eventFromList(record);
		if (parsed.ok) fields.add(parsed.event.record);
	}
	return fields;
}

function described(values: readonly string[]): string {
	return withoutTags(`Recently: ${values.join(', ')}`, 200);
}
