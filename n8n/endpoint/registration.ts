/** Connects automatic registration with n8n: the credential, the URL, the place where records are kept. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { KNOWN_EVENT_TYPES, type ApiClient } from '../../lib/service';
import { eventTypeFilter } from '../../lib/receiver/event';
import {
	RegistrationError,
	type EndpointApi,
	type RegistrationContext,
	type RotationPlan,
	type WantedEndpoint,
} from '../../lib/endpoint';
import { printable } from '../../lib/shared/printable';
import { apiClientWith, readApiSettings } from '../apiClient';
import { asNumber, asRecord, asTexts } from '../../lib/shared/values';
import { canDeliverTo } from '../../lib/endpoint/deliverableUrl';
import { recordStore } from './recordStore';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

type NodeContext = IHookFunctions | IWebhookFunctions;

export function isAutomatic(context: NodeContext): boolean {
	return context.getNodeParameter('registration', 'manual') === 'automatic';
}

/** Where the node's registration is kept; reads nothing. */
export type RegistrationPlace = Pick<RegistrationContext, 'key' | 'records'>;

export function registrationPlace(context: NodeContext): RegistrationPlace {
	return { key: recordKey(context), records: recordStore(context) };
}

/** All that a registration works with, from what n8n hands to its hooks and to a delivery. Reads the credential, once. */
export async function registrationContext(
	context: NodeContext,
	place: RegistrationPlace = registrationPlace(context),
): Promise<RegistrationContext> {
	const warn = (message: string) => {
		const name = printable(context.getNode().name);
		context.logger.warn(`Asset Service Trigger (node "${name}"): ${message}`);
	};
	const settings = await readApiSettings(context);
	const api = endpointApi(apiClientWith(context, settings, warn));
	return { ...place, api, clientSecret: settings.clientSecret, warn };
}

/**
 * The endpoint that the node's parameters ask for.
 * Wildcards are the trigger's own, so they become the known types that they fit; the node still filters what comes.
 * Throws `RegistrationError` when the service could not deliver to its URL, and when no type is left.
 */
export function wantedEndpoint(context: NodeContext): WantedEndpoint {
	const url = webhookUrl(context);
	if (!canDeliverTo(url)) {
		throw new RegistrationError(
			`The service delivers to https addresses only, and the URL of this trigger is ${printable(url)}`,
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
		`No known event type fits ${printable(patterns.join(', '))}`,
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
