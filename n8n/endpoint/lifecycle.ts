/**
 * The hooks that n8n calls when a workflow is published and unpublished: they register the endpoint of a trigger and delete it
 * again. A setup that cannot work is rejected.
 */
import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';
import {
	dueSteps,
	ensureRegistered,
	isPublicHttp,
	nextStepAt,
	stepRegistration,
	unregister,
	weaknessOf,
} from '../../lib/endpoint';
import { notApplied, type ReadParameter, readConditions } from '../../lib/event';
import { TRIGGER_NUMBERS } from '../../lib/receiver';
import { messageOf } from '../../lib/shared/errors';
import { printable } from '../../lib/shared/text';
import { checkScheme, createVerifier } from '../../lib/signature';
import { SIGNING_SECRET_CREDENTIAL } from '../api/apiClient';
import { recordPublication } from '../execution/accountAccess';
import { refuseEngine2 } from '../execution/engine';
import { ledgerFor } from '../execution/ledger';
import { checkConditions } from '../fields/conditions';
import { forgetTest } from '../fields/testSurvey';
import { logLine, rejections } from '../log/log';
import { FinalPublicationError, isFinal, toTriggerError } from '../log/nodeError';
import { endpointOf, isAutomatic, warnOf } from './registration';
import { webhookUrlOf } from './webhooks';

export const endpointLifecycle = {
	/**
	 * Whether n8n can skip `create`: with manual registration, since a user has created the endpoint.
	 * With automatic registration `create` itself checks, so that credential and record are read once.
	 * An exception fails the activation.
	 */
	async checkExists(this: IHookFunctions): Promise<boolean> {
		return await explained(this, async () => {
			refuseEngine2(this);
			if (this.getMode() === 'manual') forgetTest(this);
			const read: ReadParameter = (name, fallback) => this.getNodeParameter(name, fallback);
			checkConditions(this.getNode(), readConditions(read('conditions', {})));
			reportNotApplied(this, notApplied(read, TRIGGER_NUMBERS));
			if (isAutomatic(this)) checkSignature(this);
			else await checkManualSetUp(this);
			void rememberPublication(this);
			return !isAutomatic(this);
		});
	},

	/** Registers the endpoint unless it exists. Never called with manual registration. */
	async create(this: IHookFunctions): Promise<boolean> {
		return await explained(this, async () => {
			const endpoint = endpointOf(this);
			const plan = endpoint.checkedPlan();
			const wanted = endpoint.wanted();
			const registration = await endpoint.connect();
			const { key, clientSecret, warn } = registration;
			const weakness = weaknessOf(clientSecret);
			if (weakness !== undefined) warn(weakness);
			const nextAt = nextStepAt(await ensureRegistered(registration, wanted), plan);
			// The credential may have changed by then, so it is read again.
			const step = async () => await stepRegistration(await endpoint.connect(), plan);
			dueSteps.plan(key, nextAt, step, warn);
			return true;
		});
	},

	/** Deletes the registered endpoint. With manual registration it belongs to the user who created it. */
	async delete(this: IHookFunctions): Promise<boolean> {
		if (!isAutomatic(this)) return true;
		return await explained(this, async () => {
			const registration = await endpointOf(this).connect();
			dueSteps.end(registration.key);
			await unregister(registration);
			return true;
		});
	},
};

/** Runs `work`; failures become n8n errors that say what to do. */
async function explained(context: IHookFunctions, work: () => Promise<boolean>): Promise<boolean> {
	try {
		return await work();
	} catch (error) {
		const node = context.getNode();
		const triggerError = toTriggerError(node, error);
		const isByUser = ['activate', 'update'].includes(context.getActivationMode());
		throw isByUser && isFinal(error)
			? new FinalPublicationError(node, triggerError.message)
			: triggerError;
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

/** Before an endpoint is created whose deliveries could not be verified. */
function checkSignature(context: IHookFunctions): void {
	const { problems, doubts } = checkScheme(endpointOf(context).scheme());
	if (problems.length > 0) {
		throw new NodeOperationError(
			context.getNode(),
			`The options for the signature are not complete: ${printable(problems.join(' '), 1000)}`,
			{ description: 'Correct them under Options of this node and publish again.' },
		);
	}
	if (doubts.length > 0) {
		warnOf(context)(`the options for the signature may be wrong. ${doubts.join(' ')}`);
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
