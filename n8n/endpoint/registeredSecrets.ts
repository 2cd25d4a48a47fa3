/** The signing secrets of the endpoint that the node registered, for the verifier of its deliveries. */
import type { IWebhookFunctions } from 'n8n-workflow';
import {
	isBeingUnpublished,
	load,
	nextStepAt,
	openRegistration,
	settled,
	stepRegistration,
	type Loaded,
	type RegistrationContext,
	type Settled,
	type WantedEndpoint,
} from '../../lib/endpoint';
import { dueSteps } from '../../lib/endpoint/dueSteps';
import {
	registrationContext,
	registrationPlace,
	rotationPlan,
	wantedEndpoint,
	type RegistrationPlace,
} from './registration';
import type { ReadSettings } from '../../lib/receiver/verifierCache';

export interface RegisteredSecrets {
	/** Changes with every step of a registration, and costs far less than `read`. */
	version(): Promise<string | undefined>;
	/**
	 * While a process makes the next endpoint it waits for its secret, so that no delivery of that one is refused.
	 * What is due for the endpoint is begun: n8n may call no hook for long, and the process that published the
	 * workflow may be gone.
	 */
	read(): Promise<ReadSettings>;
}

/** For one delivery, which reads the record once: what is in it now was there when the endpoint signed. */
export function registeredSecrets(context: IWebhookFunctions): RegisteredSecrets {
	const place = registrationPlace(context);
	let loading: Promise<Loaded> | undefined;
	const loadOnce = async () => await (loading ??= load(place));
	return {
		version: async () => (await loadOnce()).text,
		read: async () => {
			const loaded = await settled(place, await loadOnce());
			const { text } = loaded;
			return {
				settings: await secretsOf(context, place, loaded),
				...(text !== undefined && { version: text }),
			};
		},
	};
}

async function secretsOf(
	context: IWebhookFunctions,
	place: RegistrationPlace,
	loaded: Settled,
): Promise<ReadSettings['settings']> {
	const { registration, isHeld } = loaded;
	if (registration?.current === undefined) {
		const isTest = context.getMode() === 'manual';
		const isTaken = isHeld || isBeingUnpublished(loaded, Date.now());
		if (isTest || isTaken || !dueSteps.isFree(place.key)) return {};
		const wanted = registration ?? wantedEndpoint(context);
		beginStep(context, await registrationContext(context, place), loaded, wanted);
		return {};
	}
	const connected = await registrationContext(context, place);
	const secrets = openRegistration(registration, connected.clientSecret);
	const dueAt = nextStepAt(registration, rotationPlan(context));
	const isDue = dueAt !== undefined && dueAt <= Date.now();
	if (secrets === undefined || isDue) beginStep(context, connected, loaded);
	return { ...secrets, scheme: 'timestamped' };
}

function beginStep(
	context: IWebhookFunctions,
	connected: RegistrationContext,
	loaded: Settled,
	wanted?: WantedEndpoint,
): void {
	const plan = rotationPlan(context);
	const step = async () => await stepRegistration(connected, plan, loaded, wanted);
	dueSteps.runNow(connected.key, { step, warn: connected.warn });
}
