/** Counts of what did not start a workflow, by reason, and what polling triggers did last: the exports that the triggers and the action node use. */
export { RejectionCounter } from './counter';
export { adviceFor, behindMs, notePolled, POLL_ADVICE, type LastPoll, readPolled } from './polls';
export { DAYS_KEPT, readRejections } from './record';
