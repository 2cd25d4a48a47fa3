/** The resources by the value of the parameter, in the order of the editor; the first one is the default. */
import { asset } from './asset';
import { delivery } from './delivery';
import { event } from './event';
import type { Resource } from './resource';
import { webhookEndpoint } from './webhookEndpoint';

export const resources: Readonly<Record<string, Resource>> = {
	asset,
	delivery,
	event,
	webhookEndpoint,
};
