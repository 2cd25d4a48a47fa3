/** A real n8n for the tests of a file or of a `describe`, in one line. */
import { useForAll } from '../lifetime';
import { createQueueWorld, createWorld, type QueueWorld, type World } from './world';

/** Only a test that hangs should reach it: each wait has its own limit. */
const TEST_MS = 12 * 60_000;

/** One process with SQLite; `options` is called when it starts. */
export function useWorld(options?: () => Parameters<typeof createWorld>[0]): World {
	jest.setTimeout(TEST_MS);
	return useForAll(() => createWorld(options?.()));
}

type QueueWorldOptions = Parameters<typeof createQueueWorld>[0];

/** In queue mode; a function is called when it starts. */
export function useQueueWorld(options: QueueWorldOptions | (() => QueueWorldOptions)): QueueWorld {
	jest.setTimeout(TEST_MS);
	return useForAll(() => createQueueWorld(typeof options === 'function' ? options() : options));
}
