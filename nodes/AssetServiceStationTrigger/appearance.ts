/** What the canvas shows of the station trigger: its subtitle and its outputs follow from the parameters. */
import type { TriggerPanelDefinition } from 'n8n-workflow';

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

const TEST =
	"<b>Test</b>: the button fetches the newest incident of the last days that fits the settings, and says how many they would have reported. If there is none, you get a sample. Both are marked 'test'.";
const PRODUCTION =
	'n8n lists the events at the <b>Poll Times</b> and starts the workflow once for each incident that opens, and once when it resolves. You see these executions in the <b>Executions</b> tab.';

/** What the editor shows next to the parameters: n8n's own text speaks of a mock event. */
export const triggerPanel: TriggerPanelDefinition = {
	header: 'Fetch an incident from the list',
	executionsHelp: {
		inactive: `${TEST}<br /><br /><b>In production</b>: publish the workflow. ${PRODUCTION}`,
		active: `${TEST}<br /><br /><b>In production</b>: ${PRODUCTION}`,
	},
	activationHint: {
		inactive: 'Publish the workflow to look for incidents regularly.',
		active:
			'The workflow is published and looks for incidents regularly. You see its executions in the <b>Executions</b> tab.',
	},
};
