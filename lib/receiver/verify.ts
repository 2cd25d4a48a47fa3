/** Checks the signature of a delivery with the node's signing secrets, reading them as rarely as is safe: reading a credential costs n8n far more than checking a signature. */
import type { EventForm } from '../event';
import { counted } from '../shared/text';
import {
	type DeliveryHeaders,
	type SignatureRefusal,
	type SignedBy,
	type Verifier,
	createVerifier,
	type SigningSettings,
} from '../signature';
import type { Cause } from './reasons';

/** A verifier, or why there is none. */
type MadeVerifier = ReturnType<typeof createVerifier> & Pick<VersionedSettings, 'form'>;

/** By which secret a delivery is signed, and the form of its event. */
type SignedEvent = SignedBy & Pick<VersionedSettings, 'form'>;

interface SignedRefusal {
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

/** Advice for an endpoint that the node registered: its secret is in no credential, and its scheme among the node's options. */
function adviceForRegistered(reason: SignatureRefusal, field: string): string | undefined {
	switch (reason) {
		case 'signature_missing':
			return `something else called the URL, or the service signs in another way: check '${field}' of the trigger`;
		case 'signature_malformed':
			return "check 'Scheme' of the trigger, and look for a proxy that changes headers";
		case 'signature_mismatch':
			return 'delete other endpoints with this URL at the service, or publish the workflow again, and look for a proxy that changes bodies';
		case 'timestamp_outside_tolerance':
			return undefined;
	}
}

/** What is known about a rejected signature beyond the reason. */
function causeOf(
	reason: SignatureRefusal,
	verifier: Verifier,
	{
		headers,
		isRegistered,
		...options
	}: Parameters<Verifier['verify']>[2] &
		Pick<SignedDelivery, 'headers'> & { readonly isRegistered: boolean },
): Cause | undefined {
	const { headerField } = verifier;
	const advice = isRegistered ? adviceForRegistered(reason, headerField) : undefined;
	if (advice !== undefined) return { advice };
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
): Promise<SignedEvent | SignedRefusal> {
	let reads = 0;
	const read: ReadSigningSettings = async () => {
		reads += 1;
		return await secrets.read();
	};
	const nowSeconds = Math.floor(receivedAt.getTime() / 1000);
	const verifyWith = (made: MadeVerifier): SignedEvent | SignedRefusal => {
		if (!made.ok) {
			const detail = secrets.notConfigured ?? made.problems.join(' ');
			return { ok: false, reason: 'not_configured', detail };
		}
		const { verifier, form } = made;
		const verified = verifier.verify(headers, body, { nowSeconds, toleranceSeconds });
		if (verified.ok) return { ...verified, form };
		const { reason } = verified;
		const isRegistered = secrets.notConfigured !== undefined;
		if (reason === 'signature_mismatch' && made.doubts.length > 0) {
			return { ...verified, detail: made.doubts.join(' ') };
		}
		const options = { headers, nowSeconds, toleranceSeconds, isRegistered };
		const detail = causeOf(reason, verifier, options);
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

interface VersionedSettings {
	readonly settings: SigningSettings;
	/** A text that changes whenever the settings do; undefined if only the settings themselves show a change. */
	readonly version?: string | undefined;
	/** Of the events, if the service has another one than the default. */
	readonly form?: EventForm | undefined;
}

/** Reads the current settings of a node's signing secrets; rejects if they cannot be read. */
type ReadSigningSettings = () => Promise<VersionedSettings>;

/** How long a verifier is kept, and so how long a secret still works after it was removed, in milliseconds. */
const KEEP_MS = 15_000;
/** How long a refresh or a missing configuration is kept, in milliseconds: a flood of forgeries costs one read in this time. */
const REFRESH_MS = 1000;
/** Above this number of keys the oldest is dropped, so memory stays bounded. */
const MAX_KEYS = 10_000;

interface KeptVerifier {
	readonly verifier: Promise<MadeVerifier>;
	readonly readAt: number;
	/** When it must be read again before use. */
	expiresAt: number;
	/** Whether the read has ended. */
	isRead: boolean;
	/** Known once the read has ended. */
	version: string | undefined;
}

interface VerifierCache {
	/** The kept verifier, or one from freshly read settings: one read for any number of waiting callers. */
	get(key: string, read: ReadSigningSettings): Promise<MadeVerifier>;
	/**
	 * A verifier from settings that are read again; undefined if they were read less than a second ago and, according to
	 * `version`, have not changed. Joins a read in progress: it may already return the new secret.
	 */
	refresh(
		key: string,
		read: ReadSigningSettings,
		version?: string,
	): Promise<MadeVerifier | undefined>;
}

/** A cache of verifiers by key (workflow, node and credential). `now` is a monotonic clock in milliseconds. */
export function createVerifierCache(now: () => number = () => performance.now()): VerifierCache {
	const kept = new Map<string, KeptVerifier>();

	const load = (key: string, read: ReadSigningSettings): Promise<MadeVerifier> => {
		const readAt = now();
		const verifier = read().then(({ settings, version, form }) => {
			entry.version = version;
			return { ...createVerifier(settings), form };
		});
		const entry: KeptVerifier = {
			verifier,
			readAt,
			expiresAt: readAt + KEEP_MS,
			isRead: false,
			version: undefined,
		};
		kept.delete(key);
		kept.set(key, entry);
		if (kept.size > MAX_KEYS) {
			const [oldest = key] = kept.keys();
			kept.delete(oldest);
		}
		verifier.then(
			(result) => {
				entry.isRead = true;
				if (!result.ok) entry.expiresAt = readAt + REFRESH_MS;
			},
			() => {
				if (kept.get(key) === entry) kept.delete(key);
			},
		);
		return verifier;
	};

	return {
		get(key, read) {
			const entry = kept.get(key);
			return entry !== undefined && now() < entry.expiresAt ? entry.verifier : load(key, read);
		},
		async refresh(key, read, version) {
			const isOutdated = (entry: KeptVerifier) =>
				version !== undefined && entry.version !== version;
			let entry = kept.get(key);
			if (entry !== undefined && !entry.isRead) {
				const joined = await entry.verifier;
				if (!isOutdated(entry)) return joined;
				// It began before the change; the first of its waiting callers reads again.
				entry = kept.get(key);
				if (entry !== undefined && !entry.isRead) return await entry.verifier;
			}
			const isYoung = entry !== undefined && now() - entry.readAt < REFRESH_MS;
			if (entry !== undefined && isYoung && !isOutdated(entry)) return undefined;
			return await load(key, read);
		},
	};
}
