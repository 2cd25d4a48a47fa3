/** Checks the signature of a delivery with the node's signing secrets, reading them as seldom as is safe. */
import type { DeliveryHeaders, SignatureRefusal, SignedBy, VerifierResult } from '../signature';
import type { ReadSigningSettings, VerifierCache } from './verifierCache';

export interface SignedRefusal {
	readonly ok: false;
	readonly reason: SignatureRefusal | 'not_configured' | 'ledger_unavailable';
	/** For operators, where the reason alone does not say what to do. */
	readonly detail?: string;
}

interface SignedDelivery {
	readonly headers: DeliveryHeaders;
	readonly body: Uint8Array;
	readonly receivedAt: Date;
}

/** Where the signing secrets of one node come from, for one delivery. */
export interface SecretSource {
	/** What decides which secrets a delivery is checked with: workflow, node, credential. */
	readonly key: string;
	readonly read: ReadSigningSettings;
	/** As `VersionedSettings.version`, where it costs less than a read. */
	readonly version?: () => Promise<string | undefined>;
	/** What to do where there are no secrets, if it is not the usual. */
	readonly notConfigured?: string;
	/** Why a delivery is refused when `read` or `version` failed with this error. */
	readonly refusalOf: (error: unknown) => SignedRefusal;
}

/** Refusals that fresh secrets could change. */
const MAY_BE_OUTDATED: ReadonlySet<string> = new Set(['signature_mismatch', 'not_configured']);

/**
 * Returns which secret signed the delivery, or why it is refused; never rejects.
 * A signature that fits no kept secret is tried once more with freshly read ones, so a new secret works within a second.
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
		if (!made.ok) {
			const { notConfigured: detail } = secrets;
			return { ok: false, reason: 'not_configured', ...(detail !== undefined && { detail }) };
		}
		const verified = made.verifier.verify(headers, body, { nowSeconds, toleranceSeconds });
		if (verified.ok || verified.reason !== 'signature_mismatch') return verified;
		return { ...verified, ...(made.doubts.length > 0 && { detail: made.doubts.join(' ') }) };
	};
	try {
		const kept = verifyWith(await verifiers.get(secrets.key, read));
		// A read of this delivery's own began after it arrived: another one would bring nothing new.
		if (kept.ok || reads > 0 || !MAY_BE_OUTDATED.has(kept.reason)) return kept;

		const fresh = await verifiers.refresh(secrets.key, read, await secrets.version?.());
		return fresh === undefined ? kept : verifyWith(fresh);
	} catch (error) {
		return secrets.refusalOf(error);
	}
}
