/** What publication and deliveries read from n8n about the endpoint that a trigger registers: parameters, credential and record. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import {
	canDeliverTo,
	hasEndpoint,
	type RegistrationContext,
	type RotationPlan,
	type WantedEndpoint,
} from '../../lib/endpoint';
import { EVENT_TYPES, eventTypeFilter, OTHER_EVENT_TYPES, readEventTypes } from '../../lib/event';
import type { Records } from '../../lib/ledger';
import type { ApiClient } from '../../lib/service';
import { PackageError } from '../../lib/shared/errors';
import { printable } from '../../lib/shared/text';
import { DAY_MS, enteredTime, HOUR_MS } from '../../lib/shared/time';
import { asNumber, asRecord } from '../../lib/shared/values';
import { createVerifier, type SchemeSettings } from '../../lib/signature';
import { clientAndSecret } from '../api/apiClient';
import { ledgerFor } from '../execution/ledger';
import { readSignatureFields } from '../fields/signatureFields';
import { logLine } from '../log/log';
import { webhookUrlOf } from './webhooks';

type NodeContext = IHookFunctions | IWebhookFunctions;

export const warnOf = (context: NodeContext) => (message: string) => {
	context.logger.warn(logLine(context, message));
};

export function isAutomatic(context: NodeContext): boolean {
	return context.getNodeParameter('registration', 'manual') === 'automatic';
}

/** The endpoint that a node registers, as n8n knows it. Parameters and credential are read when they are asked for. */
export interface NodeEndpoint extends Pick<
	RegistrationContext,
	'key' | 'records' | 'openLedger' | 'warn'
> {
	/** How the service signs deliveries to it. */
	readonly scheme: () => SchemeSettings;
	/** When to rotate its signing secret. A date that cannot be read is none. */
	readonly plan: () => RotationPlan;
	/** The same plan. Throws `PackageError` if its date cannot be read. */
	readonly checkedPlan: () => RotationPlan;
	/** What it should be. Throws `PackageError` if the service could not deliver to its URL, and if no type is left. */
	readonly wanted: () => WantedEndpoint;
	/** All that a registration needs. Reads the credential. */
	readonly connect: () => Promise<RegistrationContext & { readonly client: ApiClient }>;
}

export function endpointOf(context: NodeContext): NodeEndpoint {
	const slot = { ...recordSlot(context), warn: warnOf(context) };
	const options = () => asRecord(context.getNodeParameter('options', {}));
	const scheme = () => readSignatureFields(options());
	const plan = () => rotationPlan(options(), context.getTimezone());
	return {
		...slot,
		scheme,
		plan,
		checkedPlan: () => {
			const { rotateAt = '' } = options();
			if (rotateAt !== '' && plan().rotateAt === undefined) throw unreadableDate();
			return plan();
		},
		wanted: () =>
			wantedEndpoint(
				webhookUrlOf(context) ?? '',
				readEventTypes((name, fallback) => context.getNodeParameter(name, fallback)),
			),
		connect: async () => {
			const settings = scheme();
			const fitsScheme = (signingSecret: string) =>
				createVerifier({ ...settings, signingSecret }).ok;
			return { ...slot, ...(await clientAndSecret(context, slot.warn)), fitsScheme };
		},
	};
}

/** The service does not support wildcards, so they become the known types that match; the node still filters deliveries. */
function wantedEndpoint(url: string, eventTypes: readonly string[]): WantedEndpoint {
	if (!canDeliverTo(url)) {
		throw new PackageError(`n8n's webhook URL is not a public https URL: ${printable(url)}`, {
			hint: 'Set N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to your public https URL, then publish again.',
			isFinal: true,
		});
	}
	const patterns = eventTypes.map((pattern) => pattern.trim()).filter((pattern) => pattern !== '');
	const exact = patterns.filter(
		(pattern) => !pattern.includes('*') && pattern !== OTHER_EVENT_TYPES,
	);
	const known = EVENT_TYPES.map(({ value }) => value);
	const events = [...new Set([...exact, ...known.filter(eventTypeFilter(patterns))])].sort();
	if (events.length > 0) return { url, events };
	throw new PackageError(`No known event type matches ${printable(patterns.join(', '))}`, {
		hint: `Enter complete event types. With automatic registration, * only stands for known types (${known.join(', ')}).`,
		isFinal: true,
	});
}

function rotationPlan(options: Readonly<Record<string, unknown>>, timezone: string): RotationPlan {
	return {
		rotateAfterMs: asNumber(options['rotateAfterDays'], 0, 0, 3650) * DAY_MS,
		rotateAt: enteredTime(options['rotateAt'], timezone),
		graceMs: asNumber(options['rotationGraceHours'], 24, 0, 24 * 30) * HOUR_MS,
	};
}

const unreadableDate = () =>
	new PackageError("'Rotate Secret At' is not a date and time", {
		hint: "Select one in 'Rotate Secret At' under Options of this node and publish again.",
		isFinal: true,
	});

/** Where the node's registration is stored; does not read it. The production URL and the editor's test URL each have their own endpoint. */
function recordSlot(context: NodeContext) {
	const testSegment = process.env['N8N_ENDPOINT_WEBHOOK_TEST'] ?? 'webhook-test';
	const isTestUrl = webhookUrlOf(context)?.includes(`/${testSegment}/`) === true;
	const kind = context.getMode() === 'manual' || isTestUrl ? 'test' : 'production';
	return {
		key: `registration:${context.getWorkflow().id ?? ''}:${context.getNode().id}:${kind}`,
		records: recordStore(context),
		openLedger: () => ledgerFor(context),
	};
}

/**
 * The ledger's records, with a copy in the workflow's static data, which n8n saves in its own database after its hooks.
 * So an endpoint is recognized even if the ledger did not survive a restart.
 */
function recordStore(context: NodeContext): Records {
	const copies = context.getWorkflowStaticData('node');
	/** The copy that was read in place of a record: it is replaced only while there is no record. */
	let standIn: string | undefined;
	return {
		async readRecord(key) {
			const kept = await (await ledgerFor(context)).readRecord(key);
			const copy = copies[key];
			standIn = kept === undefined && typeof copy === 'string' ? copy : undefined;
			return kept ?? standIn;
		},
		async swapRecord(key, expected, next) {
			const inLedger = expected === standIn ? undefined : expected;
			if (!(await (await ledgerFor(context)).swapRecord(key, inLedger, next))) return false;
			standIn = undefined;
			if (next !== undefined && hasEndpoint(next)) copies[key] = next;
			else Reflect.deleteProperty(copies, key);
			return true;
		},
	};
}
