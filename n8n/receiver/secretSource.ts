/** Where n8n stores the signing secrets of a node. */
import type { IWebhookFunctions } from 'n8n-workflow';
import { LedgerUnavailableError } from '../../lib/ledger';
import type { SecretSource, SignedRefusal } from '../../lib/receiver';
import { PackageError } from '../../lib/shared/packageError';
import { API_CREDENTIAL, SIGNING_SECRET_CREDENTIAL } from '../credentialNames';
import { registeredSecrets } from '../endpoint/registeredSecrets';
import { isAutomatic } from '../endpoint/registration';

/** With automatic registration there is no secret that a user could set. */
const NO_ENDPOINT =
	'no signing secret yet: the webhook endpoint is being registered. If this persists, publish the workflow again';
const CREDENTIAL_UNREADABLE =
	"the credential of the node could not be read: check that it still exists and that n8n's database can be reached";

export function secretSource(context: IWebhookFunctions): SecretSource {
	const shared = {
		key: sourceKey(context),
		refusalOf: (error: unknown) => refusalOf(context, error),
	};
	if (isAutomatic(context)) {
		return { ...shared, ...registeredSecrets(context), notConfigured: NO_ENDPOINT };
	}
	return {
		...shared,
		read: async () => ({ settings: await context.getCredentials(SIGNING_SECRET_CREDENTIAL) }),
	};
}

/** n8n's errors about credentials are not repeated: they may quote their contents. */
function refusalOf(context: IWebhookFunctions, error: unknown): SignedRefusal {
	if (error instanceof LedgerUnavailableError) {
		return { ok: false, reason: 'ledger_unavailable', detail: error.message };
	}
	const notConfigured = { ok: false, reason: 'not_configured' } as const;
	if (error instanceof PackageError) {
		return { ...notConfigured, detail: [error.message, error.hint].join('. ') };
	}
	const type = isAutomatic(context) ? API_CREDENTIAL : SIGNING_SECRET_CREDENTIAL;
	const isSet = context.getNode().credentials?.[type] !== undefined;
	if (isSet) return { ...notConfigured, detail: CREDENTIAL_UNREADABLE };
	return isAutomatic(context)
		? { ...notConfigured, detail: 'set the API credential of the node' }
		: notConfigured;
}

/** Workflow, node and credentials: they decide which secrets a delivery is checked with. */
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
