/** Writes the reason of each rejection to n8n's log, at most one line per second, node and reason. */
import type { IWebhookFunctions, Logger } from 'n8n-workflow';
import type { Acknowledge } from '../../lib/ledger';
import type { RefusalLog } from '../../lib/receiver';
import { DAY_MS } from '../../lib/shared/durations';
import { printable } from '../../lib/shared/printable';
import { createLogLimiter, type LogLimiter } from '../logLimiter';
import { logLine } from '../logLine';

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

const otherUrl = new WeakMap<Logger, LogLimiter>();

/** A delivery arrived at the URL of the other setting of "If the Execution Fails", the parameter of the node. */
export function logOtherUrl(
	context: Pick<IWebhookFunctions, 'getNode' | 'getWorkflow' | 'logger'>,
	acknowledge: Acknowledge,
): void {
	const { logger } = context;
	const limiter =
		otherUrl.get(logger) ??
		createLogLimiter((line) => {
			logger.warn(line);
		}, DAY_MS);
	otherUrl.set(logger, limiter);
	const line = logLine(
		context,
		acknowledge === 'stored'
			? "a delivery arrived at the URL for 'If the Execution Fails' = 'Start Again', but the node is set to 'Do Not Start Again', which applies. Register the URL that the node shows"
			: "a delivery arrived at the URL for 'If the Execution Fails' = 'Do Not Start Again', but the node is set to 'Start Again', which applies: n8n responds before the execution ends, so after a failure only a poll trigger or another delivery starts the event again. Register the URL that the node shows",
	);
	limiter.write(line, () => line);
}

export function logRefusal(
	context: Pick<IWebhookFunctions, 'getNode' | 'getWorkflow' | 'logger'>,
	{ reason, detail }: RefusalLog,
): void {
	const line = logLine(context, `delivery rejected: ${reason}`);
	ensureLimiter(context.logger).write(line, () => `${line}; ${printable(detail, 1000)}`);
}
