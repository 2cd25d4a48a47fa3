/** The resources by the value of the parameter, in the order of the editor; the first one is the default. */
import type { Resource } from '../shared/resource';
import { asset } from './asset';
import { delivery } from './delivery';
import { event } from './event';
import { webhookEndpoint } from './webhookEndpoint';

export const resources: Readonly<Record<string, Resource>> = {
	asset,
	delivery,
	event,
	webhookEndpoint,
};
