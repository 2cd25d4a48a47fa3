/** Faults in what a delivery is answered, and why. */
import { type Fault, fault } from './fault';

const RECEIVE = 'lib/receiver/receive.ts';

export const RECEIVER: readonly Fault[] = [
	fault(
		'a wrong signature is accepted',
		RECEIVE,
		'if (!signed.ok) return refused(signed.reason, signed.detail);',
		"if (!signed.ok && signed.reason !== 'signature_mismatch') return refused(signed.reason, signed.detail);",
	),
	fault(
		'an event that nobody wants starts',
		RECEIVE,
		'if (!isWanted(event, settings)) return ignored(event);',
		'if (!isWanted(event, settings) && event.record === undefined) return ignored(event);',
	),
	fault(
		'a delivery that has waited in vain is acknowledged',
		RECEIVE,
		'return outcome.retryAfterMs === undefined ? busy : busyFor(outcome.retryAfterMs);',
		'return outcome.retryAfterMs === undefined ? duplicate : busyFor(outcome.retryAfterMs);',
	),
	fault(
		'a stored execution counts as a success',
		RECEIVE,
		"if (acknowledge === 'stored') return duplicate;",
		'if (acknowledge !== undefined) return duplicate;',
	),
	fault(
		'what n8n could not store is committed',
		'n8n/webhook/delivery.ts',
		'const isOk = response.statusCode < 300;',
		'const isOk = response.statusCode < 600;',
	),
	fault(
		'a sender that hangs up has the event committed',
		'n8n/webhook/delivery.ts',
		"response.once('close', abandonIfLate);",
		"response.once('close', () => void settle(response.statusCode < 300));",
	),
	fault(
		'the others of a batch are acknowledged whatever becomes of it',
		'lib/receiver/batch.ts',
		"const isAccepted = byMember.get(other) === 'accepted';",
		'const isAccepted = byMember.size > 0;',
	),
];
