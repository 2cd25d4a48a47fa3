/** The resources by parameter value, in the order of the editor; the first one is the default. */
import { LISTED_RESOURCES, LISTS, type ListedResource } from '../../../lib/service';
import { getMany, type Filters } from '../shared/lists';
import type { Operation, Resource } from '../shared/operation';
import { delivery } from './delivery';
import { event } from './event';
import { station } from './station';
import { webhookEndpoint } from './webhookEndpoint';

interface Further {
	readonly filters?: Filters;
	readonly operations?: Readonly<Record<string, Operation>>;
}

/** Parts of a listed resource that its row of the table does not define. */
const further: Partial<Record<ListedResource, Further>> = { delivery, event };

const listed = LISTED_RESOURCES.map((resource): [string, Resource] => {
	const { name, description } = LISTS[resource];
	const { filters, operations } = further[resource] ?? {};
	return [
		resource,
		{ name, description, operations: { getAll: getMany(resource, filters), ...operations } },
	];
});

export const resources: Readonly<Record<string, Resource>> = {
	...Object.fromEntries(listed),
	station,
	webhookEndpoint,
};
