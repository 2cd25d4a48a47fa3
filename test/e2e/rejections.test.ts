/** Get Rejections on a real n8n: why deliveries started nothing, without a look at n8n's log. */
import { startSimulator } from '../../simulator';
import { endAfterEach, useForAll } from '../support/lifetime';
import { OPEN_TO_ALL } from '../support/n8n/accounts';
import { errorOf, itemsOf } from '../support/n8n/responses';
import { useWorld } from '../support/n8n/useWorld';
import { ACTION_TYPE, TRIGGER } from '../support/nodes';
import { startRedis, withRedis } from '../support/redis';
import { waitFor } from '../support/wait';
import { answered, deliver, newEvent } from './mainJob/deliveries';
import { NODE, runByHand } from './mainJob/runByHand';
import { publishTrigger } from './mainJob/trigger';

const world = useWorld();
const simulator = useForAll(() => startSimulator());
const ending = endAfterEach();

/** As a workflow without a credential reads them. */
const getRejections = (workflowId: string) => {
	const parameters = { resource: 'event', operation: 'getRejections', workflowId };
	return runByHand(world, { type: ACTION_TYPE, typeVersion: 1, parameters });
};

/** The counts by reason. */
async function countsOf(workflowId: string): Promise<Record<string, unknown>> {
	const execution = await getRejections(workflowId);
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

it('reports that the Redis user lacks a permission, and what it needs, until it has it', async () => {
	const redis = ending(await startRedis());
	const setUser = (...rules: readonly string[]) =>
		withRedis(redis.url, (client) =>
			client.call('ACL', 'SETUSER', 'n8n', 'on', '>password', '~*', '+@all', ...rules),
		);
	await setUser('-get');
	const url = `redis://n8n:password@127.0.0.1:${redis.port}`;
	await world.restart({ ASSET_SERVICE_LEDGER_REDIS_URL: url });

	const trigger = await publishTrigger(world, simulator, OPEN_TO_ALL);
	const send = () => deliver(simulator, trigger, newEvent());
	expect(await send()).toEqual(answered(503, 'unavailable'));
	const why =
		/Redis at 127\.0\.0\.1:\d+, database 0 \(ASSET_SERVICE_LEDGER_REDIS_URL\): its user is not allowed to do what the ledger needs: allow it .*GET.* on the keys asset-service:ledger:\*/;
	const logged = (line: string) => new RegExp(`${line}.*${why.source}`).test(world.server.logs());
	await waitFor(() => logged('delivery rejected: ledger_unavailable'), { what: 'the rejection' });
	expect(logged('its publication could not be recorded.*publish the workflow again')).toBe(true);
	expect(errorOf(await getRejections(trigger.workflow.id))?.description).toMatch(why);

	await setUser('+get');
	expect(await send()).toEqual(answered(200, 'accepted'));
	expect(await trigger.startedWith()).toHaveLength(1);
	expect(world.server.logs()).not.toContain('n8n:password');
});
