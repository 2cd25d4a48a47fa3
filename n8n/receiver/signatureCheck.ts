/** Checks the signature of a delivery with the node's signing secrets, reading them as seldom as is safe. */
import type { IWebhookFunctions } from 'n8n-workflow';
import { ApiError } from '../../lib/service';
import { LedgerUnavailableError } from '../../lib/ledger';
import { RegistrationError } from '../../lib/endpoint';
import type {
	DeliveryHeaders,
	SecretName,
	SignatureRefusal,
	Verifier,
	VerifierResult,
} from '../../lib/receiver/signature';
import { API_CREDENTIAL } from '../apiClient';
import { registeredSecrets } from '../endpoint/registeredSecrets';
import { isAutomatic } from '../endpoint/registration';
import type { TriggerSettings } from '../../lib/receiver/settings';
import { createVerifierCache, type ReadSigningSettings } from '../../lib/receiver/verifierCache';

export const SIGNING_SECRET_CREDENTIAL = 'assetServiceSigningSecretApi';

export type Signed =
	| { ok: true; secret: SecretName; timestamp: number | null }
	| {
			ok: false;
			reason: SignatureRefusal | 'not_configured' | 'ledger_unavailable';
			/** For operators, where the reason alone does not say what to do. */
			detail?: string;
	  };

interface SignedInput {
	readonly headers: DeliveryHeaders;
	readonly body: Uint8Array;
	readonly receivedAt: Date;
	readonly settings: Pick<TriggerSettings, 'toleranceSeconds'>;
}

/** The refusals that another secret could turn. */
const MAY_BE_OUTDATED: ReadonlySet<string> = new Set(['signature_mismatch', 'not_configured']);

/** With automatic registration there is no secret that a person could set. */
const NO_ENDPOINT =
	'the node has no endpoint whose signing secret it can read; one is being registered. If this goes on, publish the workflow again';
const CREDENTIAL_UNREADABLE =
	"the node's credential could not be read: check that it still exists and that n8n's database is reachable";

/** One for the process: the point is that requests share it. */
const verifiers = createVerifierCache();

/**
 * Answers which secret signed the delivery, or why it is refused.
 * A signature that fits no kept secret is tried once more with freshly read ones, so a new secret works within a second.
 */
export async function checkSignature(
	context: IWebhookFunctions,
	input: SignedInput,
): Promise<Signed> {
	const key = verifierKey(context);
	const registered = isAutomatic(context) ? registeredSecrets(context) : undefined;
	let reads = 0;
	const read: ReadSigningSettings = async () => {
		reads += 1;
		if (registered !== undefined) return await registered.read();
		return { settings: await context.getCredentials(SIGNING_SECRET_CREDENTIAL) };
	};
	const verifyWith = (made: VerifierResult): Signed =>
		made.ok ? verify(made.verifier, input) : notConfigured(registered && NO_ENDPOINT);

	try {
		const kept = verifyWith(await verifiers.get(key, read));
		// A read of this delivery's own began after it arrived: another one would bring nothing new.
		if (kept.ok || reads > 0 || !MAY_BE_OUTDATED.has(kept.reason)) return kept;

		const fresh = await verifiers.refresh(key, read, await registered?.version());
		return fresh === undefined ? kept : verifyWith(fresh);
	} catch (error) {
		return unreadable(context, error);
	}
}

function notConfigured(detail: string | undefined): Signed {
	return { ok: false, reason: 'not_configured', ...(detail !== undefined && { detail }) };
}

/** The secrets could not be read. What n8n says of its credentials is not repeated: it may quote what they hold. */
function unreadable(context: IWebhookFunctions, error: unknown): Signed {
	if (error instanceof LedgerUnavailableError) {
		return { ok: false, reason: 'ledger_unavailable', detail: error.message };
	}
	if (error instanceof RegistrationError || error instanceof ApiError) {
		return notConfigured([error.message, error.hint].join(' '));
	}
	const type = isAutomatic(context) ? API_CREDENTIAL : SIGNING_SECRET_CREDENTIAL;
	const isSet = context.getNode().credentials?.[type] !== undefined;
	if (isSet) return notConfigured(CREDENTIAL_UNREADABLE);
	return notConfigured(isAutomatic(context) ? 'set the API credential of the node' : undefined);
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
