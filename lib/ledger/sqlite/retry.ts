/** Tries again while another process holds the lock, without holding up the event loop. */
import { jittered, sleep } from '../sleep';
import { isBusy } from './errors';

const GIVE_UP_AFTER_MS = 250;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 20;

/** Answers what `work` answers; throws its error when it is not about a lock, or when 250 ms have gone by. */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
	const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
		try {
			return work();
		} catch (error) {
			if (!isBusy(error) || performance.now() + pauseMs >= giveUpAt) throw error;
		}
		await sleep(jittered(pauseMs));
	}
}
