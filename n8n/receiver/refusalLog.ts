/** Writes the reason of each refusal into n8n's log, one line a second for a node and a reason. */
import type { IWebhookFunctions, Logger } from 'n8n-workflow';
import type { RefusalLog } from '../../lib/receiver';
import { printable } from '../../lib/shared/printable';
import { createLogLimiter, type LogLimiter } from '../logLimiter';

const limiters = new WeakMap<Logger, LogLimiter>();

function ensureLimiter(logger: Logger): LogLimiter {
	let limiter = limiters.get(logger);
	if (limiter === undefined) {
		limiter = createLogLimiter((line) => {
			logger.warn(line);
		});
		limiters.set(logger, limiter);
	}
	return limiter;
}

export function logRefusal(
	context: Pick<IWebhookFunctions, 'getNode' | 'getWorkflow' | 'logger'>,
	{ reason, detail }: RefusalLog,
): void {
	const { name } = context.getNode();
	const workflowId = context.getWorkflow().id ?? '';
	const line = `Asset Service Trigger (node "${printable(name)}", workflow ${printable(workflowId)}): delivery refused: ${reason}`;
	ensureLimiter(context.logger).write(line, () =>
		detail === undefined ? line : `${line}; ${printable(detail, 1000)}`,
	);
}
