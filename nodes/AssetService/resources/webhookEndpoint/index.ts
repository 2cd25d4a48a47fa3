/** Webhook endpoints: the URLs that the service delivers events to. */
import type { Resource } from '../../shared/resource';
import { create } from './create';
import { remove } from './delete';
import { getHealth } from './getHealth';

export const webhookEndpoint: Resource = {
	name: 'Webhook Endpoint',
	description: 'A URL that the service delivers events to',
	operations: { create, delete: remove, getHealth },
};
