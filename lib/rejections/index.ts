/** Counts of deliveries that did not start a workflow, by reason: the exports that the receiver and the action node use. */
export { RejectionCounter } from './counter';
export { DAYS_KEPT, readRejections } from './record';
