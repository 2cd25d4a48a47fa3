import {
	loadRegistration,
	openRegistration,
	recognise,
	register,
	unregister,
} from '../../../lib/registration';
import { createWorld, WANTED, type World } from './world';

const secretsOf = async ({ context }: World, clientSecret = context.clientSecret) => {
	const loaded = await loadRegistration(context);
	return loaded && openRegistration(loaded.registration, clientSecret);
};

describe('register', () => {
	it('makes one endpoint and keeps its secret sealed', async () => {
		const world = createWorld();
		expect(await recognise(world.context, WANTED)).toBe(false);
		await register(world.context, WANTED);
		expect([...world.endpoints.values()]).toEqual([{ ...WANTED, secret: 'signing-secret-1' }]);
		expect(await secretsOf(world)).toEqual({ signingSecret: 'signing-secret-1' });
		expect([...world.records.values()].join()).not.toContain('signing-secret-1');
	});

	it('deletes an endpoint again whose answer has no secret, and says what came', async () => {
		const world = createWorld();
		world.answer.secret = false;
		await expect(register(world.context, WANTED)).rejects.toMatchObject({
			message: expect.stringMatching(
				/we_1 .* without its signing secret .*fields id, url/,
			) as string,
			hint: expect.stringContaining('deleted again') as string,
		});
		expect(world.endpoints.size).toBe(0);
		expect(world.records.size).toBe(0);
	});

	it('names the endpoint when that deletion fails too', async () => {
		const world = createWorld();
		world.answer.secret = false;
		world.fail.delete = new Error('503');
		await expect(register(world.context, WANTED)).rejects.toMatchObject({
			hint: expect.stringMatching(/could not be deleted again \(503\): delete we_1/) as string,
		});
	});

	it('says what came when the answer has no id', async () => {
		const world = createWorld();
		world.answer.id = false;
		await expect(register(world.context, WANTED)).rejects.toThrow(
			/without its id .*fields url, secret/,
		);
	});

	it('deletes an endpoint again whose secret cannot be kept', async () => {
		const world = createWorld();
		world.fail.swap = new Error('disk full');
		await expect(register(world.context, WANTED)).rejects.toThrow(/could not be kept: disk full/);
		expect(world.endpoints.size).toBe(0);
	});

	it('tells no secret in its errors', async () => {
		const world = createWorld();
		world.fail.swap = new Error('disk full');
		const error: unknown = await register(world.context, WANTED).catch((thrown: unknown) => thrown);
		expect(JSON.stringify(error) + String(error)).not.toContain('signing-secret');
	});
});

describe('recognise', () => {
	it('finds the endpoint of before, as after a restart', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		expect(await recognise(world.context, WANTED)).toBe(true);
		expect(world.endpoints.size).toBe(1);
	});

	it.each([
		['URL', { ...WANTED, url: 'https://other.example.com/' }],
		['event types', { ...WANTED, events: ['asset.connectivity'] }],
	])('deletes the endpoint when the %s changed, so there are never two', async (_name, wanted) => {
		const world = createWorld();
		await register(world.context, WANTED);
		expect(await recognise(world.context, wanted)).toBe(false);
		await register(world.context, wanted);
		expect([...world.endpoints.values()]).toMatchObject([wanted]);
		expect(world.mostAtOnce).toBe(1);
	});

	it('replaces the endpoint when the client secret changed, and says why', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		const context = { ...world.context, clientSecret: 'changed' };
		expect(await secretsOf(world, 'changed')).toBeUndefined();
		expect(await recognise(context, WANTED)).toBe(false);
		expect(world.warnings).toEqual([expect.stringMatching(/we_1 .*client secret .* changed/)]);
		await register(context, WANTED);
		expect([...world.endpoints.keys()]).toEqual(['we_2']);
		expect(world.mostAtOnce).toBe(1);
	});

	it('makes a new endpoint when somebody deleted it at the service', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.endpoints.clear();
		expect(await recognise(world.context, WANTED)).toBe(false);
		expect(world.records.size).toBe(0);
	});

	it('takes the endpoint to be there when the service cannot say', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.fail.exists = new Error('timed out');
		expect(await recognise(world.context, WANTED)).toBe(true);
		expect(world.warnings).toEqual([expect.stringContaining('we_1 could not be checked')]);
	});

	it('takes a record that it cannot read for none', async () => {
		const world = createWorld();
		world.records.set(world.context.key, '{"version":99}');
		expect(await recognise(world.context, WANTED)).toBe(false);
		await register(world.context, WANTED);
		expect(await recognise(world.context, WANTED)).toBe(true);
	});
});

describe('unregister', () => {
	it('deletes the endpoint and forgets it', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		await unregister(world.context);
		expect([world.endpoints.size, world.records.size]).toEqual([0, 0]);
	});

	it('is fine with an endpoint that is gone already, and with none', async () => {
		const world = createWorld();
		await unregister(world.context);
		await register(world.context, WANTED);
		world.endpoints.clear();
		await unregister(world.context);
		expect(world.records.size).toBe(0);
	});

	it('names the endpoint when the service does not delete it', async () => {
		const world = createWorld();
		await register(world.context, WANTED);
		world.fail.delete = new Error('status 500');
		await expect(unregister(world.context)).rejects.toMatchObject({
			message: expect.stringContaining('we_1 (status 500)') as string,
			hint: expect.stringContaining('Delete it at the service') as string,
		});
	});
});
