/** Checks the signature of a delivery with the node's signing secrets, reading them as seldom as is safe. */
import type { DeliveryHeaders, SecretName, SignatureRefusal, VerifierResult } from './signature';
import type { ReadSigningSettings, VerifierCache } from './verifierCache';

export type Signed =
	| { readonly ok: true; readonly secret: SecretName; readonly timestamp: number | null }
	| {
			readonly ok: false;
			readonly reason: SignatureRefusal | 'not_configured' | 'ledger_unavailable';
			/** For operators, where the reason alone does not say what to do. */
			readonly detail?: string;
	  };

export interface SignedDelivery {
	readonly headers: DeliveryHeaders;
	readonly body: Uint8Array;
	readonly receivedAt: Date;
}

/** Where the signing secrets of one node come from, for one delivery. */
export interface SecretSource {
	/** What decides which secrets a delivery is checked with: workflow, node, credential. */
	readonly key: string;
	readonly read: ReadSigningSettings;
	/** As `ReadSettings.version`, where it costs less than a read. */
	readonly version?: () => Promise<string | undefined>;
	/** What to do where there are no secrets, if it is not the usual. */
	readonly notConfigured?: string;
}

/** The refusals that another secret could turn. */
const MAY_BE_OUTDATED: ReadonlySet<string> = new Set(['signature_mismatch', 'not_configured']);

/**
 * Answers which secret signed the delivery, or why it is refused; rejects when the secrets cannot be read.
 * A signature that fits no kept secret is tried once more with freshly read ones, so a new secret works within a second.
 */
export async function verifyDelivery(
	verifiers: VerifierCache,
	source: SecretSource,
	delivery: SignedDelivery,
	toleranceSeconds: number,
): Promise<Signed> {
	let reads = 0;
	const read: ReadSigningSettings = async () => {
		reads += 1;
		return await source.read();
	};
	const verifyWith = (made: VerifierResult): Signed => {
		if (made.ok) return verify(made, delivery, toleranceSeconds);
		const { notConfigured: detail } = source;
		return { ok: false, reason: 'not_configured', ...(detail !== undefined && { detail }) };
	};
	const kept = verifyWith(await verifiers.get(source.key, read));
	// A read of this delivery's own began after it arrived: another one would bring nothing new.
	if (kept.ok || reads > 0 || !MAY_BE_OUTDATED.has(kept.reason)) return kept;

	const fresh = await verifiers.refresh(source.key, read, await source.version?.());
	return fresh === undefined ? kept : verifyWith(fresh);
}

function verify(
	{ verifier }: Extract<VerifierResult, { ok: true }>,
	{ headers, body, receivedAt }: SignedDelivery,
	toleranceSeconds: number,
): Signed {
	const parsed = verifier.parse(headers);
	if (!parsed.ok) return parsed;
	const nowSeconds = Math.floor(receivedAt.getTime() / 1000);
	return verifier.verify(parsed.signature, body, { nowSeconds, toleranceSeconds });
}
