/** Checks the signature of a delivery with the node's signing secrets, reading them as rarely as is safe. */
import type { DeliveryHeaders, SignatureRefusal, SignedBy, VerifierResult } from '../signature';
import type { ReadSigningSettings, VerifierCache } from './verifierCache';

export interface SignedRefusal {
	readonly ok: false;
	readonly reason: SignatureRefusal | 'not_configured' | 'ledger_unavailable';
	/** For operators, if the reason does not say what to do. */
	readonly detail?: string | undefined;
}

interface SignedDelivery {
	readonly headers: DeliveryHeaders;
	readonly body: Uint8Array;
	readonly receivedAt: Date;
}

/** The source of a node's signing secrets, for one delivery. */
export interface SecretSource {
	/** Decides which secrets a delivery is checked with: workflow, node, credential. */
	readonly key: string;
	readonly read: ReadSigningSettings;
	/** Like `VersionedSettings.version`, if it costs less than a read. */
	readonly version?: () => Promise<string | undefined>;
	/** What to do if there are no secrets, if it differs from the standard advice. */
	readonly notConfigured?: string;
	/** Why a delivery is rejected if `read` or `version` failed with this error. */
	readonly refusalOf: (error: unknown) => SignedRefusal;
}

/** Rejections that fresh secrets could change. */
const MAY_BE_OUTDATED: ReadonlySet<string> = new Set(['signature_mismatch', 'not_configured']);

/**
 * Returns the secret that signed the delivery, or why the delivery is rejected. The promise never rejects.
 * A signature that matches no kept secret is checked once more with freshly read ones, so a new secret works within a second.
 */
export async function verifyDelivery(
	verifiers: VerifierCache,
	secrets: SecretSource,
	{ headers, body, receivedAt }: SignedDelivery,
	toleranceSeconds: number,
): Promise<SignedBy | SignedRefusal> {
	let reads = 0;
	const read: ReadSigningSettings = async () => {
		reads += 1;
		return await secrets.read();
	};
	const nowSeconds = Math.floor(receivedAt.getTime() / 1000);
	const verifyWith = (made: VerifierResult): SignedBy | SignedRefusal => {
		if (!made.ok) return { ok: false, reason: 'not_configured', detail: secrets.notConfigured };
		const verified = made.verifier.verify(headers, body, { nowSeconds, toleranceSeconds });
		if (verified.ok || verified.reason !== 'signature_mismatch') return verified;
		return { ...verified, ...(made.doubts.length > 0 && { detail: made.doubts.join(' ') }) };
	};
	try {
		const kept = verifyWith(await verifiers.get(secrets.key, read));
		// If this delivery caused a read, it began after the delivery arrived: another one would not change the result.
		if (kept.ok || reads > 0 || !MAY_BE_OUTDATED.has(kept.reason)) return kept;

		const fresh = await verifiers.refresh(secrets.key, read, await secrets.version?.());
		return fresh === undefined ? kept : verifyWith(fresh);
	} catch (error) {
		return secrets.refusalOf(error);
	}
}
