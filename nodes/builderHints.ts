/** The texts about the nodes for n8n's AI workflow builder: when to use which, and how they work together. */
import type { INodeTypeDescription } from 'n8n-workflow';

type Hint = NonNullable<INodeTypeDescription['builderHint']>;

const NODES = {
	assetService:
		'Lists assets, events and deliveries, compares events with executions (Reconcile) and starts events again (Replay). Its resource Station calculates uptime and returns outages, faults, charging sessions with their energy, and the current status of stations, without code.',
	assetServiceTrigger:
		'Starts the workflow when the service delivers a signed webhook. Use it when n8n has a public https URL.',
	assetServicePollTrigger:
		'Starts the workflow for listed events. Use it when n8n has no public URL, or next to the webhook trigger to catch missed events.',
	assetServiceStationTrigger:
		'Starts the workflow when a charging station is offline, a connector is stuck in a status or reports a fault, or a charging session has ended, with OCPP 1.6 and 2.0.1. Use it instead of combining single messages.',
};

/** For the triggers. */
const ONCE =
	" Duplicate deliveries do not start the workflow again, so no node to remove them is needed. With 'Start Again', a failed or interrupted execution repeats: steps that must not repeat need their own check.";
/** For those that have conditions. */
const FILTER = ' Filter events with the conditions of the trigger instead of an If node.';
const HINTS: Readonly<Record<keyof typeof NODES, string>> = {
	assetService: '',
	assetServiceTrigger: ONCE + FILTER,
	assetServicePollTrigger: ONCE + FILTER,
	assetServiceStationTrigger: ONCE,
};

export function builderHint(name: keyof typeof NODES): Hint {
	const others = Object.entries(NODES).filter(([other]) => other !== name);
	return {
		searchHint: NODES[name] + HINTS[name],
		relatedNodes: others.map(([other, relationHint]) => ({
			nodeType: `n8n-nodes-asset-service.${other}`,
			relationHint,
		})),
	};
}
