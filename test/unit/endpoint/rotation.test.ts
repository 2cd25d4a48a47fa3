import { stepRegistration, unregister } from '../../../lib/endpoint';
import {
	createWorld,
	killPublication,
	registered,
	registrationOf,
	secretsOf,
	WANTED,
	type World,
} from './world';

const PLAN = { rotateAfterMs: 100_000, graceMs: 10_000 };
const NEVER = { rotateAfterMs: 0, graceMs: 0 };
const LAST_DELIVERIES_MS = 300_000;

const rotationDue = async () => {
	const world = await registered();
	world.now += PLAN.rotateAfterMs;
	return world;
};
/** The same context, whose creation of an endpoint is `create`. */
const creating = (
	{ context }: World,
	create: World['context']['client']['createWebhookEndpoint'],
) => ({
	...context,
	client: { ...context.client, createWebhookEndpoint: create },
});

describe('a step for an endpoint whose signing secret can no longer be decrypted', () => {
	it('makes a new endpoint for the same URL after it deleted the old one', async () => {
		const world = await registered();
		await stepRegistration({ ...world.context, clientSecret: 'changed' }, NEVER);
		expect([...world.endpoints]).toMatchObject([['we_2', WANTED]]);
		expect(world.mostAtOnce).toBe(1);
		expect(world.warnings).toEqual([
			expect.stringMatching(/client secret of the credential has changed.*a new endpoint/),
		]);
		expect(await secretsOf(world, 'changed')).toEqual({ signingSecret: 'signing-secret-2' });
	});

	it('can be retried if the service is down, and names endpoints that it could not delete', async () => {
		const world = await registered();
		const context = { ...world.context, clientSecret: 'changed' };
		world.fail = { create: new Error('status 503'), delete: new Error('status 503') };
		await expect(stepRegistration(context, NEVER)).rejects.toThrow('status 503');
		expect(world.warnings.at(-1)).toMatch(/did not delete the endpoint we_1/);
		world.fail = {};
		await stepRegistration(context, NEVER);
		expect([...world.endpoints.keys()]).toEqual(['we_2']);
	});
});

describe('a step after a publication that was killed', () => {
	it.each(['before', 'after'] as const)(
		'makes the endpoint, once, when the publication ended %s the service did',
		async (when) => {
			const world = createWorld();
			await killPublication(world, when);
			const made = world.endpoints.size;
			await Promise.all(
				Array.from({ length: 5 }, async () => await stepRegistration(world.context, NEVER, WANTED)),
			);
			expect(world.endpoints.size).toBe(made + 1);
			expect(await secretsOf(world)).toEqual({ signingSecret: `signing-secret-${made + 1}` });
		},
	);

	it('makes the endpoint that is wanted where nothing was begun, and none where nothing is wanted', async () => {
		const world = createWorld();
		expect(await stepRegistration(world.context, NEVER)).toBeUndefined();
		expect(world.records.size).toBe(0);
		expect(await stepRegistration(world.context, NEVER, WANTED)).toBeUndefined();
		expect([...world.endpoints.values()]).toMatchObject([WANTED]);
	});

	it('makes none for a delivery that arrives while the workflow is being unpublished', async () => {
		const world = await registered();
		await unregister(world.context);
		expect(await stepRegistration(world.context, NEVER, WANTED)).toBeUndefined();
		expect(world.endpoints.size).toBe(0);
		// Later on, a delivery shows that the workflow is published again.
		world.now += 120_000;
		await stepRegistration(world.context, NEVER, WANTED);
		expect(world.endpoints.size).toBe(1);
	});
});

