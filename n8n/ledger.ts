/** The ledger of the process, with n8n's log for what operators should know. */
import type { Logger } from 'n8n-workflow';
import { type Ledger, openLedger } from '../lib/ledger';

export function ledgerFor({ logger }: { readonly logger: Logger }): Ledger {
	return openLedger({
		log: (line) => {
			logger.info(line);
		},
	});
}
