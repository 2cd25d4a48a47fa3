/** The nodes from which the tests build workflows. */
import { randomUUID } from 'node:crypto';
import type { CredentialName, NodePlan } from './workflow';

/** The webhook trigger's name, here and in the examples. */
export const TRIGGER = 'Asset Service Trigger';

type Parameters = Readonly<Record<string, unknown>>;

export const TRIGGER_TYPE = 'n8n-nodes-asset-service.assetServiceTrigger';
export const POLL_TRIGGER_TYPE = 'n8n-nodes-asset-service.assetServicePollTrigger';
export const STATION_TRIGGER_TYPE = 'n8n-nodes-asset-service.assetServiceStationTrigger';
export const ACTION_TYPE = 'n8n-nodes-asset-service.assetService';
export const MANUAL_TYPE = 'n8n-nodes-base.manualTrigger';
export const SCHEDULE_TYPE = 'n8n-nodes-base.scheduleTrigger';

/** One of n8n's own nodes. */
export function baseNode(type: string, typeVersion: number, parameters: Parameters = {}): NodePlan {
	return { type: `n8n-nodes-base.${type}`, typeVersion, parameters };
}

export const manualTrigger: NodePlan = { type: MANUAL_TYPE, typeVersion: 1 };

/** Starts the workflow on each POST to its own URL. */
export function webhook(parameters: Parameters = {}): NodePlan {
	const path = randomUUID();
	return {
		...baseNode('webhook', 2.1, { path, httpMethod: 'POST', options: {}, ...parameters }),
		webhookId: randomUUID(),
	};
}

export function httpRequest(url: string, parameters: Parameters = {}): NodePlan {
	return baseNode('httpRequest', 4.2, { url, options: {}, ...parameters });
}

/** What a call says of its execution: its ID, and host and port of its process. */
const CALLER = `execution={{ $execution.id }}&host={{ $execution.resumeUrl.split('/')[2] }}`;

/** Reports the event of an execution to a counter at this URL. */
export function countOne(url: string): NodePlan {
	return httpRequest(
		`=${url}/?event={{ $json.id }}&replayed={{ $json._replay !== undefined }}&${CALLER}`,
	);
}

/** Reports the IDs of all events of an execution to a counter at this URL, in one call. */
export function countAll(url: string): NodePlan {
	return {
		...httpRequest(`=${url}/?${CALLER}`, {
			method: 'POST',
			sendBody: true,
			contentType: 'raw',
			rawContentType: 'text/plain',
			body: "={{ $input.all().map(({ json }) => json.id).join(',') }}",
		}),
		executeOnce: true,
	};
}

/** The webhook trigger with manual registration. */
export function eventTrigger(
	parameters: Parameters = {},
	credentials: readonly CredentialName[] = [],
): NodePlan {
	return {
		type: TRIGGER_TYPE,
		typeVersion: 2,
		webhookId: randomUUID(),
		parameters: { registration: 'manual', eventTypes: [], options: {}, ...parameters },
		credentials,
	};
}

/** Lists assets. */
export function assetList(credential: CredentialName, parameters: Parameters = {}): NodePlan {
	return {
		type: ACTION_TYPE,
		typeVersion: 1,
		parameters: { resource: 'asset', operation: 'getAll', ...parameters },
		credentials: [credential],
	};
}
