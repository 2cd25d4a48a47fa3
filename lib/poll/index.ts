/** The poll: the exports that the trigger uses. */
export { RETENTION_MS } from '../start';
export { poll, type PollOptions } from './poll';
