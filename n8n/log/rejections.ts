/** Counts what did not start a workflow, for this process of n8n. */
import { RejectionCounter } from '../../lib/rejections';

/** One per process. */
export const rejections = new RejectionCounter();

// Only next to n8n's own listeners: without them, a listener added here would keep the signal from ending the process.
for (const signal of ['SIGTERM', 'SIGINT']) {
	if (process.listenerCount(signal) > 0) process.once(signal, () => void rejections.flush());
}
