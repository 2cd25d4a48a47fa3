/** The signing secrets of the endpoint that the node registered, for the verifier of its deliveries. */
import type { IWebhookFunctions } from 'n8n-workflow';
import {
	dueSteps,
	isBeingUnpublished,
	load,
	type Loaded,
	nextStepAt,
	openRegistration,
	type RecordSlot,
	type RegistrationContext,
	stepRegistration,
	type WantedEndpoint,
	type WatchedMark,
	watchMark,
} from '../../lib/endpoint';
import type { SecretSource } from '../../lib/receiver';
import type { SigningSettings } from '../../lib/signature';
import { recordSlot, registrationContext, rotationPlan, wantedEndpoint } from './registration';

/**
 * For one delivery, which reads the record once: its current contents were there when the endpoint signed.
 * The version is the record's text: every step of a registration changes it.
 * While a process creates the next endpoint, `read` waits for its secret, so that no delivery from that endpoint is rejected.
 */
export function registeredSecrets(
	context: IWebhookFunctions,
): Pick<SecretSource, 'read' | 'version'> {
	const slot = recordSlot(context);
	let loading: Promise<Loaded> | undefined;
	const loadOnce = async () => await (loading ??= load(slot));
	return {
		version: async () => (await loadOnce()).text,
		read: async () => {
			const watched = await watchMark(slot, await loadOnce());
			return { settings: await openAndCatchUp(context, slot, watched), version: watched.text };
		},
	};
}

/**
 * Returns the secrets, and starts due steps of the endpoint in the background: n8n may not call a hook for long, and
 * the process that published the workflow may be gone.
 */
async function openAndCatchUp(
	context: IWebhookFunctions,
	slot: RecordSlot,
	watched: WatchedMark,
): Promise<SigningSettings> {
	const { registration, isHeld } = watched;
	if (registration?.current === undefined) {
		const isTest = context.getMode() === 'manual';
		const isTaken = isHeld || isBeingUnpublished(watched, Date.now());
		if (isTest || isTaken || !dueSteps.isFree(slot.key)) return {};
		const wanted = registration ?? wantedEndpoint(context);
		startStep(context, await registrationContext(context, slot), watched, wanted);
		return {};
	}
	const connected = await registrationContext(context, slot);
	const secrets = openRegistration(registration, connected.clientSecret);
	const dueAt = nextStepAt(registration, rotationPlan(context));
	const isDue = dueAt !== undefined && dueAt <= Date.now();
	if (secrets === undefined || isDue) startStep(context, connected, watched);
	return { ...secrets, scheme: 'timestamped' };
}

function startStep(
	context: IWebhookFunctions,
	connected: RegistrationContext,
	watched: WatchedMark,
	wanted?: WantedEndpoint,
): void {
	const plan = rotationPlan(context);
	const step = async () => await stepRegistration(connected, plan, watched, wanted);
	dueSteps.startNow(connected.key, { step, warn: connected.warn });
}
