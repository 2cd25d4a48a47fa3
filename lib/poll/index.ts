/** The poll: what the trigger may use of it. */
export { RETENTION_MS } from './bounds';
export { type Account, accountOf, listedStates } from './listedStates';
export type { Memory } from './memory';
export { poll, type PollOptions } from './poll';
export { notePublication, publishedAt, replay } from './replay';
