/** The poll: what the trigger may use of it. */
export { RETENTION_MS } from './bounds';
export type { Memory } from './memory';
export { poll, type PollOptions } from './poll';
