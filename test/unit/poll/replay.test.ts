/** Events that a user wants to run again: reopened in the ledger, and started by the polls of the workflow. */
import { notePublication, readPublication, requestReplay } from '../../../lib/accounts';
import { ApiError } from '../../../lib/service';
import { recordIn } from '../../support/records';
import {
	downFrom,
	eventAt,
	eventsAt,
	HOUR,
	MINUTE,
	type PollWorld,
	pollWorld,
	START,
} from './pollWorld';

const DAY = 24 * HOUR;
const MINUTES = downFrom(300, 1).filter((minute) => minute % 10 === 0);
const IDS = MINUTES.toReversed().map((minute) => `e${minute}`);

const published = async ({ ledger, workflowId, now }: PollWorld, nodeId = 'node') => {
	await notePublication(ledger, workflowId, {
		...{ nodeId, publishedAt: now, now },
		settings: {
			...{ kind: 'poll', access: 'thisWorkflow', accountWorkflowIds: [] },
			...{ eventTypes: [], conditions: {} },
		},
	});
};

/** Events of five hours, of which all have begun in polls. */
async function polledWorld(...options: Parameters<typeof pollWorld>): Promise<PollWorld> {
	const world = pollWorld(...options);
	await published(world);
	world.list = eventsAt(...MINUTES);
	world.now = START + 301 * MINUTE;
	await world.poll();
	await world.poll();
	expect(world.started()).toEqual(IDS);
	world.runs = [];
	world.items = [];
	return world;
}

/** As the action node requests it, with the places that the events have now. */
const request = async (
	{ ledger, workflowId, now, list }: PollWorld,
	ids: readonly string[],
	nodeId: string | undefined = 'node',
) => {
	const events = ids.map((id) => {
		const index = list.findIndex((listed) => listed.id === id);
		const [after, at] = [list[index - 1]?.id, list[index]?.createdAt];
		return {
			...{ id, index, nodeId },
			...(after !== undefined && { after }),
			...(at !== undefined && { createdAt: Date.parse(at) }),
		};
	});
	return await requestReplay({ ledger, workflowId, retentionMs: 35 * DAY, now }, events);
};
const waiting = async ({ ledger, workflowId }: PollWorld) =>
	(await readPublication(ledger, workflowId))?.replays ?? {};

it('starts them once more at the next poll, marked, and no others', async () => {
	const world = await polledWorld();
	const known = await request(world, ['e20', 'e100']);
	expect(known).toMatchObject([{ state: 'done' }, { state: 'done' }]);
	const requestedAt = new Date(world.now).toISOString();
	world.now += MINUTE;
	await world.poll();
	expect(world.started()).toEqual(['e20', 'e100']);
	for (const { record } of world.items) expect(record['_replay']).toEqual({ requestedAt });
	await world.poll();
	expect(world.started()).toEqual(['e20', 'e100']);
	expect(await waiting(world)).toEqual({});
});

it('starts nothing that was not wanted, or was listed before the publication', async () => {
	const world = pollWorld({ startFrom: 'now', isWanted: ({ id }) => id !== 'e150' });
	await published(world);
	world.list = eventsAt(...MINUTES);
	world.now = START + 201 * MINUTE;
	await world.poll();
	world.now = START + 301 * MINUTE;
	await request(world, ['e20']);
	await world.poll({ isWanted: () => true });
	await world.poll({ isWanted: () => true });
	expect(world.started()).toEqual(['e20']);
});

it('starts one of 29 days ago in a list of 200,000 at the cost of a page', async () => {
	const world = pollWorld({ pageSize: 100 });
	await published(world);
	const older = Array.from({ length: 200_000 }, (_unused, n) =>
		eventAt(300 - n * 0.215, `old${n}`),
	);
	world.list = older.slice(0, 10);
	world.now = START + 301 * MINUTE;
	await world.begin(world.list.map(({ id }) => id));
	await world.poll();
	await world.poll();
	world.list = older;
	const id = 'old194000';
	expect(Date.parse(older[194_000]?.createdAt ?? '')).toBeLessThan(world.now - 28.9 * DAY);
	await world.poll();
	const usual = world.requests.length;
	await request(world, [id]);
	world.list = [...eventsAt(303, 302), ...older];
	await world.poll();
	expect(world.started()).toContain(id);
	expect(world.requests.filter((after) => after === 'old193999')).toHaveLength(1);
	expect(world.requests.length - usual).toBeLessThan(20);
}, 30_000);

