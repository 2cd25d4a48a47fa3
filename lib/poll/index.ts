/** The poll: the exports that the trigger uses. */
export { RETENTION_MS } from './bounds';
export type { Memory } from './memory';
export { poll, type PollOptions } from './poll';
