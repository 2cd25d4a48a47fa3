/** Writes the reason of each rejection to n8n's log, at most one line per second, node and reason. */
import type { IWebhookFunctions, Logger } from 'n8n-workflow';
import type { Acknowledge } from '../../lib/ledger';
import type { RefusalLog } from '../../lib/receiver';
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

const A_DAY_MS = 24 * 60 * 60 * 1000;
const otherUrl = new WeakMap<Logger, LogLimiter>();

/** A delivery arrived at the URL that does not match the parameter "Acknowledge". */
export function logOtherUrl(
	context: Pick<IWebhookFunctions, 'getNode' | 'getWorkflow' | 'logger'>,
	acknowledge: Acknowledge,
): void {
	const { logger } = context;
	const limiter =
		otherUrl.get(logger) ??
		createLogLimiter((line) => {
			logger.warn(line);
		}, A_DAY_MS);
	otherUrl.set(logger, limiter);
	const line = logLine(
		context,
		`a delivery arrived at the production URL for 'Acknowledge' = '${acknowledge === 'stored' ? 'Once Stored' : 'Once Succeeded'}' and follows that setting. Register the URL that the node shows`,
	);
	limiter.write(line, () => line);
}

export function logRefusal(
	context: Pick<IWebhookFunctions, 'getNode' | 'getWorkflow' | 'logger'>,
	{ reason, detail }: RefusalLog,
): void {
	const line = logLine(context, `delivery refused: ${reason}`);
	ensureLimiter(context.logger).write(line, () => `${line}; ${printable(detail, 1000)}`);
}
