import { ensureRegistered } from '../../../lib/endpoint';
import { createWorld, registrationOf, secretsOf, WANTED } from './world';

describe('text of the service', () => {
	const failureWith = async (world: ReturnType<typeof createWorld>) => {
		const error: unknown = await ensureRegistered(world.context, WANTED).catch(
			(thrown: unknown) => thrown,
		);
		const { message, hint } = error as { message: string; hint: string };
		expect(message.length + hint.length).toBeLessThan(1000);
		expect(message + hint).not.toMatch(/[\u0000-\u001f]/);
		expect([...world.records.values()].join().length).toBeLessThan(1000);
		return { message, hint };
	};

	it('is kept and sent back as it is when it is sane, up to 1024 characters', async () => {
		const world = createWorld();
		const id = 'i'.repeat(1024);
		world.answer = { id, secret: 's'.repeat(1024) };
		await ensureRegistered(world.context, WANTED);
		expect(await registrationOf(world)).toHaveProperty('current.id', id);
		expect(await secretsOf(world)).toEqual({ signingSecret: 's'.repeat(1024) });
	});

	it('is refused as an id above that, with what to do', async () => {
		const world = createWorld();
		world.answer = { id: 'i'.repeat(5_000_000) };
		const { message, hint } = await failureWith(world);
		expect(message).toMatch(/5000000 characters of ID, of which at most 1024 can be stored/);
		expect(hint).toMatch(/Find the endpoint with the URL of this trigger .* delete it/);
	});

	it('is refused as a secret above that, and the endpoint is deleted again', async () => {
		const world = createWorld();
		world.answer = { secret: 's'.repeat(1025) };
		const { message, hint } = await failureWith(world);
		expect(message).toMatch(
			/Endpoint we_1 created, but the response has 1025 characters of signing secret/,
		);
		expect(hint).toMatch(/deleted again/);
		expect(world.endpoints.size).toBe(0);
	});

	it('is refused as an id with control characters, which is deleted again as it is', async () => {
		const world = createWorld();
		const id = 'we_\u001b[2J\n1';
		world.answer = { id };
		const deleted: string[] = [];
		const { client } = world.context;
		jest.spyOn(client, 'deleteWebhookEndpoint').mockImplementation(async (given) => {
			deleted.push(given);
			return true;
		});
		expect((await failureWith(world)).message).toMatch(/control characters in its ID/);
		expect(deleted).toEqual([id]);
	});

	it('is bounded in the names of fields and in errors', async () => {
		const world = createWorld();
		world.answer = { secret: undefined, ['\n'.repeat(10_000)]: 'x', ['k'.repeat(10_000)]: 'x' };
		world.fail.delete = new Error(`\u001b]0;title\u0007${'e'.repeat(10_000)}`);
		await failureWith(world);
	});
});
