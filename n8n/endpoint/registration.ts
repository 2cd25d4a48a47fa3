/** Reads the inputs of an automatic registration from n8n: the credential, the URL, the parameters. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import {
	canDeliverTo,
	type RecordSlot,
	type RegistrationContext,
	RegistrationError,
	type RotationPlan,
	type WantedEndpoint,
	hasEndpoint,
} from '../../lib/endpoint';
import { EVENT_TYPES, eventTypeFilter, OTHER_EVENT_TYPES, readEventTypes } from '../../lib/event';
import type { Records } from '../../lib/ledger';
import { printable } from '../../lib/shared/text';
import { DAY_MS, HOUR_MS } from '../../lib/shared/time';
import { asNumber, asRecord } from '../../lib/shared/values';
import { apiClientWith, readApiSettings } from '../api/apiClient';
import { ledgerFor } from '../execution/ledger';
import { logLine } from '../log/log';
import { webhookUrlOf } from './webhooks';

type NodeContext = IHookFunctions | IWebhookFunctions;

export function isAutomatic(context: NodeContext): boolean {
	return context.getNodeParameter('registration', 'manual') === 'automatic';
}

/** Where the node's registration is stored; does not read it. */
export function recordSlot(context: NodeContext): RecordSlot {
	return { key: recordKey(context), records: recordStore(context) };
}

/** All dependencies of a registration. Reads the credential once. */
export async function registrationContext(
	context: NodeContext,
	slot: RecordSlot = recordSlot(context),
): Promise<RegistrationContext> {
	const warn = (message: string) => {
		context.logger.warn(logLine(context, message));
	};
	const settings = await readApiSettings(context);
	const client = apiClientWith(context, settings, warn);
	return { ...slot, client, clientSecret: settings.clientSecret, warn };
}

/**
 * The endpoint that the node's parameters ask for.
 * The service does not support wildcards, so they become the known types that match; the node still filters deliveries.
 * Throws `RegistrationError` if the service could not deliver to its URL, and if no type is left.
 */
export function wantedEndpoint(context: NodeContext): WantedEndpoint {
	const url = webhookUrlOf(context) ?? '';
	if (!canDeliverTo(url)) {
		throw new RegistrationError(
			`n8n's webhook URL is not a public https URL: ${printable(url)}`,
			'Set N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to your public https URL, then publish again.',
		);
	}
	const patterns = readEventTypes((name, fallback) => context.getNodeParameter(name, fallback))
		.map((pattern) => pattern.trim())
		.filter((pattern) => pattern !== '');
	const exact = patterns.filter(
		(pattern) => !pattern.includes('*') && pattern !== OTHER_EVENT_TYPES,
	);
	const known = EVENT_TYPES.map(({ value }) => value);
	const events = [...new Set([...exact, ...known.filter(eventTypeFilter(patterns))])].sort();
	if (events.length > 0) return { url, events };
	throw new RegistrationError(
		`No known event type matches ${printable(patterns.join(', '))}`,
		`Enter complete event types. With automatic registration, * only stands for known types (${known.join(', ')}).`,
	);
}

/** When to rotate the signing secret, by the node's parameters. */
export function rotationPlan(context: NodeContext): RotationPlan {
	const options = asRecord(context.getNodeParameter('options', {}));
	return {
		rotateAfterMs: asNumber(options['rotateAfterDays'], 0, 0, 3650) * DAY_MS,
		graceMs: asNumber(options['rotationGraceHours'], 24, 0, 24 * 30) * HOUR_MS,
	};
}

/** The production URL and the editor's test URL each have their own endpoint. */
function recordKey(context: NodeContext): string {
	const isTest = context.getMode() === 'manual' || isTestUrl(webhookUrlOf(context) ?? '');
	const kind = isTest ? 'test' : 'production';
	return `registration:${context.getWorkflow().id ?? ''}:${context.getNode().id}:${kind}`;
}

function isTestUrl(url: string): boolean {
	const segment = process.env['N8N_ENDPOINT_WEBHOOK_TEST'] ?? 'webhook-test';
	return url.includes(`/${segment}/`);
}

/**
 * The ledger's records, with a copy in the workflow's static data, which n8n saves in its own database after its hooks.
 * So an endpoint is recognized even if the ledger did not survive a restart.
 */
function recordStore(context: IHookFunctions | IWebhookFunctions): Records {
	const copies = context.getWorkflowStaticData('node');
	/** The copy that was read in place of a record: it is replaced only while there is no record. */
	let standIn: string | undefined;
	return {
		async readRecord(key) {
			const ledger = await ledgerFor(context);
			const kept = await ledger.readRecord(key);
			const copy = copies[key];
			standIn = kept === undefined && typeof copy === 'string' ? copy : undefined;
			return kept ?? standIn;
		},
		async swapRecord(key, expected, next) {
			const ledger = await ledgerFor(context);
			const inLedger = expected === standIn ? undefined : expected;
			if (!(await ledger.swapRecord(key, inLedger, next))) return false;
			standIn = undefined;
			if (next !== undefined && hasEndpoint(next)) copies[key] = next;
			else Reflect.deleteProperty(copies, key);
			return true;
		},
	};
}
