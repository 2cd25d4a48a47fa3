/** What the editor shows next to the parameters: n8n's own text speaks of a mock event. */
import type { TriggerPanelDefinition } from 'n8n-workflow';

const TEST =
	"<b>Test</b>: the button fetches the newest listed event that matches 'Trigger On' and 'Conditions'. If no event matches, it shows why. A fetched event is not marked as started.";
const PRODUCTION =
	'n8n lists the events at the <b>Poll Times</b> and starts the workflow once for each new one. You see these executions in the <b>Executions</b> tab.';

export const triggerPanel: TriggerPanelDefinition = {
	header: 'Fetch an event from the list',
	executionsHelp: {
		inactive: `${TEST}<br /><br /><b>In production</b>: publish the workflow. ${PRODUCTION}`,
		active: `${TEST}<br /><br /><b>In production</b>: ${PRODUCTION}`,
	},
	activationHint: {
		inactive: 'Publish the workflow to list events regularly.',
		active:
			'The workflow is published and lists events regularly. You see its executions in the <b>Executions</b> tab.',
	},
};
