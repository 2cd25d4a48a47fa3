/** A service whose lists have another envelope and cursors of their own: everything is read once, as with the IDs of records. */
import { listedStates, notePublication, requestReplay } from '../../../lib/accounts';
import { listedText } from '../../support/poisons';
import { clientOfTexts } from '../../support/textList';
import { eventAt, MINUTE, type Listed, pollWorld, START } from '../poll/pollWorld';
import { back, lost, stationWorld, time } from '../station/stationWorld';

const PAGE = 4;

function worldOf(isOldestFirst: boolean) {
	const events: Listed[] = [];
	const cursors: (string | null)[] = [];
	const world = pollWorld({ pageSize: PAGE });
	const client = clientOfTexts({
		listOf: () => {
			const texts = events.map((event) => listedText({ ...event }));
			return isOldestFirst ? texts : texts.toReversed();
		},
		now: () => world.now,
		onRequest: (after) => cursors.push(after),
		isOther: true,
	});
	/** Each poll may make a few requests. */
	const poll = async () => {
		const before = cursors.length;
		return await world.poll({ client, budgetMs: 4, clock: () => cursors.length - before });
	};
	return { world, events, cursors, client, poll };
}

describe.each([
	['newest', false],
	['oldest', true],
])('a list that begins with the %s event', (_which, isOldestFirst) => {
	it('is caught up with in polls of four pages, and followed from then on', async () => {
		const { world, events, cursors, poll } = worldOf(isOldestFirst);
		for (let minute = 1; minute <= 40; minute += 1) events.push(eventAt(minute));
		world.now = START + 41 * MINUTE;
		for (let n = 0; n < 12; n += 1) expect(await poll()).toBeUndefined();
		expect(world.started().toSorted()).toEqual(events.map(({ id }) => id).toSorted());
		for (let minute = 42; minute <= 60; minute += 1) {
			events.push(eventAt(minute));
			world.now = START + minute * MINUTE + 1;
			expect(await poll()).toBeUndefined();
			expect(world.started()).toContain(`e${minute}`);
		}
		expect(new Set(world.started()).size).toBe(events.length);
		expect(world.started()).toHaveLength(events.length);
		const isOwn = (cursor: string | null) => cursor?.startsWith('after e') ?? true;
		expect(cursors.every(isOwn)).toBe(true);
	});

	it('shows the states of its events, and replays them at their places', async () => {
		const { world, events, cursors, client, poll } = worldOf(isOldestFirst);
		for (let minute = 1; minute <= 40; minute += 1) events.push(eventAt(minute));
		world.now = START + 41 * MINUTE;
		const { ledger, workflowId, now } = world;
		await notePublication(ledger, workflowId, {
			...{ nodeId: 'node', publishedAt: 0, now },
			settings: {
				...{ kind: 'poll', access: 'thisWorkflow', accountWorkflowIds: [] },
				...{ eventTypes: [], conditions: {} },
			},
		});
		for (let n = 0; n < 12; n += 1) await poll();
		world.runs = [];
		const { found } = await listedStates(
			{ client, pageSize: PAGE, backTo: 0, now },
			{ ledger, workflowId, isWanted: () => true },
			({ event: { id }, place, index }, { state }) => ({ id, state, place, index }),
		);
		expect(found.map(({ state }) => state)).toEqual(events.map(() => 'done'));
		const chosen = found.filter(({ id }) => ['e3', 'e20', 'e38'].includes(id));
		await requestReplay(
			{ ledger, workflowId, retentionMs: 1e10, now },
			chosen.map(({ id, index, place: after }) => ({
				...{ id, index, nodeId: 'node' },
				...(after !== undefined && { after }),
			})),
		);
		cursors.length = 0;
		await world.poll({ client });
		expect(world.started().toSorted()).toEqual(['e20', 'e3', 'e38']);
		expect(cursors.length).toBeLessThan(14);
	});

	it('has incidents that are reported once', async () => {
		const world = stationWorld();
		const events = [
			...Array.from({ length: 250 }, (_, n) => back(time('08:00') + n * 10_000, 's2')),
			lost('09:00'),
			back('09:20'),
		];
		const client = clientOfTexts({
			listOf: (resource) => {
				if (resource === 'asset') return [listedText({ id: 's1', name: 'Station s1' })];
				const listed = events.filter(({ listedAt }) => listedAt <= world.now);
				const texts = listed
					.toSorted((a, b) => a.listedAt - b.listedAt)
					.map(({ id, record }) => listedText({ ...record, id }));
				return isOldestFirst ? texts : texts.toReversed();
			},
			now: () => world.now,
			isOther: true,
		});
		await world.pollFrom('08:50', '09:30', { client });
		expect(world.items()).toMatchObject([
			{ state: 'opened', station: { name: 'Station s1' } },
			{ state: 'resolved', station: { name: 'Station s1' } },
		]);
	});
});
