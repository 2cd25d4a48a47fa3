/** Collects garbage until something that depends on it has happened. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitFor } from './wait';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function collectUntil(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
	await waitFor(
		() => {
			collect();
			return isSo();
		},
		{ what, everyMs: 20, timeoutMs: 50_000 },
	);
}

/** Collects all that can be collected by now. */
export async function collectGarbage(): Promise<void> {
	let isCollected = false;
	const marks = new FinalizationRegistry(() => (isCollected = true));
	// Registered later than what is to be collected, so its callback comes later.
	marks.register({}, undefined);
	await collectUntil(() => isCollected, 'the garbage to be collected');
}
