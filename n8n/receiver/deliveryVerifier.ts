/** Where n8n keeps the signing secrets of a node, and how its deliveries are verified with them. */
import type { IWebhookFunctions } from 'n8n-workflow';
import { RegistrationError } from '../../lib/endpoint';
import { LedgerUnavailableError } from '../../lib/ledger';
import type { Receiver } from '../../lib/receiver/receive';
import { type SecretSource, type Signed, verifyDelivery } from '../../lib/receiver/verify';
import { createVerifierCache } from '../../lib/receiver/verifierCache';
import { ApiError } from '../../lib/service';
import { API_CREDENTIAL } from '../apiClient';
import { registeredSecrets } from '../endpoint/registeredSecrets';
import { isAutomatic } from '../endpoint/registration';

export const SIGNING_SECRET_CREDENTIAL = 'assetServiceSigningSecretApi';

/** With automatic registration there is no secret that a person could set. */
const NO_ENDPOINT =
	'the node has no endpoint whose signing secret it can read; one is being registered. If this goes on, publish the workflow again';
const CREDENTIAL_UNREADABLE =
	"the node's credential could not be read: check that it still exists and that n8n's database is reachable";

/** One for the process: the point is that requests share it. */
const verifiers = createVerifierCache();

/** Verifies one delivery with the secrets of the node; never rejects. */
export function deliveryVerifier(
	context: IWebhookFunctions,
	toleranceSeconds: number,
): Receiver['verify'] {
	const source = secretSource(context);
	return async (delivery) => {
		try {
			return await verifyDelivery(verifiers, source, delivery, toleranceSeconds);
		} catch (error) {
			return unreadable(context, error);
		}
	};
}

function secretSource(context: IWebhookFunctions): SecretSource {
	const key = sourceKey(context);
	if (isAutomatic(context)) {
		return { key, ...registeredSecrets(context), notConfigured: NO_ENDPOINT };
	}
	return {
		key,
		read: async () => ({ settings: await context.getCredentials(SIGNING_SECRET_CREDENTIAL) }),
	};
}

/** The secrets could not be read. What n8n says of its credentials is not repeated: it may quote what they hold. */
function unreadable(context: IWebhookFunctions, error: unknown): Signed {
	const notConfigured = (detail: string): Signed => ({
		ok: false,
		reason: 'not_configured',
		detail,
	});
	if (error instanceof LedgerUnavailableError) {
		return { ok: false, reason: 'ledger_unavailable', detail: error.message };
	}
	if (error instanceof RegistrationError || error instanceof ApiError) {
		return notConfigured([error.message, error.hint].join(' '));
	}
	const type = isAutomatic(context) ? API_CREDENTIAL : SIGNING_SECRET_CREDENTIAL;
	const isSet = context.getNode().credentials?.[type] !== undefined;
	if (isSet) return notConfigured(CREDENTIAL_UNREADABLE);
	return isAutomatic(context)
		? notConfigured('set the API credential of the node')
		: { ok: false, reason: 'not_configured' };
}

/** Workflow, node and credentials: what decides which secrets a delivery is checked with. */
function sourceKey(context: IWebhookFunctions): string {
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
