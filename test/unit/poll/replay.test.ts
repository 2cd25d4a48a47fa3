/** Events that a user wants to run again: reopened in the ledger, and started by the polls of the workflow. */
import { lastPolledAt, notePublication, publishedAt, replay } from '../../../lib/poll';
import { downFrom, eventsAt, HOUR, MINUTE, type PollWorld, pollWorld, START } from './pollWorld';

const MINUTES = downFrom(300, 1).filter((minute) => minute % 10 === 0);
const IDS = MINUTES.toReversed().map((minute) => `e${minute}`);

/** Events of five hours, of which all have begun in polls; the last poll read one page. */
async function polledWorld(...options: Parameters<typeof pollWorld>): Promise<PollWorld> {
	const world = pollWorld(...options);
	world.list = eventsAt(...MINUTES);
	world.now = START + 301 * MINUTE;
	await world.poll();
	await world.poll();
	expect(world.requests).toStrictEqual([undefined]);
	expect(world.started()).toEqual(IDS);
	world.runs = [];
	world.items = [];
	return world;
}

const request = async (
	{ ledger, workflowId, now, list }: Omit<PollWorld, 'workflowId'> & { workflowId: string },
	ids: readonly string[],
) =>
	await replay(
		{ ledger, workflowId, now },
		ids.map((id) => {
			const record = list.find((listed) => listed.id === id);
			return { id, ...(record && { record: { ...record } }) };
		}),
	);

it('leaves out events that are being handed over or run, and identifies an event only by its ID', async () => {
	const world = await polledWorld();
	world.ledger.put(world.entry('e20'), 'running', { attempts: 1 });
	const { before } = await request(world, ['e20', 'unlisted']);
	expect(before).toMatchObject([{ state: 'running', attempts: 1 }, { state: 'missing' }]);
	await world.poll();
	expect(world.started()).toEqual([]);
	expect(world.ledger.stateOf(world.entry('unlisted'))).toBe('overdue');
});

it('says that no poll trigger has been there', async () => {
	const world = pollWorld();
	expect(await lastPolledAt(world.ledger, world.workflowId)).toBeUndefined();
	expect((await request(world, ['e20'])).polledAt).toBeUndefined();
});

it('knows the time of the last poll to the hour', async () => {
	const world = await polledWorld();
	const first = world.now;
	for (const [minutes, known] of [
		[0, first],
		[59, first],
		[60, first + HOUR],
	] as const) {
		world.now = first + minutes * MINUTE;
		await world.poll();
		expect(await lastPolledAt(world.ledger, world.workflowId)).toBe(known);
	}
});

it('keeps the time of the first publication, by whichever trigger', async () => {
	const world = pollWorld({ startFrom: 'now' });
	const published = () => publishedAt(world.ledger, world.workflowId);
	expect(await published()).toBeUndefined();
	await notePublication(world.ledger, world.workflowId, START + HOUR);
	await notePublication(world.ledger, world.workflowId, START + 2 * HOUR);
	expect(await published()).toBe(START + HOUR);
	world.list = eventsAt(1);
	world.now = START + 2 * MINUTE;
	for (let times = 0; times < 2; times++) await world.poll();
	expect(await published()).toBeLessThan(START + HOUR);
});

describe('an event that must succeed', () => {
	const failing = async () => {
		const world = pollWorld({ acknowledge: 'succeeded' });
		world.list = eventsAt(1);
		world.now = START + 2 * MINUTE;
		world.fate = async () => 'failed';
		await world.poll();
		return world;
	};

	it('starts again after 1, 5 and 30 minutes, 2 and 6 hours, and then stays failed', async () => {
		jest.useFakeTimers({ now: START, doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
		try {
			const world = await failing();
			const waits = [];
			for (let minute = 1; minute <= 16 * 60; minute++) {
				jest.setSystemTime(START + minute * MINUTE);
				world.now = Date.now() + 2 * MINUTE;
				const before = world.runs.length;
				await world.poll();
				if (world.runs.length > before) waits.push(minute);
			}
			expect(waits).toEqual([1, 1 + 5, 6 + 30, 36 + 120, 156 + 360]);
			expect(await world.ledger.look(world.entry('e1'))).toMatchObject({
				state: 'failed',
				attempts: 6,
			});
			await request(world, ['e1']);
			world.fate = async () => 'succeeded';
			await world.poll();
			expect(world.runs).toHaveLength(7);
			expect(world.ledger.stateOf(world.entry('e1'))).toBe('done');
		} finally {
			jest.useRealTimers();
		}
	}, 30_000);

	it('is tried by itself after its batch has failed, and at once if n8n could not store it', async () => {
		jest.useFakeTimers({ now: START, doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
		try {
			const world = pollWorld({ acknowledge: 'succeeded', batchSize: 10 });
			world.list = eventsAt(3, 2, 1);
			world.now = START + 4 * MINUTE;
			world.fate = async () => 'failed';
			await world.poll();
			expect(world.runs).toEqual([['e1', 'e2', 'e3']]);
			world.fate = async () => 'succeeded';
			await world.poll();
			expect(world.runs).toHaveLength(1);
			jest.setSystemTime(START + MINUTE);
			await world.poll();
			expect(world.runs.slice(1)).toEqual([['e1'], ['e2'], ['e3']]);

			world.list = eventsAt(6, 5);
			world.now = START + 7 * MINUTE;
			world.fate = async (ids) => (ids.length > 1 ? 'unstored' : 'succeeded');
			await world.poll();
			expect(world.runs.slice(4)).toEqual([['e5'], ['e6']]);
		} finally {
			jest.useRealTimers();
		}
	});
});
