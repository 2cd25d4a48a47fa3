/** One odd record stops nothing: whatever it is and wherever in its page, everything else starts, and every question is answered. */
import { listedStates, notePublication, requestReplay } from '../../../lib/accounts';
import { recordsOf } from '../../../lib/service';
import { newestEvent, readPollSettings } from '../../../n8n/polling/poll';
import { isThorough } from '../../support/cases';
import { listedText, poisoned, POISONS } from '../../support/poisons';
import { clientOfTexts } from '../../support/textList';
import { eventAt, MINUTE, pollWorld, START } from '../poll/pollWorld';
import { incidents, status } from '../station/past/pastWorld';
import { back, lost, stationWorld, time } from '../station/stationWorld';

const PAGE = 4;
/** Of twelve records: the first of all, a middle one of a page, the last of a page, and the last of all. */
const PLACES = [0, 5, 7, 11];
/** Takes a while to read. */
const LARGE = /million|MB of text/;
const ODD = { id: 'odd', eventType: 'wanted', createdAt: new Date(START).toISOString() };

const poison = (kind: string) => {
	const found = POISONS[kind];
	if (found === undefined) throw new Error(kind);
	return found;
};

/** Eleven events of the last minutes, newest first, with the odd one at a place among them. */
const ids = Array.from({ length: 11 }, (_, n) => `e${11 - n}`);
function listWith(kind: string, at: number) {
	const texts = ids.map((_id, n) => listedText({ ...eventAt(11 - n) }));
	return texts.toSpliced(at, 0, poisoned(poison(kind), ODD));
}
const usable = (kind: string, at: number) =>
	poison(kind).problem === undefined ? ids.toSpliced(at, 0, 'odd') : ids;

function listing(kind: string, at: number) {
	const list = listWith(kind, at);
	const cursors: (string | null)[] = [];
	const warnings: unknown[] = [];
	const client = clientOfTexts({
		...{ listOf: () => list, now: () => START + 12 * MINUTE },
		warn: (...warning) => warnings.push(warning),
		onRequest: (after) => cursors.push(after),
	});
	return { client, cursors, warnings };
}

describe.each(Object.keys(POISONS))('a list with %s', (kind) => {
	const { problem, hasId } = poison(kind);
	const isLarge = LARGE.test(kind);
	const places = isLarge && !isThorough ? [7] : PLACES;
	const name = hasId ? 'odd' : 'one';
	const named = `left out 1 of the listed events (${name}, since ${problem}): ask the provider of the service`;
	const expected = problem === undefined ? [] : [[named, 'record_invalid', 1]];

	it.each(places)('at place %i is listed to its end, and the record is named once', async (at) => {
		const { client, cursors, warnings } = listing(kind, at);
		const list = async () =>
			await Array.fromAsync(recordsOf(client.list('event', { pageSize: PAGE })));
		expect((await list()).map(({ id }) => id)).toEqual(usable(kind, at));
		const all = ids.toSpliced(at, 0, 'odd');
		if (hasId) expect(cursors).toEqual([null, all[3], all[7]]);
		else expect(cursors.length).toBeLessThanOrEqual(4);
		expect(warnings).toEqual(expected);
		await list();
		expect(warnings).toEqual(expected);
	});

	it.each(places)('at place %i starts every other event, oldest first', async (at) => {
		const { client } = listing(kind, at);
		const world = pollWorld({ client, pageSize: PAGE });
		world.now = START + 12 * MINUTE;
		expect(await world.poll()).toBeUndefined();
		const others = world.started().filter((id) => id !== 'odd');
		expect(others.toSorted()).toEqual(ids.toSorted());
		expect(await world.poll()).toBeUndefined();
		expect(new Set(world.started()).size).toBe(usable(kind, at).length);
	});

	it.each(isLarge ? [7] : PLACES)('at place %i shows and replays every other event', async (at) => {
		const { client, cursors } = listing(kind, at);
		const world = pollWorld({ client, pageSize: PAGE });
		world.now = START + 12 * MINUTE;
		const { ledger, workflowId, now } = world;
		await notePublication(ledger, workflowId, {
			...{ nodeId: 'node', publishedAt: 0, now },
			settings: {
				...{ kind: 'poll', access: 'thisWorkflow', accountWorkflowIds: [] },
				...{ eventTypes: [], conditions: {} },
			},
		});
		await world.poll();
		world.runs = [];
		const { found } = await listedStates(
			{ client, pageSize: PAGE, backTo: 0, now },
			{ ledger, workflowId, isWanted: () => true },
			({ event: { id }, place, index }, { state }) => ({ id, state, place, index }),
		);
		expect(found.map(({ id }) => id)).toEqual(usable(kind, at));
		expect(new Set(found.map(({ state }) => state))).toEqual(new Set(['done']));
		const chosen = found.filter(({ id }) => ['e11', 'e4', 'e1'].includes(id));
		await requestReplay(
			{ ledger, workflowId, retentionMs: 1e10, now },
			chosen.map(({ id, index, place: after }) => ({
				...{ id, index, nodeId: 'node' },
				...(after !== undefined && { after }),
			})),
		);
		cursors.length = 0;
		await world.poll();
		expect(world.started()).toEqual(expect.arrayContaining(['e1', 'e4', 'e11']));
		expect(world.warnings.join()).not.toContain('did not start again');
	});

	it('gives a test event', async () => {
		const { client } = listing(kind, 0);
		const settings = readPollSettings((name, fallback) => (name === 'limit' ? PAGE : fallback));
		const newest = await newestEvent({ name: 'n' } as never, client, settings);
		expect(newest?.json['id']).toBe('e11');
	});
});