it('reads the page of neighbours once', async () => {
	const world = await polledWorld();
	await world.poll();
	const usual = world.requests.length;
	await request(world, ['e150', 'e140', 'e130', 'e50']);
	await world.poll();
	expect(world.started()).toEqual(['e50', 'e130', 'e140', 'e150']);
	expect(world.requests.length - usual).toBe(2);
});

it('starts each once, however often that is asked for before it has begun', async () => {
	const world = await polledWorld();
	for (let times = 0; times < 3; times++) await request(world, ['e20', 'e100']);
	world.fate = async () => 'stored';
	await world.poll();
	expect(world.started()).toEqual(['e20', 'e100']);
	await request(world, ['e20']);
	world.fate = async () => 'succeeded';
	await world.poll();
	await world.poll();
	// The second start of e20 is one that `begin` decides about: n8n had stored the first.
	expect(world.started()).toEqual(['e20', 'e100', 'e20']);
	expect(Object.values(await waiting(world)).flat()).toHaveLength(3);
});

it('continues in the next poll when a page fails or no request is left', async () => {
	const world = await polledWorld();
	await request(world, ['e20']);
	world.failures.set('e30', new Error('down'));
	await world.poll();
	expect(world.started()).toEqual([]);
	world.failures.clear();
	await world.poll();
	expect(world.started()).toEqual(['e20']);
});

it.each([
	['was listed late, before others of its page', eventAt(25, 'late')],
	['is no longer after the record that it was after', undefined],
])('finds an event that %s', async (_what, late) => {
	const world = await polledWorld();
	await request(world, ['e20']);
	if (late) {
		const more = Array.from({ length: 12 }, (_unused, n) => eventAt(25, `late${n}`));
		await world.begin(
			more.map(({ id }) => id),
			'late run',
		);
		world.list.splice(
			world.list.findIndex(({ id }) => id === 'e20'),
			0,
			...more,
		);
	} else {
		world.list = world.list.filter(({ id }) => id !== 'e30');
		world.failures.set('e30', new ApiError('unknown cursor', { hint: '', status: 400 }));
	}
	await world.poll();
	expect(world.started()).toEqual(['e20']);
	expect(world.warnings).toEqual([]);
});

it('warns of events that the service no longer lists, and does not look for them again', async () => {
	const world = await polledWorld();
	await request(world, ['e20', 'e30']);
	world.list = world.list.filter(({ id }) => id !== 'e20');
	await world.poll();
	expect(world.started()).toEqual(['e30']);
	expect(world.warnings).toEqual([
		expect.stringContaining('did not start again: 1 event, since the list has changed'),
	]);
	expect(await waiting(world)).toEqual({});
});

it('warns of events that the trigger no longer wants, and does not start them', async () => {
	const world = await polledWorld();
	await request(world, ['e20', 'e30']);
	await world.poll({ isWanted: ({ id }) => id !== 'e20' });
	expect(world.started()).toEqual(['e30']);
	expect(world.warnings).toEqual([expect.stringContaining('no longer wants')]);
	expect(await waiting(world)).toEqual({});
});

it('leaves out events that are being handed over or run, and those of another trigger', async () => {
	const world = await polledWorld();
	await published(world, 'other');
	world.ledger.put(world.entry('e20'), 'running', { attempts: 1 });
	expect(await request(world, ['e20'])).toMatchObject([{ state: 'running', attempts: 1 }]);
	await request(world, ['e30'], 'other');
	await world.poll();
	expect(world.started()).toEqual([]);
	await world.poll({ nodeId: 'other' });
	expect(world.started()).toContain('e30');
	expect(world.started()).not.toContain('e20');
});

it('starts those of a trigger that the workflow no longer has', async () => {
	const world = await polledWorld();
	await request(world, ['e30'], 'removed');
	await world.poll();
	expect(world.started()).toEqual(['e30']);
});

it('keeps thousands in records of bounded size, and starts them all', async () => {
	const world = pollWorld({ pageSize: 100, batchSize: 1000 });
	await published(world);
	world.list = Array.from({ length: 3_000 }, (_unused, n) => eventAt(300 - n / 100, `w${n}`));
	world.now = START + 301 * MINUTE;
	await world.begin(world.list.map(({ id }) => id));
	await world.ledger.end('another run', 'succeeded');
	const ids = world.list.map(({ id }) => id).reverse();
	await request(world, ids);
	const texts = [...world.ledger.records].filter(([key]) => key.startsWith('replay:'));
	expect(texts.length).toBeGreaterThanOrEqual(6);
	for (const [, text] of texts) expect(text.length).toBeLessThan(80_000);
	await world.poll();
	expect(new Set(world.started()).size).toBe(3_000);
	expect(world.started()).toHaveLength(3_000);
	await world.poll();
	expect([...world.ledger.records.keys()].filter((key) => key.startsWith('replay:'))).toEqual([]);
}, 60_000);

