import { waitFor } from '../../support/wait';
import {
	accepted,
	cleanUpAfterEach,
	createWorld,
	ENDPOINTS,
	letSecondsPass,
} from './registrations';

cleanUpAfterEach();

describe('an interrupted publication is finished by the next delivery', () => {
	it('which gets 503, so that the service delivers again', async () => {
		const world = await createWorld();
		expect(await world.forge()).toBe(503);
		expect(world.log()).toMatch(/not_configured;.*is being registered/);
		await accepted(world);
		expect(world.simulator.endpoints).toHaveLength(1);
	});

	it('once, however many arrive', async () => {
		const world = await createWorld();
		await Promise.all(Array.from({ length: 20 }, world.forge));
		await accepted(world);
		expect(world.simulator.stats.endpoints).toMatchObject({ created: 1, mostAtOnce: 1 });
	});

	it('and not retried by each one while the service rejects it', async () => {
		const world = await createWorld();
		const { simulator, forge } = world;
		simulator.faults.add({ method: 'POST', path: ENDPOINTS, status: 400 });
		await forge();
		await waitFor(() => /will retry/.test(world.log()), { what: 'the failure in the log' });
		simulator.faults.clear();
		letSecondsPass(5);
		const reads = await world.readsOf(async () => {
			for (let n = 0; n < 5; n += 1) expect(await forge()).toBe(503);
		});
		expect(reads.credential).toBe(0);
		expect(simulator.stats.endpoints.created).toBe(0);
	});

	it('but not for a workflow that has just been unpublished', async () => {
		const { publish, unpublish, forge, simulator, readsOf } = await createWorld();
		await publish();
		await unpublish();
		expect(await readsOf(forge)).toMatchObject({ credential: 0 });
		expect(simulator.stats.endpoints).toMatchObject({ created: 1, deleted: 1 });
	});
});
