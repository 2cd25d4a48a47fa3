/** The poll: the exports that the trigger uses. */
export { poll, type PollOptions } from './poll';
