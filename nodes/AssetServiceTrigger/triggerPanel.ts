/** What the editor shows next to the parameters, for a person who tests the trigger. */
import type { TriggerPanelDefinition } from 'n8n-workflow';

const WHILE_YOU_BUILD =
	'<b>While you build</b>: click the button above, then have the service deliver an event to the <b>test URL</b> of this node (under Webhook URLs). A delivery that is refused or ignored ends the test with the reason.';

export const triggerPanel: TriggerPanelDefinition = {
	header: 'Receive an event from the service',
	executionsHelp: {
		inactive: `${WHILE_YOU_BUILD}<br /><br /><b>When it works</b>: publish the workflow. From then on the service delivers to the <b>production URL</b>, and what you see is under Executions. The reason of a refused delivery is in n8n’s log.`,
		active: `${WHILE_YOU_BUILD}<br /><br />The workflow is published: deliveries to the <b>production URL</b> start it, and you see them under Executions. The reason of a refused delivery is in n8n’s log.`,
	},
	activationHint: 'Publish the workflow, so that deliveries to the production URL start it.',
};
