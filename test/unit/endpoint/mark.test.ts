import { watchMark, ensureRegistered, stepRegistration } from '../../../lib/endpoint';
import { holdMark } from '../../../lib/endpoint/mark';
import { createWorld, killPublication, registrationOf, WANTED } from './world';

const NEVER = { rotateAfterMs: 0, graceMs: 0 };

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

const setUp = () => {
	const world = createWorld();
	const { records } = world.context;
	const swapRecord = jest.spyOn(records, 'swapRecord');
	const wait = async (ms: number) => {
		await jest.advanceTimersByTimeAsync(ms);
	};
	return { world, swapRecord, context: { ...world.context, wait } };
};

describe('the mark of a process that is making an endpoint', () => {
	it('is held while it is renewed, however slow the service, and no process takes over', async () => {
		const { world, context } = setUp();
		const mark = await holdMark(context, undefined, WANTED);
		const loaded = await watchMark(context);
		expect(loaded.isHeld).toBe(true);
		expect(await stepRegistration(context, NEVER, loaded, WANTED)).toBe(world.now + 10_000);
		await expect(ensureRegistered(context, WANTED)).rejects.toMatchObject({
			message: expect.stringContaining('Another n8n process') as string,
			hint: expect.stringContaining('publish the workflow again') as string,
		});
		expect(world.mostAtOnce).toBe(0);
		expect(await mark?.stopRenewing()).toBe(world.records.get(context.key));
	});

	it('is seen as a dead one when it stays the same for 10 s', async () => {
		const { world, context } = setUp();
		await killPublication(world, 'before');
		const { isHeld, registration } = await watchMark(context);
		expect(isHeld).toBe(false);
		expect(registration).toHaveProperty('making');
	});

	it('is waited for until the secret is kept', async () => {
		const { world, context } = setUp();
		const mark = await holdMark(context, undefined, WANTED);
		setTimeout(() => {
			void mark?.stopRenewing().then(() => {
				world.records.set(context.key, JSON.stringify({ version: 1, ...WANTED }));
			});
		}, 3000);
		expect(await watchMark(context)).toMatchObject({ isHeld: false, registration: WANTED });
	});

	it('is not renewed once it is released or another has taken over, and survives a renewal that fails', async () => {
		const { world, context, swapRecord } = setUp();
		const mark = await holdMark(context, undefined, WANTED);
		swapRecord.mockRejectedValueOnce(new Error('disk full'));
		await jest.advanceTimersByTimeAsync(4000);
		expect(swapRecord).toHaveBeenCalledTimes(3);
		const before = await registrationOf(world);
		await mark?.stopRenewing();
		await jest.advanceTimersByTimeAsync(10_000);
		expect(await registrationOf(world)).toEqual(before);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('is returned as it is kept, although a renewal was on its way', async () => {
		const { world, context, swapRecord } = setUp();
		const mark = await holdMark(context, undefined, WANTED);
		const { records } = context;
		const renewal = Promise.withResolvers<undefined>();
		swapRecord.mockImplementationOnce(async (...change) => {
			await renewal.promise;
			return await records.swapRecord(...change);
		});
		await jest.advanceTimersByTimeAsync(2000);
		const stopping = mark?.stopRenewing();
		renewal.resolve(undefined);
		const text = await stopping;
		await jest.advanceTimersByTimeAsync(0);
		expect(text).toBe(world.records.get(context.key));
	});
});
