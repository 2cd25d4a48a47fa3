/** Keeps registrations where every process of one n8n finds them. */
import { ledgerFor } from '../ledger';
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { holdsEndpoint, type RecordStore } from '../../lib/endpoint';

/**
 * The ledger's records, with a copy in the workflow's static data: n8n saves that after its hooks, in its own database,
 * so an endpoint is recognised even where the ledger did not survive a restart.
 */
export function recordStore(context: IHookFunctions | IWebhookFunctions): RecordStore {
	const copies = context.getWorkflowStaticData('node');
	/** The copy that stood in for a record when it was read: it is replaced only while there still is no record. */
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
			if (next !== undefined && holdsEndpoint(next)) copies[key] = next;
			else Reflect.deleteProperty(copies, key);
			return true;
		},
	};
}
