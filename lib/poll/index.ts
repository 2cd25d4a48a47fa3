/** The poll: the exports that the trigger uses. */
export { RETENTION_MS } from '../start';
export type { Memory } from './memory';
export { poll, type PollOptions } from './poll';
