/** The hooks for publishing and unpublishing: they create and delete the endpoint, and reject a setup that cannot work. */
import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';
import {
	dueSteps,
	isPublicHttp,
	nextStepAt,
	ensureRegistered,
	stepRegistration,
	unregister,
	watchMark,
	weaknessOf,
} from '../../lib/endpoint';
import { readConditions } from '../../lib/event';
import { messageOf } from '../../lib/shared/errors';
import { printable } from '../../lib/shared/text';
import { createVerifier } from '../../lib/signature';
import { SIGNING_SECRET_CREDENTIAL } from '../api/apiClient';
import { recordPublication } from '../execution/accountAccess';
import { refuseEngine2 } from '../execution/engine';
import { ledgerFor } from '../execution/ledger';
import { checkConditions } from '../fields/conditions';
import { forgetTest } from '../fields/testSurvey';
import { logLine } from '../log/log';
import { toNodeError } from '../log/nodeError';
import { isAutomatic, registrationContext, rotationPlan, wantedEndpoint } from './registration';
import { webhookUrlOf } from './webhooks';

export const endpointLifecycle = {
	/**
	 * Whether n8n can skip `create`: with manual registration, since a user has created the endpoint.
	 * With automatic registration `create` itself checks, so that credential and record are read once.
	 * An exception fails the activation.
	 */
	async checkExists(this: IHookFunctions): Promise<boolean> {
		refuseEngine2(this);
		if (this.getMode() === 'manual') forgetTest(this);
		checkConditions(this.getNode(), readConditions(this.getNodeParameter('conditions', {})));
		if (!isAutomatic(this)) await checkManualSetUp(this);
		void rememberPublication(this);
		return !isAutomatic(this);
	},

	/** Registers the endpoint unless it exists. Never called with manual registration. */
	async create(this: IHookFunctions): Promise<boolean> {
		await explained(this, async () => {
			const wanted = wantedEndpoint(this);
			const plan = rotationPlan(this);
			const registration = await registrationContext(this);
			const { key, clientSecret, warn } = registration;
			const weakness = weaknessOf(clientSecret);
			if (weakness !== undefined) warn(weakness);
			const nextAt = nextStepAt(await ensureRegistered(registration, wanted), plan);
			// The credential may have changed by then, so it is read again.
			const step = async () => {
				const fresh = await registrationContext(this);
				return await stepRegistration(fresh, plan, await watchMark(fresh));
			};
			dueSteps.plan(key, nextAt, { step, warn });
		});
		return true;
	},

	/** Deletes the registered endpoint. With manual registration it belongs to the user who created it. */
	async delete(this: IHookFunctions): Promise<boolean> {
		if (!isAutomatic(this)) return true;
		await explained(this, async () => {
			const registration = await registrationContext(this);
			dueSteps.end(registration.key);
			await unregister(registration);
		});
		return true;
	},
};

/** For Reconcile and Replay. A publication must not wait or fail because of it. */
async function rememberPublication(context: IHookFunctions): Promise<void> {
	if (context.getActivationMode() === 'manual') return;
	try {
		await recordPublication(context, await ledgerFor(context), 'webhook', Date.now());
	} catch (error) {
		context.logger.debug(
			logLine(context, `the publication could not be recorded: ${messageOf(error)}`),
		);
	}
}

async function checkManualSetUp(context: IHookFunctions): Promise<void> {
	const node = context.getNode();
	const settings = await context.getCredentials(SIGNING_SECRET_CREDENTIAL);
	const made = createVerifier(settings);
	if (!made.ok) {
		throw new NodeOperationError(
			node,
			`The signing secret credential is not complete: ${printable(made.problems.join(' '), 1000)}`,
			{
				description:
					'Open the Asset Service Signing Secret API credential of this node, correct the field and publish again.',
			},
		);
	}
	if (made.doubts.length > 0) {
		const doubts = made.doubts.join(' ');
		context.logger.warn(logLine(context, `the signing secret credential may be wrong. ${doubts}`));
	}
	const url = webhookUrlOf(context);
	if (context.getActivationMode() !== 'manual' && url !== undefined && isPublicHttp(url)) {
		const warning = `the production URL ${printable(url)} is plain http on a public host, where the service does not deliver. Set N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to an https URL`;
		context.logger.warn(logLine(context, warning));
	}
}

/** Runs `work`; failures become n8n errors that say what to do. */
async function explained(context: IHookFunctions, work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}
