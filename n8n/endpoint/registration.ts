/**
 * The endpoint of a trigger in n8n: the hooks that n8n calls when a workflow is published and unpublished, and what they
 * read from n8n. A setup that cannot work is rejected.
 */
import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';
import {
	canDeliverTo,
	dueSteps,
	ensureRegistered,
	hasEndpoint,
	isPublicHttp,
	nextStepAt,
	type RegistrationContext,
	stepRegistration,
	unregister,
	type WantedEndpoint,
	weaknessOf,
} from '../../lib/endpoint';
import {
	EVENT_TYPES,
	notApplied,
	eventTypeFilter,
	OTHER_EVENT_TYPES,
	type ReadParameter,
	readConditions,
	readEventTypes,
} from '../../lib/event';
import type { Records } from '../../lib/ledger';
import { TRIGGER_NUMBERS } from '../../lib/receiver';
import { messageOf, PackageError } from '../../lib/shared/errors';
import { printable } from '../../lib/shared/text';
import { DAY_MS, HOUR_MS } from '../../lib/shared/time';
import { asNumber, asRecord } from '../../lib/shared/values';
import { createVerifier } from '../../lib/signature';
import { clientAndSecret, SIGNING_SECRET_CREDENTIAL } from '../api/apiClient';
import { recordPublication } from '../execution/accountAccess';
import { refuseEngine2 } from '../execution/engine';
import { ledgerFor } from '../execution/ledger';
import { checkConditions } from '../fields/conditions';
import { forgetTest } from '../fields/testSurvey';
import { logLine, rejections } from '../log/log';
import { toNodeError } from '../log/nodeError';
import { webhookUrlOf } from './webhooks';

type NodeContext = IHookFunctions | IWebhookFunctions;

export const endpointLifecycle = {
	/**
	 * Whether n8n can skip `create`: with manual registration, since a user has created the endpoint.
	 * With automatic registration `create` itself checks, so that credential and record are read once.
	 * An exception fails the activation.
	 */
	async checkExists(this: IHookFunctions): Promise<boolean> {
		refuseEngine2(this);
		if (this.getMode() === 'manual') forgetTest(this);
		const read: ReadParameter = (name, fallback) => this.getNodeParameter(name, fallback);
		checkConditions(this.getNode(), readConditions(read('conditions', {})));
		reportNotApplied(this, notApplied(read, TRIGGER_NUMBERS));
		if (!isAutomatic(this)) await checkManualSetUp(this);
		void rememberPublication(this);
		return !isAutomatic(this);
	},

	/** Registers the endpoint unless it exists. Never called with manual registration. */
	async create(this: IHookFunctions): Promise<boolean> {
		return await explained(this, async () => {
			const wanted = wantedEndpoint(this);
			const plan = rotationPlan(this);
			const registration = await registrationContext(this);
			const { key, clientSecret, warn } = registration;
			const weakness = weaknessOf(clientSecret);
			if (weakness !== undefined) warn(weakness);
			const nextAt = nextStepAt(await ensureRegistered(registration, wanted), plan);
			// The credential may have changed by then, so it is read again.
			const step = async () => await stepRegistration(await registrationContext(this), plan);
			dueSteps.plan(key, nextAt, step, warn);
		});
	},

	/** Deletes the registered endpoint. With manual registration it belongs to the user who created it. */
	async delete(this: IHookFunctions): Promise<boolean> {
		if (!isAutomatic(this)) return true;
		return await explained(this, async () => {
			const registration = await registrationContext(this);
			dueSteps.end(registration.key);
			await unregister(registration);
		});
	},
};

/** Runs `work`; failures become n8n errors that say what to do. */
async function explained(context: IHookFunctions, work: () => Promise<void>): Promise<boolean> {
	try {
		await work();
		return true;
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

/** Numbers out of bounds, of which the nearest bound is used: for the log, and for Get Rejections. */
function reportNotApplied(context: IHookFunctions, problems: readonly string[]): void {
	for (const text of problems) context.logger.warn(logLine(context, text));
	if (problems.length === 0 || context.getActivationMode() === 'manual') return;
	const { id: nodeId, name: nodeName } = context.getNode();
	const { id: workflowId = '' } = context.getWorkflow();
	const { logger } = context;
	const problem = problems.join('. ');
	rejections.count({ workflowId, nodeId, nodeName }, 'settings', () => ledgerFor({ logger }), {
		problem,
	});
}

/** For Reconcile and Replay. A publication must not wait or fail because of it. */
async function rememberPublication(context: IHookFunctions): Promise<void> {
	if (context.getActivationMode() === 'manual') return;
	try {
		await recordPublication(context, await ledgerFor(context), 'webhook', Date.now());
	} catch (error) {
		warnOf(context)(
			`its publication could not be recorded, so Reconcile, Replay and Get Rejections may not know it. When the ledger is available, publish the workflow again. ${messageOf(error)}`,
		);
	}
}

async function checkManualSetUp(context: IHookFunctions): Promise<void> {
	const made = createVerifier(await context.getCredentials(SIGNING_SECRET_CREDENTIAL));
	if (!made.ok) {
		throw new NodeOperationError(
			context.getNode(),
			`The signing secret credential is not complete: ${printable(made.problems.join(' '), 1000)}`,
			{
				description:
					'Open the Asset Service Signing Secret API credential of this node, correct the field and publish again.',
			},
		);
	}
	const warn = warnOf(context);
	const doubts = made.doubts.join(' ');
	if (doubts !== '') warn(`the signing secret credential may be wrong. ${doubts}`);
	const url = webhookUrlOf(context);
	if (context.getActivationMode() !== 'manual' && url !== undefined && isPublicHttp(url)) {
		warn(
			`the production URL ${printable(url)} is plain http on a public host, where the service does not deliver. Set N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to an https URL`,
		);
	}
}

const warnOf = (context: NodeContext) => (message: string) => {
	context.logger.warn(logLine(context, message));
};

export function isAutomatic(context: NodeContext): boolean {
	return context.getNodeParameter('registration', 'manual') === 'automatic';
}

/** All dependencies of a registration. Reads the credential once. */
export async function registrationContext(
	context: NodeContext,
	slot = recordSlot(context),
): Promise<RegistrationContext> {
	const warn = warnOf(context);
	return { ...slot, ...(await clientAndSecret(context, warn)), warn };
}

/**
 * The endpoint that the node's parameters ask for.
 * The service does not support wildcards, so they become the known types that match; the node still filters deliveries.
 * Throws `PackageError` if the service could not deliver to its URL, and if no type is left.
 */
export function wantedEndpoint(context: NodeContext): WantedEndpoint {
	const url = webhookUrlOf(context) ?? '';
	if (!canDeliverTo(url)) {
		throw new PackageError(`n8n's webhook URL is not a public https URL: ${printable(url)}`, {
			hint: 'Set N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to your public https URL, then publish again.',
		});
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
	throw new PackageError(`No known event type matches ${printable(patterns.join(', '))}`, {
		hint: `Enter complete event types. With automatic registration, * only stands for known types (${known.join(', ')}).`,
	});
}

/** When to rotate the signing secret, by the node's parameters. */
export function rotationPlan(context: NodeContext) {
	const options = asRecord(context.getNodeParameter('options', {}));
	return {
		rotateAfterMs: asNumber(options['rotateAfterDays'], 0, 0, 3650) * DAY_MS,
		graceMs: asNumber(options['rotationGraceHours'], 24, 0, 24 * 30) * HOUR_MS,
	};
}

/** Where the node's registration is stored; does not read it. The production URL and the editor's test URL each have their own endpoint. */
export function recordSlot(context: NodeContext) {
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
