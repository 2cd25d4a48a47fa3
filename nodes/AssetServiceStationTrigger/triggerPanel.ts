/** What the editor shows next to the parameters: n8n's own text speaks of a mock event. */
import type { TriggerPanelDefinition } from 'n8n-workflow';

const TEST =
	"<b>Test</b>: the button fetches the newest incident of the last days that fits the settings, and says how many they would have reported. If there is none, you get a sample. Both are marked 'test'.";
const PRODUCTION =
	'n8n lists the events at the <b>Poll Times</b> and starts the workflow once for each incident that opens, and once when it resolves. You see these executions in the <b>Executions</b> tab.';

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
