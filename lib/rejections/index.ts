/** Counts of what did not start a workflow, by reason, and what polling triggers did last: the exports that the triggers and the action node use. */
export { DAYS_KEPT, RejectionCounter } from './counter';
export { notePolled, POLL_ADVICE, readPolls } from './polls';
