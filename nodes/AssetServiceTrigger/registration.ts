/** Connects automatic registration with n8n: the credential, the URL, the place where records are kept. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { KNOWN_EVENT_TYPES, parseApiSettings, type ApiClient } from '../../lib/api';
import { eventTypeFilter } from '../../lib/event';
import { openLedger } from '../../lib/ledger';
import {
	loadRegistration,
	loadSettled,
	openRegistration,
	RegistrationError,
	replaceLostEndpoint,
	stepRotation,
	type EndpointApi,
	type RecordStore,
	type RegistrationContext,
	type RotationPlan,
	type WantedEndpoint,
} from '../../lib/registration';
import { API_CREDENTIAL, apiClientFor } from '../support/apiClient';
import { asNumber, asRecord, asTexts } from '../support/parameters';
import { canDeliverTo } from './productionUrl';
import type { ReadSettings } from './signingSecrets';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

type NodeContext = IHookFunctions | IWebhookFunctions;

export function isAutomatic(context: NodeContext): boolean {
	return context.getNodeParameter('registration', 'manual') === 'automatic';
}

/** All that a registration works with, from what n8n hands to its hooks and to a delivery. */
export async function registrationContext(context: NodeContext): Promise<RegistrationContext> {
	const { clientSecret } = parseApiSettings(await context.getCredentials(API_CREDENTIAL));
	return {
		key: recordKey(context),
		records: recordStore(context),
		api: endpointApi(await apiClientFor(context)),
		clientSecret,
		warn: (message) => {
			context.logger.warn(`Asset Service Trigger (node "${context.getNode().name}"): ${message}`);
		},
	};
}

/**
 * The endpoint that the node's parameters ask for.
 * Wildcards are the trigger's own, so they become the known types that they fit; the node still filters what comes.
 * Throws `RegistrationError` when the service could not deliver to its URL, and when no type is left.
 */
export function wantedEndpoint(context: IHookFunctions): WantedEndpoint {
	const url = webhookUrl(context);
	if (!canDeliverTo(url)) {
		throw new RegistrationError(
			`The service delivers to https addresses only, and the URL of this trigger is ${url}`,
			'Set WEBHOOK_URL of n8n to its public https address, then publish again.',
		);
	}
	const patterns = asTexts(context.getNodeParameter('eventTypes', []))
		.map((pattern) => pattern.trim())
		.filter((pattern) => pattern !== '');
	const exact = patterns.filter((pattern) => !pattern.includes('*'));
	const known = KNOWN_EVENT_TYPES.filter(eventTypeFilter(patterns));
	const events = [...new Set([...exact, ...known])].sort();
	if (events.length > 0) return { url, events };
	throw new RegistrationError(
		`No known event type fits ${patterns.join(', ')}`,
		'Enter whole event types: with automatic registration * stands for known types only (ocpp.message, asset.connectivity).',
	);
}

/** When the node's parameters ask for rotations. */
export function rotationPlan(context: NodeContext): RotationPlan {
	const options = asRecord(context.getNodeParameter('options', {}));
	return {
		rotateAfterMs: asNumber(options['rotateAfterDays'], 0, 0, 3650) * DAY_MS,
		graceMs: asNumber(options['rotationGraceHours'], 24, 0, 24 * 30) * HOUR_MS,
	};
}

/**
 * The signing secrets of the endpoint that the node registered, for the verifier.
 * While a process makes the next endpoint it waits for its secret, so that no delivery of that one is refused.
 */
export async function registeredSecrets(context: IWebhookFunctions): Promise<ReadSettings> {
	const place = { key: recordKey(context), records: recordStore(context) };
	let loaded = await loadRegistration(place);
	if (loaded === undefined) return { settings: {} };
	const registration = await registrationContext(context);
	const { clientSecret } = registration;
	let secrets = openRegistration(loaded.registration, clientSecret);
	if (secrets !== undefined) {
		loaded = await loadSettled(place);
		if (loaded === undefined) return { settings: {} };
		secrets = openRegistration(loaded.registration, clientSecret);
	}
	if (secrets === undefined) {
		registration.warn(
			`the client secret of the credential has changed, so the signing secret of endpoint ${loaded.registration.current.id} can no longer be decrypted; a new endpoint is registered`,
		);
	}
	inBackground(registration, secrets === undefined, rotationPlan(context));
	return { settings: { ...secrets, scheme: 'timestamped' }, version: loaded.text };
}

/** What `registeredSecrets` would read them from at this moment; it changes with every step of a registration, and costs far less. */
export async function registrationVersion(context: IWebhookFunctions): Promise<string | undefined> {
	const place = { key: recordKey(context), records: recordStore(context) };
	return (await loadRegistration(place))?.text;
}

/**
 * Does what is due for the endpoint while deliveries go on: n8n calls no hook at a restart, and the process that
 * published the workflow may be gone.
 */
function inBackground(context: RegistrationContext, isLost: boolean, plan: RotationPlan): void {
	const work = isLost ? replaceLostEndpoint(context) : stepRotation(context, plan);
	work.catch((error: unknown) => {
		const reason = error instanceof Error ? error.message : 'unknown error';
		context.warn(`the endpoint could not be replaced, which is tried again later: ${reason}`);
	});
}

/** The production URL and the editor's test URL have an endpoint each. */
function recordKey(context: NodeContext): string {
	const isTest = context.getMode() === 'manual' || isTestUrl(webhookUrl(context));
	const kind = isTest ? 'test' : 'production';
	return `registration:${context.getWorkflow().id ?? ''}:${context.getNode().id}:${kind}`;
}

/** The URL that n8n serves the node under: the production URL, or for hooks the test URL while the editor listens. */
function webhookUrl(context: NodeContext): string {
	return context.getNodeWebhookUrl('default') ?? '';
}

function isTestUrl(url: string): boolean {
	const segment = process.env['N8N_ENDPOINT_WEBHOOK_TEST'] ?? 'webhook-test';
	return url.includes(`/${segment}/`);
}

/**
 * The ledger's records, with a copy in the workflow's static data: n8n saves that after its hooks, in its own database,
 * so an endpoint is recognised even where the ledger did not survive a restart.
 */
function recordStore(context: NodeContext): RecordStore {
	const ledger = openLedger({
		log: (line) => {
			context.logger.info(line);
		},
	});
	const copies = context.getWorkflowStaticData('node');
	return {
		async readRecord(key) {
			const kept = await ledger.readRecord(key);
			if (kept !== undefined) return kept;
			const copy = copies[key];
			return typeof copy === 'string' ? copy : undefined;
		},
		async swapRecord(key, expected, next) {
			const kept = await ledger.readRecord(key);
			// The copy stands in for a record that was lost.
			const isCopy = kept === undefined && expected !== undefined && copies[key] === expected;
			const swapped = await ledger.swapRecord(key, isCopy ? undefined : expected, next);
			if (swapped && next === undefined) Reflect.deleteProperty(copies, key);
			if (swapped && next !== undefined) copies[key] = next;
			return swapped;
		},
	};
}

function endpointApi(client: ApiClient): EndpointApi {
	return {
		async create(input) {
			const { id, secret, record } = await client.createWebhookEndpoint(input);
			return {
				...(id !== undefined && { id }),
				...(secret !== undefined && { secret }),
				keys: Object.keys(record),
			};
		},
		async delete(endpointId) {
			await client.deleteWebhookEndpoint(endpointId);
		},
		async exists(endpointId) {
			return await client.webhookEndpointExists(endpointId);
		},
	};
}
