/** Events: reports from the network in the last 30 days. */
import { filters } from './filters';
import { getRejections } from './getRejections';
import { reconcile } from './reconcile';
import { replay } from './replay';

export const event = { filters, operations: { reconcile, replay, getRejections } };
