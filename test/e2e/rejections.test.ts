/** Get Rejections on a real n8n: why deliveries started nothing, without a look at n8n's log. */
import { startSimulator } from '../../simulator';
import { useForAll } from '../support/lifetime';
import { OPEN_TO_ALL } from '../support/n8n/accounts';
import { errorOf, itemsOf } from '../support/n8n/responses';
import { useWorld } from '../support/n8n/useWorld';
import { ACTION_TYPE, TRIGGER } from '../support/nodes';
import { deliver, newEvent } from './mainJob/deliveries';
import { NODE, runByHand } from './mainJob/runByHand';
import { publishTrigger } from './mainJob/trigger';

const world = useWorld();
const simulator = useForAll(() => startSimulator());

/** The counts by reason, as a workflow without a credential gets them. */
async function countsOf(workflowId: string): Promise<Record<string, unknown>> {
	const parameters = { resource: 'event', operation: 'getRejections', workflowId };
	const execution = await runByHand(world, { type: ACTION_TYPE, typeVersion: 1, parameters });
	expect(errorOf(execution)).toBeUndefined();
	const found = itemsOf(execution, NODE).map(({ json }) => json);
	for (const { nodeName } of found) expect(nodeName).toBe(TRIGGER);
	return Object.fromEntries(found.map(({ reason, count }) => [String(reason), count]));
}

it('counts forged, stale and ignored deliveries, even from the moment before n8n restarts', async () => {
	const trigger = await publishTrigger(world, simulator, {
		eventTypes: ['ocpp.*'],
		...OPEN_TO_ALL,
	});
	const send = (type: string, tamper?: 'forged' | 'stale') =>
		deliver(simulator, trigger, newEvent(type), tamper);
	for (let n = 0; n < 3; n++) await send('ocpp.message', 'forged');
	await send('ocpp.message', 'stale');
	for (let n = 0; n < 2; n++) await send('asset.created');
	await send('ocpp.message');
	const expected = { signature_mismatch: 3, timestamp_outside_tolerance: 1, ignored: 2 };
	expect(await countsOf(trigger.workflow.id)).toEqual(expected);

	await send('ocpp.message', 'forged');
	await world.restart();
	expect(await countsOf(trigger.workflow.id)).toEqual({ ...expected, signature_mismatch: 4 });
	expect(await trigger.startedWith()).toHaveLength(1);
});
