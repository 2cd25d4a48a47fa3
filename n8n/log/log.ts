/** What operators can read: log lines with the node and the workflow, a flood of similar ones limited, and the count of rejections of this process. */
import type { FunctionsBase, Logger } from 'n8n-workflow';
import { RejectionCounter } from '../../lib/rejections';
import { createLimiter } from '../../lib/shared/pace';
import { printable } from '../../lib/shared/text';
import { SECOND_MS } from '../../lib/shared/time';

/** For example: Asset Service Trigger "Events" in workflow 7: the message. */
export function logLine(
	context: Pick<FunctionsBase, 'getNode' | 'getWorkflow'>,
	message: string,
): string {
	const { name, type } = context.getNode();
	const { id = '(not saved)' } = context.getWorkflow();
	// The name of the package and a dot, then the name of the node in camel case.
	const words = type.slice(type.lastIndexOf('.') + 1).replace(/[A-Z]/g, ' $&');
	const kind = printable(words.charAt(0).toUpperCase() + words.slice(1));
	return `${kind} "${printable(name)}" in workflow ${printable(id)}: ${printable(message, 1000)}`;
}

/** Writes at most one line per `pauseMs` milliseconds and kind, and then the number of those that were left out. */
export function createLogLimiter(logger: Pick<Logger, 'warn'>, pauseMs = SECOND_MS) {
	return createLimiter<() => string>((line, leftOut) => {
		const others = leftOut === 0 ? '' : ` (${leftOut} of this kind since the line before)`;
		logger.warn(line() + others);
	}, pauseMs);
}

/** One per process. */
export const rejections = new RejectionCounter();

// Only next to n8n's own listeners: without them, a listener added here would keep the signal from ending the process.
for (const signal of ['SIGTERM', 'SIGINT']) {
	if (process.listenerCount(signal) > 0) process.once(signal, () => void rejections.flush());
}
