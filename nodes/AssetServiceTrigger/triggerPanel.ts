/** The texts next to the parameters in the editor, for a user who tests the trigger. */
import type { TriggerPanelDefinition } from 'n8n-workflow';

const PARAGRAPH = '<br /><br />';

/** n8n shows it folded, under "When will this node trigger my flow?". */
const TEST = [
	"<b>Test with a real event</b>: the test URL is under Webhook URLs. A webhook endpoint has only one URL and one signing secret, so create a second endpoint with the test URL and paste its secret into 'Previous Signing Secret' of the credential. Then click the button above and send an event from the service. Ignored events do not end the test; a rejected delivery ends it and shows why. Afterwards, delete the second endpoint and clear that field. With automatic registration, the node creates and deletes the second endpoint itself.",
	"<b>Test without a second endpoint</b>: select 'set mock data' in the output panel and paste a sample event. Or publish the workflow and open one of its executions to work with a real event.",
];
const PRODUCTION =
	"Each event that the service delivers to the <b>production URL</b> starts the workflow once. You see these executions in the <b>Executions</b> tab. The reason for a rejected delivery is in n8n's log. To count the rejected and ignored deliveries of the last 7 days by reason, run the Asset Service node with the resource <b>Event</b> and the operation <b>Get Rejections</b>.";

export const triggerPanel: TriggerPanelDefinition = {
	header: 'Receive an event from the service',
	executionsHelp: {
		inactive: [...TEST, `<b>In production</b>: publish the workflow. ${PRODUCTION}`].join(
			PARAGRAPH,
		),
		active: [...TEST, `<b>In production</b>: ${PRODUCTION}`].join(PARAGRAPH),
	},
	activationHint: {
		inactive:
			'The button uses the test URL. Create a separate webhook endpoint for it at the service. Publish the workflow to receive events at the production URL.',
		active:
			'The workflow is published: events at the production URL start it, and you see them in the <b>Executions</b> tab. The button uses the test URL. Create a separate webhook endpoint for it at the service.',
	},
};
