/** Events: what happened in the network in the last 30 days. */
import type { Resource } from '../../shared/resource';
import { getAll } from './getAll';
import { reconcile } from './reconcile';

export const event: Resource = {
	name: 'Event',
	description: 'Something that happened in the network',
	operations: { getAll, reconcile },
};
