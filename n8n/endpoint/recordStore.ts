/** Stores registrations where all processes of an n8n instance find them. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { hasEndpoint } from '../../lib/endpoint';
import type { Records } from '../../lib/ledger';
import { ledgerFor } from '../ledger';

/**
 * The ledger's records, with a copy in the workflow's static data, which n8n saves in its own database after its hooks.
 * So an endpoint is recognized even if the ledger did not survive a restart.
 */
export function recordStore(context: IHookFunctions | IWebhookFunctions): Records {
	const copies = context.getWorkflowStaticData('node');
	/** The copy that was read in place of a record: it is replaced only while there is no record. */
	let standIn: string | undefined;
	return {
		async readRecord(key) {
			const ledger = await ledgerFor(context);
			const kept = await ledger.readRecord(key);
			const copy = copies[key];
			standIn = kept === undefined && typeof copy === 'string' ? copy : undefined;
			return kept ?? standIn;
		},
		async swapRecord(key, expected, next) {
			const ledger = await ledgerFor(context);
			const inLedger = expected === standIn ? undefined : expected;
			if (!(await ledger.swapRecord(key, inLedger, next))) return false;
			standIn = undefined;
			if (next !== undefined && hasEndpoint(next)) copies[key] = next;
			else Reflect.deleteProperty(copies, key);
			return true;
		},
	};
}
