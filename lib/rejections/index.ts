/** Deliveries that did not start a workflow, counted by reason: what the receiver and the action node may use of it. */
export { RejectionCounter } from './counter';
export { DAYS_KEPT, readRejections } from './record';
