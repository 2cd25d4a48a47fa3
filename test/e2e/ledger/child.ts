/** A process that claims one event and then has nothing left to do, without closing the ledger. */
import { ledgerKey, openLedger } from '../../../lib/ledger';

void openLedger({ log: () => undefined })
	.then((ledger) => ledger.claim(ledgerKey('workflow', 'whevt_1')))
	.then(({ state }) => {
		console.log(state);
	});
