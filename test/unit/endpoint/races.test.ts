/** Hooks of n8n, deliveries and rotations at the same time, in many orders: there is one endpoint, or none, and never two. */
import {
	ensureRegistered,
	type RegistrationContext,
	stepRegistration,
	unregister,
} from '../../../lib/endpoint';
import { createRandom } from '../../../simulator/data/random';
import { createWorld, registered, registrationOf, secretsOf, WANTED, type World } from './world';

const ORDERS = 200;
const PLAN = { rotateAfterMs: 100_000, graceMs: 10_000 };
const NEVER = { rotateAfterMs: 0, graceMs: 0 };

/** The context in a process of its own, of which each call takes as long as the order says. */
function slowed(
	world: World,
	nextPause: () => number,
	clientSecret = 'client-secret',
): RegistrationContext {
	const slow =
		<A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
		async (...args: A): Promise<R> => {
			for (let pause = nextPause(); pause > 0; pause -= 1) await Promise.resolve();
			const result = await call(...args);
			for (let pause = nextPause(); pause > 0; pause -= 1) await Promise.resolve();
			return result;
		};
	const context = world.another();
	const { client, records } = context;
	return {
		...context,
		clientSecret,
		client: {
			createWebhookEndpoint: slow(async (input) => await client.createWebhookEndpoint(input)),
			deleteWebhookEndpoint: slow(async (id) => await client.deleteWebhookEndpoint(id)),
			webhookEndpointExists: slow(async (id) => await client.webhookEndpointExists(id)),
		},
		records: {
			readRecord: slow(async (key) => await records.readRecord(key)),
			swapRecord: slow(
				async (key, expected, next) => await records.swapRecord(key, expected, next),
			),
		},
	};
}

/** Runs `race` in many orders, side by side: a wait for another process takes real time. */
async function inManyOrders(race: (nextPause: () => number) => Promise<void>): Promise<void> {
	const races = Array.from({ length: ORDERS }, async (_, seed) => {
		const random = createRandom(seed);
		await race(() => random.int(12));
	});
	await Promise.all(races);
}

/** A delivery begins a step in the background, where a failure is only logged. */
const step = async (context: RegistrationContext, plan = NEVER) =>
	await stepRegistration(context, plan, WANTED).catch(() => undefined);

it('makes one new endpoint when the workflow is published and an event arrives after the client secret changed', async () => {
	await inManyOrders(async (nextPause) => {
		const world = await registered();
		await Promise.all([
			ensureRegistered(slowed(world, nextPause, 'changed'), WANTED),
			step(slowed(world, nextPause, 'changed')),
		]);
		expect(world.endpoints.size).toBe(1);
		expect(world.mostAtOnce).toBe(1);
		expect(await secretsOf(world, 'changed')).toBeDefined();
	});
});

it.each([
	['is published twice', 2, 0],
	['is published while events come in to what a killed publication left', 1, 3],
	['was killed over its publication, and events come in to several processes', 0, 3],
])('makes one endpoint, and never a second, when the workflow %s', async (_, hooks, deliveries) => {
	await inManyOrders(async (nextPause) => {
		const world = createWorld();
		await Promise.all([
			...Array.from({ length: hooks }, () => ensureRegistered(slowed(world, nextPause), WANTED)),
			...Array.from({ length: deliveries }, () => step(slowed(world, nextPause))),
		]);
		expect(world.endpoints.size).toBe(1);
		expect(world.mostAtOnce).toBe(1);
		expect(await secretsOf(world)).toBeDefined();
	});
});

it.each([
	['a rotation is due', 'client-secret', PLAN],
	['a lost one is replaced', 'changed', NEVER],
])(
	'leaves no endpoint when the workflow is unpublished while %s',
	async (_, clientSecret, plan) => {
		await inManyOrders(async (nextPause) => {
			const world = await registered();
			world.now += PLAN.rotateAfterMs;
			await Promise.all([
				unregister(slowed(world, nextPause)),
				step(slowed(world, nextPause, clientSecret), plan),
			]);
			expect(world.endpoints.size).toBe(0);
			expect(await registrationOf(world)).toBeUndefined();
		});
	},
);

it('leaves no endpoint when a workflow without one is unpublished while an event arrives', async () => {
	await inManyOrders(async (nextPause) => {
		const world = createWorld();
		await Promise.all([unregister(slowed(world, nextPause)), step(slowed(world, nextPause))]);
		expect(world.endpoints.size).toBe(0);
		expect(await registrationOf(world)).toBeUndefined();
	});
});
