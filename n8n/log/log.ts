/** What operators can read: log lines with the node and the workflow, a flood of similar ones limited, and the count of rejections of this process. */
import type { FunctionsBase } from 'n8n-workflow';
import { RejectionCounter } from '../../lib/rejections';
import { createLimiter } from '../../lib/shared/pace';
import { printable } from '../../lib/shared/text';

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

export interface LogLimiter {
	/** Writes the line, or counts it if one of its kind was written within the last pause. */
	write(kind: string, line: () => string): void;
}

const SECOND_MS = 1000;

/** A limiter of one line per `pauseMs` milliseconds and kind. */
export function createLogLimiter(warn: (line: string) => void, pauseMs = SECOND_MS): LogLimiter {
	const limiter = createLimiter<() => string>((line, leftOut) => {
		warn(leftOut === 0 ? line() : `${line()} (${leftOut} of this kind since the line before)`);
	}, pauseMs);
	return {
		write: (kind, line) => {
			limiter.call(kind, line);
		},
	};
}

/** One per process. */
export const rejections = new RejectionCounter();

// Only next to n8n's own listeners: without them, a listener added here would keep the signal from ending the process.
for (const signal of ['SIGTERM', 'SIGINT']) {
	if (process.listenerCount(signal) > 0) process.once(signal, () => void rejections.flush());
}
