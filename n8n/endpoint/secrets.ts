/** Where a delivery finds the signing secrets of its node: in a credential, or in the record of the endpoint that it registered. */
import type { IWebhookFunctions } from 'n8n-workflow';
import {
	dueSteps,
	isBeingUnpublished,
	load,
	type Loaded,
	nextStepAt,
	openRegistration,
	type RegistrationContext,
	stepRegistration,
	untilMade,
	type WantedEndpoint,
} from '../../lib/endpoint';
import type { EventForm } from '../../lib/event';
import { LedgerUnavailableError } from '../../lib/ledger';
import type { SecretSource } from '../../lib/receiver';
import { eventShaper, type ServiceInterface } from '../../lib/service';
import { PackageError } from '../../lib/shared/errors';
import { asRecord } from '../../lib/shared/values';
import { API_CREDENTIAL, SIGNING_SECRET_CREDENTIAL } from '../api/apiClient';
import { readSignatureFields } from '../fields/signatureFields';
import { endpointOf, isAutomatic, type NodeEndpoint } from './registration';

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
function refusalOf(
	context: IWebhookFunctions,
	error: unknown,
): ReturnType<SecretSource['refusalOf']> {
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

/** Workflow, node, credentials and scheme: they decide what a delivery is checked with. */
function sourceKey(context: IWebhookFunctions): string {
	const { id: nodeId, credentials, parameters } = context.getNode();
	const credentialIds = Object.values(credentials ?? {}).map(({ id }) => id);
	const { registration, options } = parameters;
	return JSON.stringify([
		context.getWorkflow().id,
		nodeId,
		registration,
		context.getMode(),
		readSignatureFields(asRecord(options)),
		...credentialIds,
	]);
}

/**
 * For one delivery, which reads the record once: its current contents were there when the endpoint signed.
 * The version is the record's text: every step of a registration changes it.
 * While a process creates the next endpoint, `read` waits for its secret, so that no delivery from that endpoint is rejected.
 */
function registeredSecrets(context: IWebhookFunctions): Pick<SecretSource, 'read' | 'version'> {
	const endpoint = endpointOf(context);
	const isTest = context.getMode() === 'manual';
	let loading: Promise<Loaded> | undefined;
	const loadOnce = async () => await (loading ??= load(endpoint));
	return {
		version: async () => (await loadOnce()).text,
		read: async () => {
			const loaded = await untilMade(endpoint, await loadOnce());
			return { ...(await openAndCatchUp(endpoint, loaded, isTest)), version: loaded.text };
		},
	};
}

/**
 * Returns the secrets and the form of the events, and starts due steps of the endpoint in the background: n8n may not call a hook for long, and
 * the process that published the workflow may be gone.
 */
async function openAndCatchUp(
	endpoint: NodeEndpoint,
	loaded: Loaded,
	isTest: boolean,
): Promise<Pick<Awaited<ReturnType<SecretSource['read']>>, 'settings' | 'form'>> {
	const { registration } = loaded;
	const plan = endpoint.plan();
	const start = (connected: RegistrationContext, wanted?: WantedEndpoint) => {
		const step = async () => await stepRegistration(connected, plan, wanted);
		dueSteps.startNow(connected.key, step, connected.warn);
	};
	if (registration?.current === undefined) {
		const isGone = isBeingUnpublished(loaded, Date.now());
		if (isTest || isGone || !dueSteps.isFree(endpoint.key)) return { settings: {} };
		const wanted = registration ?? endpoint.wanted();
		start(await endpoint.connect(), wanted);
		return { settings: {} };
	}
	const connected = await endpoint.connect();
	const secrets = openRegistration(registration, connected.clientSecret);
	const dueAt = nextStepAt(registration, plan);
	const isDue = dueAt !== undefined && dueAt <= Date.now();
	if (secrets === undefined || isDue) start(connected);
	return {
		settings: { ...secrets, ...endpoint.scheme() },
		form: formOf(connected.client.serviceInterface),
	};
}

/** What the service's events look like, by the settings of the credential; undefined for the default. */
function formOf(service: ServiceInterface): EventForm | undefined {
	const shape = eventShaper(service);
	return shape && { shape, idPath: service.eventIdPath };
}