describe('a step of a rotation', () => {
	it('goes from one secret to both, deletes the old endpoint after the grace period, then forgets its secret', async () => {
		const world = await registered();
		const start = world.now;
		expect(await stepRegistration(world.context, PLAN)).toBe(start + PLAN.rotateAfterMs);
		expect(world.endpoints.size).toBe(1);

		world.now = start + PLAN.rotateAfterMs;
		expect(await stepRegistration(world.context, PLAN)).toBe(world.now + PLAN.graceMs);
		expect([...world.endpoints.keys()]).toEqual(['we_1', 'we_2']);
		expect(await secretsOf(world)).toEqual({
			signingSecret: 'signing-secret-2',
			previousSigningSecret: 'signing-secret-1',
		});

		world.now += PLAN.graceMs;
		expect(await stepRegistration(world.context, PLAN)).toBe(world.now + LAST_DELIVERIES_MS);
		expect([...world.endpoints.keys()]).toEqual(['we_2']);
		expect(await secretsOf(world)).toHaveProperty('previousSigningSecret', 'signing-secret-1');

		world.now += LAST_DELIVERIES_MS;
		const next = await stepRegistration(world.context, PLAN);
		expect(await secretsOf(world)).toEqual({ signingSecret: 'signing-secret-2' });
		expect(next).toBe(start + PLAN.rotateAfterMs + PLAN.rotateAfterMs);
	});

	it('is due at a given time, once, for an endpoint that is older', async () => {
		const world = await registered();
		const rotateAt = world.now + 5_000;
		const plan = { ...NEVER, graceMs: 10_000, rotateAt };
		expect(await stepRegistration(world.context, plan)).toBe(rotateAt);
		expect([...world.endpoints.keys()]).toEqual(['we_1']);

		world.now = rotateAt;
		expect(await stepRegistration(world.context, plan)).toBe(rotateAt + plan.graceMs);
		expect([...world.endpoints.keys()]).toEqual(['we_1', 'we_2']);

		world.now += plan.graceMs;
		await stepRegistration(world.context, plan);
		expect([...world.endpoints.keys()]).toEqual(['we_2']);
		world.now += LAST_DELIVERIES_MS;
		expect(await stepRegistration(world.context, plan)).toBeUndefined();
		expect(await secretsOf(world)).toEqual({ signingSecret: 'signing-secret-2' });
	});

	it('is due at the earlier of a given time and an age', async () => {
		const world = await registered();
		const at = (ms: number) =>
			stepRegistration(world.context, { ...PLAN, rotateAt: world.now + ms });
		expect(await at(PLAN.rotateAfterMs - 1)).toBe(world.now + PLAN.rotateAfterMs - 1);
		expect(await at(PLAN.rotateAfterMs + 1)).toBe(world.now + PLAN.rotateAfterMs);
		expect(await at(-1)).toBe(world.now + PLAN.rotateAfterMs);
	});

	it('is never due without an age', async () => {
		const world = await registered();
		world.now += 1e12;
		expect(await stepRegistration(world.context, NEVER)).toBeUndefined();
		expect(world.endpoints.size).toBe(1);
	});

	it('makes none if the record was changed after it was read, as by a process that lost its claim', async () => {
		const world = await rotationDue();
		const { records } = world.context;
		const readRecord: typeof records.readRecord = async (key) => {
			const text = await records.readRecord(key);
			await unregister(world.context);
			return text;
		};
		const paused = { ...world.context, records: { ...records, readRecord } };
		expect(await stepRegistration(paused, PLAN)).toBe(world.now + 10_000);
		expect(world.endpoints.size).toBe(0);
		expect(await registrationOf(world)).toBeUndefined();
	});

	it('marks the registration before it makes the new endpoint', async () => {
		const world = await rotationDue();
		const isMarked = async () => (await registrationOf(world))?.making !== undefined;
		const { client } = world.context;
		let marked: boolean | undefined;
		const watching = creating(world, async (input) => {
			marked = await isMarked();
			return await client.createWebhookEndpoint(input);
		});
		await stepRegistration(watching, PLAN);
		expect([marked, await isMarked()]).toEqual([true, false]);
	});

	it('keeps the old endpoint if the new one cannot be created', async () => {
		const world = await rotationDue();
		world.fail.create = new Error('status 500');
		await expect(stepRegistration(world.context, PLAN)).rejects.toThrow('status 500');
		expect(await secretsOf(world)).toEqual({ signingSecret: 'signing-secret-1' });
		delete world.fail.create;
		await stepRegistration(world.context, PLAN);
		expect(await secretsOf(world)).toHaveProperty('signingSecret', 'signing-secret-2');
	});

	it('takes over from a process that died while it made the new endpoint, and says so', async () => {
		const world = await rotationDue();
		const { context, dead } = world.dying('before');
		void stepRegistration(context, PLAN);
		await dead;
		await stepRegistration(world.context, PLAN);
		expect(world.endpoints.size).toBe(2);
		expect(world.warnings).toEqual([expect.stringContaining('a process ended')]);
	});

	it('takes back the mark of a process that died over it, when no rotation is wanted any more', async () => {
		const world = await rotationDue();
		const { context, dead } = world.dying('after');
		void stepRegistration(context, PLAN);
		await dead;
		expect(await stepRegistration(world.context, NEVER)).toBeUndefined();
		expect(await registrationOf(world)).not.toHaveProperty('making');
		expect(world.warnings).toEqual([expect.stringContaining('a process ended')]);
	});

	it('leaves no endpoint behind when the trigger is unpublished during the rotation', async () => {
		const world = await rotationDue();
		await stepRegistration(world.context, PLAN);
		await unregister(world.context);
		expect(world.endpoints.size).toBe(0);
		expect(await stepRegistration(world.context, PLAN)).toBeUndefined();
	});

	it('deletes the new endpoint again when the trigger is unpublished while it is being made', async () => {
		const world = await rotationDue();
		const { client } = world.context;
		const slow = creating(world, async (input) => {
			const made = await client.createWebhookEndpoint(input);
			await unregister(world.context);
			return made;
		});
		await expect(stepRegistration(slow, PLAN)).rejects.toThrow(/another process changed/);
		expect(world.endpoints.size).toBe(0);
		expect(await registrationOf(world)).toBeUndefined();
	});
});
