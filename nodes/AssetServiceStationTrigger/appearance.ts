/** What the canvas shows of the station trigger: its subtitle and its outputs follow from the parameters. */

/** Such as `5 minutes`. */
const minutes = (name: string) =>
	`$parameter["${name}"] + ($parameter["${name}"] === 1 ? " minute" : " minutes")`;

/** Such as `Offline for 5 minutes`. */
export const subtitle = `={{ {
	stationOffline: "Offline for " + ${minutes('forMinutes')},
	connectorStatus: "Stuck for " + ${minutes('forMinutes')},
	connectorFault: $parameter["times"] > 1 ? $parameter["times"] + " faults within " + ${minutes('withinMinutes')} : $parameter["forMinutes"] > 0 ? "Fault for " + ${minutes('forMinutes')} : "Fault",
	sessionEnded: "Charging Session Ended",
}[$parameter["triggerOn"]] }}`.replace(/\n\t?/g, ' ');

/** The names of the outputs, where there are two. */
export const OUTPUT_NAMES = ['Opened', 'Resolved'] as const;

const twoOutputs = OUTPUT_NAMES.map((name) => `{ type: "main", displayName: "${name}" }`);

/**
 * Two where an incident opens and resolves. n8n runs `execute` of a trigger that has one, and routes the lists that it
 * returns by their order; the node's `toOutputs` decides in the same way.
 */
export const outputs =
	`={{ $parameter["triggerOn"] !== "sessionEnded" && $parameter["reportResolved"] !== false ? [${twoOutputs.join(', ')}] : [{ type: "main" }] }}` as const;
