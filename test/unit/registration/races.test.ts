/** Hooks of n8n, deliveries and rotations at the same time, in many orders: there is one endpoint, or none, and never two. */
import {
	openRegistration,
	loadRegistration,
	recognise,
	register,
	replaceLostEndpoint,
	stepRotation,
	unregister,
	type RegistrationContext,
} from '../../../lib/registration';
import { createRandom } from '../../../simulator/data/random';
import { createWorld, WANTED } from './world';

const ORDERS = 200;
const PLAN = { rotateAfterMs: 100_000, graceMs: 10_000 };

/** The same context, of which each call takes as long as the order says. */
function slowed(context: RegistrationContext, nextPause: () => number): RegistrationContext {
	const slow =
		<A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
		async (...args: A): Promise<R> => {
			for (let pause = nextPause(); pause > 0; pause -= 1) await Promise.resolve();
			const result = await call(...args);
			for (let pause = nextPause(); pause > 0; pause -= 1) await Promise.resolve();
			return result;
		};
	const { api, records } = context;
	return {
		...context,
		api: {
			create: slow(async (input) => await api.create(input)),
			delete: slow(async (id) => {
				await api.delete(id);
			}),
			exists: slow(async (id) => await api.exists(id)),
		},
		records: {
			readRecord: slow(async (key) => await records.readRecord(key)),
			swapRecord: slow(
				async (key, expected, next) => await records.swapRecord(key, expected, next),
			),
		},
	};
}

/** Runs `race` in so many orders, side by side: a wait for another process takes real time. */
async function inManyOrders(race: (nextPause: () => number) => Promise<void>): Promise<void> {
	const races = Array.from({ length: ORDERS }, async (_, seed) => {
		const random = createRandom(seed);
		await race(() => random.int(12));
	});
	await Promise.all(races);
}

const publish = async (context: RegistrationContext) => {
	if (!(await recognise(context, WANTED))) await register(context, WANTED);
};
const isUsable = async (context: RegistrationContext) => {
	const loaded = await loadRegistration(context);
	return loaded && openRegistration(loaded.registration, context.clientSecret) !== undefined;
};

it('makes one new endpoint when the workflow is published and an event comes in after the client secret changed', async () => {
	await inManyOrders(async (nextPause) => {
		const world = createWorld();
		await register(world.context, WANTED);
		const changed = { ...world.context, clientSecret: 'changed' };
		const replacing = replaceLostEndpoint(slowed(changed, nextPause)).catch(() => false);
		await Promise.all([publish(slowed(changed, nextPause)), replacing]);
		expect(world.endpoints.size).toBe(1);
		expect(world.mostAtOnce).toBe(1);
		expect(await isUsable(changed)).toBe(true);
	});
});

it('makes one endpoint when the workflow is published twice at the same time', async () => {
	await inManyOrders(async (nextPause) => {
		const world = createWorld();
		const publishing = [1, 2].map(async () => {
			await publish(slowed(world.context, nextPause));
		});
		const ended = await Promise.allSettled(publishing);
		expect(ended.map(({ status }) => status)).toContain('fulfilled');
		expect(world.endpoints.size).toBe(1);
		expect(await isUsable(world.context)).toBe(true);
	});
});

it('leaves no endpoint when the workflow is unpublished while a rotation is due', async () => {
	await inManyOrders(async (nextPause) => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.now += PLAN.rotateAfterMs;
		const rotating = stepRotation(slowed(world.context, nextPause), PLAN).catch(() => undefined);
		await Promise.all([unregister(slowed(world.context, nextPause)), rotating]);
		expect(world.endpoints.size).toBe(0);
		expect(world.records.size).toBe(0);
	});
});

it('leaves no endpoint when the workflow is unpublished while a lost one is replaced', async () => {
	await inManyOrders(async (nextPause) => {
		const world = createWorld();
		await register(world.context, WANTED);
		const changed = { ...world.context, clientSecret: 'changed' };
		const replacing = replaceLostEndpoint(slowed(changed, nextPause)).catch(() => false);
		await Promise.all([unregister(slowed(changed, nextPause)), replacing]);
		expect(world.endpoints.size).toBe(0);
		expect(world.records.size).toBe(0);
	});
});
