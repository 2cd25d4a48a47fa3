/** The steps in the life of an event (`states.ts`): each returns what the caller learns, and the entry after it. */
export * from './executions';
export * from './claims';
export type { Step } from './step';