describe.each(Object.keys(POISONS))('stations whose list has %s', (kind) => {
	const events = [
		...Array.from({ length: 150 }, (_, n) => back(time('08:00') + n * 10_000, 's2')),
		lost('09:00', 's1'),
		back('09:20', 's1'),
		...Array.from({ length: 150 }, (_, n) => back(time('09:30') + n * 10_000, 's2')),
	].toReversed();
	const odd = poisoned(poison(kind), {
		...{ id: 'odd', eventType: 'asset.connectivity', createdAt: '2026-11-23T09:10:00.000Z' },
		payload: { asset: { id: 's3' }, status: 'DISCONNECTED' },
	});
	const asset = poisoned(poison(kind), { id: 's3', name: 'Station s3' });

	const clientAt = (place: number, now: () => number) => {
		const texts = events.map(({ id, listedAt, record }) => ({
			...{ ...listedText({ ...record, id }), listedAt },
		}));
		const assets = ['s1', 's2'].map((id) => listedText({ id, name: `Station ${id}` }));
		return clientOfTexts({
			now,
			listOf: (resource) => {
				if (resource === 'asset') return assets.toSpliced(1, 0, asset);
				return texts
					.toSpliced(place, 0, { ...odd, listedAt: 0 })
					.filter((each) => each.listedAt <= now());
			},
		});
	};

	it.each(LARGE.test(kind) || !isThorough ? [199] : [0, 150, 199, 302])(
		'at place %i report every incident, by name',
		async (place) => {
			const world = stationWorld();
			world.now = time('08:55');
			const client = clientAt(place, () => world.now);
			for (const at of ['08:55', '08:58', '09:07', '09:25', '10:00']) {
				world.now = time(at);
				expect(await world.poll({ client })).toBeUndefined();
			}
			const told = world.items().filter(({ station }) => (station as { id: string }).id === 's1');
			expect(told).toMatchObject([
				{ state: 'opened', station: { name: 'Station s1' } },
				{ state: 'resolved', station: { name: 'Station s1' } },
			]);
		},
	);

	it.each(LARGE.test(kind) || !isThorough ? [99] : [0, 99, 150, 302])(
		'at place %i answer every question',
		async (place) => {
			const now = time('10:30');
			const options = { now, client: clientAt(place, () => now) };
			const found = await incidents(events, {}, options);
			expect(found.filter(({ station }) => (station as { id: string }).id === 's1')).toMatchObject([
				{ state: 'resolved', minutes: 20, station: { name: 'Station s1' } },
			]);
			const states = await status(events, options);
			expect(states.map(({ station }) => (station as { id: string }).id)).toEqual(
				expect.arrayContaining(['s1', 's2']),
			);
		},
	);
});
