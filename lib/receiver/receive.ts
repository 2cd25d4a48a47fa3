/** A delivery from bytes to verdict, step by step: signature, event, type, claim. It knows nothing of n8n. */
import { claimOrWait, type Ledger, ledgerKey, LedgerUnavailableError } from '../ledger';
import { parseEvent, type ParsedEvent } from './event';
import type { TriggerSettings } from './settings';
import type { DeliveryHeaders, SignedBy } from './signature';
import { duplicate, ignored, refused, type Verdict } from './verdict';
import type { VerifierCache } from './verifierCache';
import { type SecretSource, verifyDelivery } from './verify';

export interface Receiver {
	readonly verifiers: VerifierCache;
	readonly secrets: SecretSource;
	/** Called when there is an event to claim. Left out while the editor listens for a test event: then nothing is remembered. */
	readonly openLedger?: () => Promise<Ledger>;
	readonly workflowId: string;
	readonly settings: TriggerSettings;
	readonly now?: () => Date;
}

/**
 * Never throws for what came in. An event is to be acknowledged when its run is stored, or was before; every other
 * verdict makes the service deliver it again, or says that there is nothing to do.
 */
export async function receive(
	{ headers, body }: { readonly headers: DeliveryHeaders; readonly body: Uint8Array },
	{ verifiers, secrets, openLedger, workflowId, settings, now = () => new Date() }: Receiver,
): Promise<Verdict> {
	const receivedAt = now();
	const delivery = { headers, body, receivedAt };
	const signed = await verifyDelivery(verifiers, secrets, delivery, settings.toleranceSeconds);
	if (!signed.ok) return refused(signed.reason, signed.detail);

	const parsed = parseEvent(body);
	if (!parsed.ok) return refused('event_invalid');
	const { event } = parsed;

	if (!settings.isWanted(event.type)) return ignored;

	const { includeDelivery } = settings;
	const facts = { _delivery: deliveryFacts(headers, signed, receivedAt) };
	const items = [includeDelivery ? { ...event.record, ...facts } : event.record];
	if (openLedger === undefined) return { start: true, items, hold: undefined };
	return await claimed(openLedger, workflowId, event, items);
}

async function claimed(
	openLedger: () => Promise<Ledger>,
	workflowId: string,
	{ id }: ParsedEvent,
	items: readonly Readonly<Record<string, unknown>>[],
): Promise<Verdict> {
	try {
		const claim = await claimOrWait(await openLedger(), ledgerKey(workflowId, id));
		if (claim.outcome === 'claimed') return { start: true, items, hold: claim.hold };
		return claim.outcome === 'busy' ? refused('busy') : duplicate;
	} catch (error) {
		const detail = error instanceof LedgerUnavailableError ? error.message : undefined;
		return refused('ledger_unavailable', detail);
	}
}

function deliveryFacts(
	headers: DeliveryHeaders,
	{ secret, timestamp }: SignedBy,
	receivedAt: Date,
): Readonly<Record<string, unknown>> {
	const id = firstHeader(headers, 'x-webhook-delivery-id') ?? firstHeader(headers, 'webhook-id');
	return { id: id ?? null, timestamp, secret, receivedAt: receivedAt.toISOString() };
}

function firstHeader(headers: DeliveryHeaders, name: string): string | undefined {
	const value = headers[name];
	return typeof value === 'string' ? value : value?.[0];
}
