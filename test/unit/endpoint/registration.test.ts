import { ensureRegistered, unregister } from '../../../lib/endpoint';
import {
	createWorld,
	killPublication,
	registered,
	registrationOf,
	secretsOf,
	WANTED,
} from './world';

describe('a first publication', () => {
	it('makes one endpoint and keeps its secret sealed', async () => {
		const world = await registered();
		expect([...world.endpoints.values()]).toEqual([{ ...WANTED, secret: 'signing-secret-1' }]);
		expect(await secretsOf(world)).toEqual({ signingSecret: 'signing-secret-1' });
		expect([...world.records.values()].join()).not.toContain('signing-secret-1');
	});

	it('deletes an endpoint again if the response has no secret, and reports the response fields', async () => {
		const world = createWorld();
		world.answer = { secret: undefined };
		await expect(ensureRegistered(world.context, WANTED)).rejects.toMatchObject({
			message: expect.stringMatching(
				/^Endpoint we_1 created, but the response has no signing secret$/,
			) as string,
			hint: expect.stringMatching(/\(received: id, url\).* deleted again/) as string,
		});
		expect(world.endpoints.size).toBe(0);
		expect(await registrationOf(world)).not.toHaveProperty('current');
	});

	it('names the endpoint when that deletion fails too', async () => {
		const world = createWorld();
		world.answer = { secret: undefined };
		world.fail.delete = new Error('503');
		await expect(ensureRegistered(world.context, WANTED)).rejects.toMatchObject({
			hint: expect.stringMatching(/could not be deleted again \(503\): delete we_1/) as string,
		});
	});

	it('reports the response fields if there is no ID', async () => {
		const world = createWorld();
		world.answer = { id: undefined };
		await expect(ensureRegistered(world.context, WANTED)).rejects.toMatchObject({
			message: 'Endpoint created, but the response has no ID',
			hint: expect.stringContaining('(received: url, secret)') as string,
		});
	});

	it('deletes an endpoint again whose secret cannot be kept', async () => {
		const world = createWorld();
		const { records } = world.context;
		const swapRecord: typeof records.swapRecord = async (key, expected, next) => {
			if (next?.includes('sealedSecret')) throw new Error('disk full');
			return await records.swapRecord(key, expected, next);
		};
		const full = { ...world.context, records: { ...records, swapRecord } };
		const error: unknown = await ensureRegistered(full, WANTED).catch((thrown: unknown) => thrown);
		expect(String(error)).toMatch(/could not be saved: disk full/);
		expect(JSON.stringify(error) + String(error)).not.toContain('signing-secret');
		expect(world.endpoints.size).toBe(0);
	});

	it('makes nothing when the mark cannot be kept', async () => {
		const world = createWorld();
		world.fail.swap = new Error('disk full');
		await expect(ensureRegistered(world.context, WANTED)).rejects.toThrow('disk full');
		expect(world.mostAtOnce).toBe(0);
	});
});

describe('another publication', () => {
	it('recognises the endpoint of before, as after a restart, and reads the record once', async () => {
		const world = await registered();
		const readRecord = jest.spyOn(world.context.records, 'readRecord');
		await ensureRegistered(world.context, WANTED);
		expect([...world.endpoints.keys()]).toEqual(['we_1']);
		expect(readRecord).toHaveBeenCalledTimes(1);
	});

	it.each([
		['URL', { ...WANTED, url: 'https://other.example.com/' }],
		['event types', { ...WANTED, events: ['asset.connectivity'] }],
	])(
		'replaces the endpoint when the %s changed, so that there are never two',
		async (_, wanted) => {
			const world = await registered();
			await ensureRegistered(world.context, wanted);
			expect([...world.endpoints.values()]).toMatchObject([wanted]);
			expect(world.mostAtOnce).toBe(1);
		},
	);

	it('replaces the endpoint when the client secret changed, and says why', async () => {
		const world = await registered();
		expect(await secretsOf(world, 'changed')).toBeUndefined();
		await ensureRegistered({ ...world.context, clientSecret: 'changed' }, WANTED);
		expect(world.warnings).toEqual([expect.stringMatching(/we_1: .*client secret .* changed/)]);
		expect([...world.endpoints.keys()]).toEqual(['we_2']);
		expect(world.mostAtOnce).toBe(1);
	});

	it('names an endpoint that the service does not delete, and continues', async () => {
		const world = await registered();
		world.fail.delete = new Error('status 500');
		await ensureRegistered(world.context, { ...WANTED, url: 'https://other.example.com/' });
		expect(world.warnings.at(-1)).toMatch(/did not delete the endpoint we_1 \(status 500\)/);
		expect(await secretsOf(world)).toEqual({ signingSecret: 'signing-secret-2' });
	});

	it('makes a new endpoint when somebody deleted it at the service', async () => {
		const world = await registered();
		world.endpoints.clear();
		await ensureRegistered(world.context, WANTED);
		expect([...world.endpoints.keys()]).toEqual(['we_2']);
	});

	it('takes the endpoint to be there when the service cannot say', async () => {
		const world = await registered();
		world.fail.exists = new Error('timed out');
		await ensureRegistered(world.context, WANTED);
		expect([...world.endpoints.keys()]).toEqual(['we_1']);
		expect(world.warnings).toEqual([expect.stringContaining('we_1 could not be checked')]);
	});

	it.each(['1', '1no JSON', '1{}', '1[]'])('takes the record %s for none', async (text) => {
		const world = createWorld();
		world.records.set(world.context.key, text);
		await ensureRegistered(world.context, WANTED);
		expect(await secretsOf(world)).toEqual({ signingSecret: 'signing-secret-1' });
	});

	it('continues after a failed one', async () => {
		const world = createWorld();
		world.fail.create = new Error('status 503');
		await expect(ensureRegistered(world.context, WANTED)).rejects.toThrow('status 503');
		world.fail = {};
		await ensureRegistered(world.context, WANTED);
		expect([...world.endpoints.keys()]).toEqual(['we_1']);
		expect(world.warnings).toEqual([]);
	});

	it.each([
		['before', ['we_1']],
		['after', ['we_1', 'we_2']],
	] as const)(
		'finishes one that was killed %s the service made the endpoint, and says where to look',
		async (when, endpoints) => {
			const world = createWorld();
			await killPublication(world, when);
			await ensureRegistered(world.context, WANTED);
			expect([...world.endpoints.keys()]).toEqual(endpoints);
			expect(await secretsOf(world)).toEqual({
				signingSecret: `signing-secret-${endpoints.length}`,
			});
			expect(world.warnings).toEqual([
				expect.stringMatching(/a process ended .* another one with this URL, delete it there/),
			]);
		},
	);
});

describe('unregister', () => {
	it('deletes the endpoint and forgets it', async () => {
		const world = await registered();
		await unregister(world.context);
		expect(world.endpoints.size).toBe(0);
		expect(await registrationOf(world)).toBeUndefined();
		expect([...world.records.values()].join()).not.toContain('we_1');
	});

	it('is fine with an endpoint that is gone already, and with none', async () => {
		const world = createWorld();
		await unregister(world.context);
		await ensureRegistered(world.context, WANTED);
		world.endpoints.clear();
		await unregister(world.context);
		expect(await registrationOf(world)).toBeUndefined();
	});

	it('names the endpoint when the service does not delete it', async () => {
		const world = await registered();
		world.fail.delete = new Error('status 500');
		await expect(unregister(world.context)).rejects.toMatchObject({
			message: expect.stringContaining('we_1 (status 500)') as string,
			hint: expect.stringContaining('Delete it at the service') as string,
		});
	});
});
