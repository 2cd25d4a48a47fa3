/** Checks the signature of a delivery with the node's signing secrets, reading them as seldom as is safe. */
import type { IWebhookFunctions } from 'n8n-workflow';
import type { DeliveryHeaders, SecretName, SignatureRefusal, Verifier } from '../../lib/signature';
import { isAutomatic, registeredSecrets } from './registration';
import type { TriggerSettings } from './settings';
import { createVerifierCache } from './signingSecrets';

export const SIGNING_SECRET_CREDENTIAL = 'assetServiceSigningSecretApi';

export type Signed =
	| { ok: true; secret: SecretName; timestamp: number | null }
	| { ok: false; reason: SignatureRefusal | 'not_configured' };

interface SignedInput {
	readonly headers: DeliveryHeaders;
	readonly body: Uint8Array;
	readonly receivedAt: Date;
	readonly settings: Pick<TriggerSettings, 'toleranceSeconds'>;
}

/** One for the process: the point is that requests share it. */
const verifiers = createVerifierCache();

/**
 * Answers which secret signed the delivery, or why it is refused.
 * A signature that fits no kept secret is tried once more with freshly read ones, so a new secret works at once.
 */
export async function checkSignature(
	context: IWebhookFunctions,
	input: SignedInput,
): Promise<Signed> {
	const key = verifierKey(context);
	const read = async () =>
		isAutomatic(context)
			? await registeredSecrets(context)
			: await context.getCredentials(SIGNING_SECRET_CREDENTIAL);

	try {
		const kept = await verifiers.get(key, read);
		if (!kept.ok) return { ok: false, reason: 'not_configured' };
		const signed = verify(kept.verifier, input);
		if (signed.ok || signed.reason !== 'signature_mismatch') return signed;

		const fresh = await verifiers.refresh(key, read);
		if (fresh === undefined) return signed;
		return fresh.ok ? verify(fresh.verifier, input) : { ok: false, reason: 'not_configured' };
	} catch {
		// The credential is missing or could not be read: n8n's own message may quote what it holds.
		return { ok: false, reason: 'not_configured' };
	}
}

/** Workflow, node and credentials: what decides which secrets a delivery is checked with. */
function verifierKey(context: IWebhookFunctions): string {
	const { id: nodeId, credentials, parameters } = context.getNode();
	const credentialIds = Object.values(credentials ?? {}).map(({ id }) => id);
	const { registration } = parameters;
	return JSON.stringify([
		context.getWorkflow().id,
		nodeId,
		registration,
		context.getMode(),
		...credentialIds,
	]);
}

function verify(verifier: Verifier, { headers, body, receivedAt, settings }: SignedInput): Signed {
	const parsed = verifier.parse(headers);
	if (!parsed.ok) return parsed;
	return verifier.verify(parsed.signature, body, {
		nowSeconds: Math.floor(receivedAt.getTime() / 1000),
		toleranceSeconds: settings.toleranceSeconds,
	});
}