it('starts no event again whose entry the ledger has lost since', async () => {
	const world = await polledWorld();
	await request(world, ['e20', 'e30']);
	world.ledger.entries.delete(world.entry('e20'));
	await world.poll();
	expect(world.started()).toEqual(['e30']);
	expect(await waiting(world)).toEqual({});
});

it('takes a quarter of its time for requested events, and the next polls start the rest', async () => {
	const world = await polledWorld();
	const ids = ['e20', 'e80', 'e140', 'e200', 'e260'];
	for (const id of ids) await request(world, [id]);
	// Each request to the service takes a millisecond.
	const atMostOneMs = { budgetMs: 4, clock: () => world.requests.length };
	await world.poll(atMostOneMs);
	expect(world.started().length).toBeLessThanOrEqual(2);
	for (let n = 0; n < ids.length; n++) await world.poll(atMostOneMs);
	expect(world.started().toSorted()).toEqual(ids.toSorted());
});

it('asks no more of a list that fails, also for further requests', async () => {
	const world = await polledWorld();
	await request(world, ['e20']);
	await request(world, ['e100']);
	world.failures.set('e30', new Error('down'));
	await world.poll();
	expect(world.requests).toContain('e30');
	expect(world.requests).not.toContain('e110');
	world.failures.clear();
	await world.poll();
	expect(world.started()).toEqual(['e20', 'e100']);
});

it.each([
	['behind many that are minutes older', { createdAt: START + 20 * MINUTE }],
	['whose time the list did not have', {}],
])('looks from the head of the list for an event that has moved, %s', async (_what, known) => {
	const world = await polledWorld();
	const { ledger, workflowId, now } = world;
	await requestReplay({ ledger, workflowId, retentionMs: 35 * DAY, now }, [
		{ id: 'e20', after: 'gone', index: 28, nodeId: 'node', ...known },
	]);
	world.failures.set('gone', new ApiError('unknown cursor', { hint: '', status: 400 }));
	const own = world.list.filter(({ id }) => id === 'e20');
	const others = world.list.filter(({ id }) => !['e10', 'e20'].includes(id));
	const older = Array.from({ length: 20 }, (_unused, n) => eventAt(19 - n * 0.4, `older${n}`));
	await world.begin(
		older.map(({ id }) => id),
		'other run',
	);
	world.list = [...others, ...older, ...own];
	await world.poll();
	expect(world.started()).toEqual(['e20']);
});

it('keeps long IDs in records of bounded size, too', async () => {
	const world = pollWorld();
	await published(world);
	const idOf = (n: number) => `${n}`.padEnd(1_000, 'x');
	const ids = Array.from({ length: 200 }, (_unused, n) => idOf(n));
	await request(world, ids);
	const texts = [...world.ledger.records].filter(([key]) => key.startsWith('replay:'));
	expect(texts.flatMap(([, text]) => (recordIn(text) as { events: [] }).events)).toHaveLength(200);
	for (const [, text] of texts) expect(text.length).toBeLessThan(80_000);
});

it('rejects further requests while 500 wait for a trigger that does not poll', async () => {
	const world = await polledWorld();
	for (let n = 0; n < 500; n++) await request(world, ['e20']);
	await expect(request(world, ['e20'])).rejects.toThrow(
		'Too many events are waiting to start again',
	);
	expect(Object.values(await waiting(world)).flat()).toHaveLength(500);
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

	it('that is replayed and fails again waits for its pause', async () => {
		jest.useFakeTimers({ now: START, doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
		try {
			const world = await failing();
			await published(world);
			await request(world, ['e1']);
			await world.poll();
			expect(world.runs).toHaveLength(2);
			await world.poll();
			expect(world.runs).toHaveLength(2);
			// It is not even read.
			expect(world.requests).toStrictEqual([undefined]);
			jest.setSystemTime(START + 2 * MINUTE);
			world.now += 2 * MINUTE;
			await world.poll();
			expect(world.runs).toHaveLength(3);
		} finally {
			jest.useRealTimers();
		}
	});
});
