import {
	loadRegistration,
	openRegistration,
	register,
	replaceLostEndpoint,
	stepRotation,
	unregister,
} from '../../../lib/registration';
import { isRotating } from '../../../lib/registration/record';
import { createWorld, WANTED, type World } from './world';

const PLAN = { rotateAfterMs: 100_000, graceMs: 10_000 };
const LAST_DELIVERIES_MS = 300_000;

const registrationOf = async ({ context }: World) =>
	(await loadRegistration(context))?.registration;
const secretsOf = async (world: World) => {
	const registration = await registrationOf(world);
	return registration && openRegistration(registration, world.context.clientSecret);
};

describe('replaceLostEndpoint', () => {
	it('makes a new endpoint for the same URL after it deleted the old one', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		const context = { ...world.context, clientSecret: 'changed' };
		expect(await replaceLostEndpoint(context)).toBe(true);
		expect([...world.endpoints]).toMatchObject([['we_2', WANTED]]);
		expect(world.mostAtOnce).toBe(1);
		const registration = await registrationOf(world);
		expect(registration && openRegistration(registration, 'changed')).toEqual({
			signingSecret: 'signing-secret-2',
		});
	});

	it('is tried again after a while when the service is away, and names what it could not delete', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		const context = { ...world.context, clientSecret: 'changed' };
		world.fail = { create: new Error('status 503'), delete: new Error('status 503') };
		await expect(replaceLostEndpoint(context)).rejects.toThrow('status 503');
		expect(world.warnings).toEqual([expect.stringContaining('did not delete the endpoint we_1')]);
		world.fail = {};
		expect(await replaceLostEndpoint(context)).toBe(false);
		world.now += 120_000;
		expect(await replaceLostEndpoint(context)).toBe(true);
		expect([...world.endpoints.keys()]).toEqual(['we_2']);
	});

	it('is done by one of many that come at the same time', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		const context = { ...world.context, clientSecret: 'changed' };
		const done = await Promise.all(
			Array.from({ length: 5 }, async () => await replaceLostEndpoint(context)),
		);
		expect(done.filter((replaced) => replaced)).toHaveLength(1);
		expect(world.endpoints.size).toBe(1);
	});
});

describe('stepRotation', () => {
	it('goes from one secret to both, deletes the old endpoint after the grace period, then forgets its secret', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		const start = world.now;
		expect(await stepRotation(world.context, PLAN)).toBe(start + PLAN.rotateAfterMs);
		expect(world.endpoints.size).toBe(1);

		world.now = start + PLAN.rotateAfterMs;
		expect(await stepRotation(world.context, PLAN)).toBe(world.now + PLAN.graceMs);
		expect([...world.endpoints.keys()]).toEqual(['we_1', 'we_2']);
		expect(await secretsOf(world)).toEqual({
			signingSecret: 'signing-secret-2',
			previousSigningSecret: 'signing-secret-1',
		});

		world.now += PLAN.graceMs;
		expect(await stepRotation(world.context, PLAN)).toBe(world.now + LAST_DELIVERIES_MS);
		expect([...world.endpoints.keys()]).toEqual(['we_2']);
		expect(await secretsOf(world)).toHaveProperty('previousSigningSecret', 'signing-secret-1');

		world.now += LAST_DELIVERIES_MS;
		const next = await stepRotation(world.context, PLAN);
		expect(await secretsOf(world)).toEqual({ signingSecret: 'signing-secret-2' });
		expect(next).toBe(start + PLAN.rotateAfterMs + PLAN.rotateAfterMs);
	});

	it('never rotates without an age', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.now += 1e12;
		expect(await stepRotation(world.context, { rotateAfterMs: 0, graceMs: 0 })).toBeUndefined();
		expect(world.endpoints.size).toBe(1);
	});

	it('is done by one of two processes that come at the same time', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.now += PLAN.rotateAfterMs;
		await Promise.all([stepRotation(world.context, PLAN), stepRotation(world.context, PLAN)]);
		expect([...world.endpoints.keys()]).toEqual(['we_1', 'we_2']);
	});

	it('marks the registration before it makes the new endpoint', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.now += PLAN.rotateAfterMs;
		const { api } = world.context;
		let marked: boolean | undefined;
		const watching = {
			...world.context,
			api: {
				...api,
				create: async (input: typeof WANTED) => {
					const registration = await registrationOf(world);
					marked = registration && isRotating(registration, world.now);
					return await api.create(input);
				},
			},
		};
		await stepRotation(watching, PLAN);
		expect(marked).toBe(true);
		const after = await registrationOf(world);
		expect(after && isRotating(after, world.now)).toBe(false);
	});

	it('goes on with the old endpoint when the new one cannot be made', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.now += PLAN.rotateAfterMs;
		world.fail.create = new Error('status 500');
		await expect(stepRotation(world.context, PLAN)).rejects.toThrow('status 500');
		expect(await secretsOf(world)).toEqual({ signingSecret: 'signing-secret-1' });
		delete world.fail.create;
		await stepRotation(world.context, PLAN);
		expect(await secretsOf(world)).toHaveProperty('signingSecret', 'signing-secret-2');
	});

	it('takes over from a process that died while it made the new endpoint', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.now += PLAN.rotateAfterMs;
		const [key, text] = [...world.records][0] ?? ['', '{}'];
		const record = JSON.parse(text) as Record<string, unknown>;
		world.records.set(key, JSON.stringify({ ...record, rotatingSince: world.now }));
		expect(await stepRotation(world.context, PLAN)).toBe(world.now + 120_000);
		expect(world.endpoints.size).toBe(1);
		world.now += 120_000;
		await stepRotation(world.context, PLAN);
		expect(world.endpoints.size).toBe(2);
	});

	it('leaves no endpoint behind when the trigger is unpublished during the rotation', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.now += PLAN.rotateAfterMs;
		await stepRotation(world.context, PLAN);
		await unregister(world.context);
		expect([world.endpoints.size, world.records.size]).toEqual([0, 0]);
		expect(await stepRotation(world.context, PLAN)).toBeUndefined();
	});

	it('deletes the new endpoint again when the trigger is unpublished while it is being made', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.now += PLAN.rotateAfterMs;
		const { api } = world.context;
		const slow = {
			...world.context,
			api: {
				...api,
				create: async (input: typeof WANTED) => {
					const made = await api.create(input);
					await unregister(world.context);
					return made;
				},
			},
		};
		await expect(stepRotation(slow, PLAN)).rejects.toThrow(/another process changed/);
		expect([world.endpoints.size, world.records.size]).toEqual([0, 0]);
	});
});
