/**
 * The endpoint of a trigger in n8n: the hooks that n8n calls when a workflow is published and unpublished, where a delivery
 * finds the signing secrets, and what both read from n8n. A setup that cannot work is rejected.
 */
import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';
import {
	canDeliverTo,
	dueSteps,
	ensureRegistered,
	hasEndpoint,
	isBeingUnpublished,
	isPublicHttp,
	load,
	type Loaded,
	nextStepAt,
	openRegistration,
	type RegistrationContext,
	stepRegistration,
	unregister,
	untilMade,
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
import { LedgerUnavailableError, type Records } from '../../lib/ledger';
import { type SecretSource, TRIGGER_NUMBERS } from '../../lib/receiver';
import { messageOf, PackageError } from '../../lib/shared/errors';
import { printable } from '../../lib/shared/text';
import { DAY_MS, HOUR_MS } from '../../lib/shared/time';
import { asNumber, asRecord } from '../../lib/shared/values';
import { createVerifier, type SigningSettings } from '../../lib/signature';
import { API_CREDENTIAL, clientAndSecret, SIGNING_SECRET_CREDENTIAL } from '../api/apiClient';
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

/**
 * For one delivery, which reads the record once: its current contents were there when the endpoint signed.
 * The version is the record's text: every step of a registration changes it.
 * While a process creates the next endpoint, `read` waits for its secret, so that no delivery from that endpoint is rejected.
 */
function registeredSecrets(context: IWebhookFunctions): Pick<SecretSource, 'read' | 'version'> {
	const slot = recordSlot(context);
	let loading: Promise<Loaded> | undefined;
	const loadOnce = async () => await (loading ??= load(slot));
	return {
		version: async () => (await loadOnce()).text,
		read: async () => {
			const loaded = await untilMade(slot, await loadOnce());
			return { settings: await openAndCatchUp(context, slot, loaded), version: loaded.text };
		},
	};
}

/**
 * Returns the secrets, and starts due steps of the endpoint in the background: n8n may not call a hook for long, and
 * the process that published the workflow may be gone.
 */
async function openAndCatchUp(
	context: IWebhookFunctions,
	slot: ReturnType<typeof recordSlot>,
	loaded: Loaded,
): Promise<SigningSettings> {
	const { registration } = loaded;
	const plan = rotationPlan(context);
	const start = (connected: RegistrationContext, wanted?: WantedEndpoint) => {
		const step = async () => await stepRegistration(connected, plan, wanted);
		dueSteps.startNow(connected.key, step, connected.warn);
	};
	if (registration?.current === undefined) {
		const isTest = context.getMode() === 'manual';
		const isGone = isBeingUnpublished(loaded, Date.now());
		if (isTest || isGone || !dueSteps.isFree(slot.key)) return {};
		const wanted = registration ?? wantedEndpoint(context);
		start(await registrationContext(context, slot), wanted);
		return {};
	}
	const connected = await registrationContext(context, slot);
	const secrets = openRegistration(registration, connected.clientSecret);
	const dueAt = nextStepAt(registration, plan);
	const isDue = dueAt !== undefined && dueAt <= Date.now();
	if (secrets === undefined || isDue) start(connected);
	return { ...secrets, scheme: 'timestamped' };
}

const warnOf = (context: NodeContext) => (message: string) => {
	context.logger.warn(logLine(context, message));
};

export function isAutomatic(context: NodeContext): boolean {
	return context.getNodeParameter('registration', 'manual') === 'automatic';
}

/** All dependencies of a registration. Reads the credential once. */
async function registrationContext(
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
function wantedEndpoint(context: NodeContext): WantedEndpoint {
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
