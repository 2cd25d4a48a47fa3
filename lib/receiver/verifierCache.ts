/** Keeps each node's verifier in memory for a while, because reading a credential costs n8n far more than checking a signature. */
import { createVerifier, type SigningSettings, type VerifierResult } from '../signature';

interface VersionedSettings {
	readonly settings: SigningSettings;
	/** A text that changes whenever the settings do; undefined if only the settings themselves show a change. */
	readonly version?: string | undefined;
}

/** Reads the current settings of a node's signing secrets; rejects if they cannot be read. */
export type ReadSigningSettings = () => Promise<VersionedSettings>;

/** How long a verifier is kept, and so how long a secret still works after it was removed, in milliseconds. */
export const KEEP_MS = 15_000;
/** How long a refresh or a missing configuration is kept, in milliseconds: a flood of forgeries costs one read in this time. */
export const REFRESH_MS = 1000;
/** Above this number of keys the oldest is dropped, so memory stays bounded. */
const MAX_KEYS = 10_000;

interface KeptVerifier {
	readonly verifier: Promise<VerifierResult>;
	readonly readAt: number;
	/** When it must be read again before use. */
	expiresAt: number;
	/** Whether the read has ended. */
	isRead: boolean;
	/** Known once the read has ended. */
	version: string | undefined;
}

export interface VerifierCache {
	/** The kept verifier, or one from freshly read settings: one read for any number of waiting callers. */
	get(key: string, read: ReadSigningSettings): Promise<VerifierResult>;
	/**
	 * A verifier from settings that are read again; undefined if they were read less than a second ago and, according to
	 * `version`, have not changed. Joins a read in progress: it may already return the new secret.
	 */
	refresh(
		key: string,
		read: ReadSigningSettings,
		version?: string,
	): Promise<VerifierResult | undefined>;
}

/** A cache of verifiers by key (workflow, node and credential). `now` is a monotonic clock in milliseconds. */
export function createVerifierCache(now: () => number = () => performance.now()): VerifierCache {
	const kept = new Map<string, KeptVerifier>();

	const load = (key: string, read: ReadSigningSettings): Promise<VerifierResult> => {
		const readAt = now();
		const verifier = read().then(({ settings, version }) => {
			entry.version = version;
			return createVerifier(settings);
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
