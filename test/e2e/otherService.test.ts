/** A service that differs from the defaults in what the specification leaves open: the package follows it by its settings. */
import { Webhook } from 'standardwebhooks';
import { type Sign, startSimulator } from '../../simulator';
import { useForAll } from '../support/lifetime';
import { itemsOf } from '../support/n8n/responses';
import { useWorld } from '../support/n8n/useWorld';
import { TRIGGER } from '../support/nodes';
import { importAutomatic, publishAtUrl } from './webhookLife/automatic';

const sign: Sign = ({ secret, deliveryId, timestamp, body }) => ({
	'webhook-id': deliveryId,
	'webhook-timestamp': String(timestamp),
	'webhook-signature': new Webhook(secret).sign(deliveryId, new Date(timestamp * 1000), body),
});

describe('a service that differs where the specification leaves it open', () => {
	const simulator = useForAll(() => startSimulator({ sign }));
	const world = useWorld();

	it('delivers to an endpoint that the trigger registered, signed by another scheme', async () => {
		const { client } = world;
		const options = { scheme: 'standardWebhooks', includeDelivery: true };
		const workflow = await importAutomatic(client, simulator, { options });
		const url = await publishAtUrl(client, workflow);

		const { event, responses } = await simulator.emit({ type: 'ocpp.message' });
		expect(responses).toMatchObject([{ status: 200, body: '{"status":"accepted"}' }]);
		const again = await simulator.emit({ id: event.id });
		expect(again.responses).toMatchObject([{ status: 200, body: '{"status":"duplicate"}' }]);
		const forged = `whsec_${Buffer.from('another secret').toString('base64')}`;
		expect(await simulator.deliver(url, forged, event)).toMatchObject({ status: 401 });

		const [{ id } = { id: '' }] = await client.waitForExecutions({ workflowId: workflow.id }, 1);
		const execution = await client.getExecution(id);
		expect(itemsOf(execution, TRIGGER)).toMatchObject([
			{ json: { id: event.id, _delivery: { secret: 'current' } } },
		]);
		await client.deactivate(workflow.id);
		expect(simulator.endpoints).toEqual([]);
	});
});
