/** The ledger of the process, with n8n's log for messages to operators. */
import type { Logger } from 'n8n-workflow';
import { type Ledger, openLedger } from '../../lib/ledger';

/** Rejects with `LedgerUnavailableError` if its store cannot be chosen. */
export function ledgerFor({ logger }: { readonly logger: Logger }): Promise<Ledger> {
	return openLedger({
		log: (line) => {
			logger.info(line);
		},
		warn: (line) => {
			logger.warn(line);
		},
	});
}
