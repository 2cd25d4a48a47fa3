/** Checks the signature of a delivery with the node's signing secrets, reading them as rarely as is safe. */
import { counted } from '../shared/text';
import type {
	DeliveryHeaders,
	SignatureRefusal,
	SignedBy,
	Verifier,
	VerifierResult,
	VerifyOptions,
} from '../signature';
import type { Cause } from './reasons';
import type { ReadSigningSettings, VerifierCache } from './verifierCache';

export interface SignedRefusal {
	readonly ok: false;
	readonly reason: SignatureRefusal | 'not_configured' | 'ledger_unavailable';
	/** What is known beyond the reason. A text contains its own advice. */
	readonly detail?: Cause | string | undefined;
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
	/** What to do if there are no secrets: only where the node registers its endpoint, which has no credential to correct. */
	readonly notConfigured?: string;
	/** Why a delivery is rejected if `read` or `version` failed with this error. */
	readonly refusalOf: (error: unknown) => SignedRefusal;
}

/** Rejections that fresh secrets could change. */
const MAY_BE_OUTDATED: ReadonlySet<string> = new Set(['signature_mismatch', 'not_configured']);

/** Advice for an endpoint that the node registered: its secret is in no credential. */
const OF_REGISTERED: Readonly<Partial<Record<SignatureRefusal, Cause>>> = {
	signature_missing: { advice: 'something else called the URL' },
	signature_malformed: { advice: 'look for a proxy that changes headers' },
	signature_mismatch: {
		advice:
			'delete other endpoints with this URL at the service, or publish the workflow again, and look for a proxy that changes bodies',
	},
};

/** What is known about a rejected signature beyond the reason. */
function causeOf(
	reason: SignatureRefusal,
	verifier: Verifier,
	{ headers, ...options }: VerifyOptions & Pick<SignedDelivery, 'headers'>,
): Cause | undefined {
	const { headerField } = verifier;
	// Without the name of the header: it could be a secret that was pasted into the wrong field.
	if (reason === 'signature_missing' && headerField !== 'Signature Header') {
		return {
			advice: `something else called the URL, or the service signs in another way: check '${headerField}' in the credential`,
		};
	}
	if (reason !== 'timestamp_outside_tolerance') return undefined;
	const { nowSeconds, toleranceSeconds } = options;
	const behind = verifier.secondsBehind(headers, nowSeconds) ?? 0;
	const isAhead = behind < 0;
	const seconds = counted(Math.abs(behind), 'second');
	return {
		problem: `its timestamp is ${seconds} ${isAhead ? 'ahead of' : 'behind'} n8n's clock, and at most ${toleranceSeconds} are allowed`,
		...(isAhead && {
			advice:
				'check the clock of the n8n server. If it is right, that of the service is wrong: ask its provider',
		}),
	};
}

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
		if (!made.ok) {
			const detail = secrets.notConfigured ?? made.problems.join(' ');
			return { ok: false, reason: 'not_configured', detail };
		}
		const { verifier } = made;
		const verified = verifier.verify(headers, body, { nowSeconds, toleranceSeconds });
		if (verified.ok) return verified;
		const { reason } = verified;
		const isRegistered = secrets.notConfigured !== undefined;
		if (reason === 'signature_mismatch' && made.doubts.length > 0) {
			return { ...verified, detail: made.doubts.join(' ') };
		}
		const detail =
			(isRegistered ? OF_REGISTERED[reason] : undefined) ??
			causeOf(reason, verifier, { headers, nowSeconds, toleranceSeconds });
		return { ...verified, ...(detail && { detail }) };
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
