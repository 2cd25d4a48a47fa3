/** How far back a poll reads, and its state afterwards. */
import { LOOK_BACK_EVERY_MS, LOOK_BACK_MS, OVERLAP_MS } from '../../../lib/poll/bounds';
import { type End, Listing } from '../../../lib/poll/listing';
import { nextState, oldestUnsettled, readStretches } from '../../../lib/poll/progress';
import type { PollState } from '../../../lib/poll/state';
import { fakeList, listed, parsed } from './fakeList';
import { HOUR, MINUTE, START } from './pollWorld';

const NOW = START + 100 * HOUR;
const STATE: PollState = {
	...{ startFrom: 'now', publishedAt: START, polls: 7 },
	...{ frontier: NOW - MINUTE, lookedBackAt: NOW - MINUTE },
};
const WALK = {
	...{ cursor: 'stopped', isOldestFirst: false },
	...{ backTo: START, readFrom: NOW - 2 * HOUR },
};

/** A listing that has read records of these times. */
async function listingOf(...times: number[]) {
	const { client } = fakeList(times.map((at) => listed(`e${at}`, at)));
	const listing = new Listing({
		...{ client, pageSize: 10, now: NOW },
		...{ isWanted: () => true, look: async () => 'done', mayRequest: () => true },
	});
	await listing.read({ after: undefined, backTo: 0 });
	return listing;
}

describe('a poll reads', () => {
	async function stretches(state: Partial<PollState>, ...ends: End[]) {
		const listing = await listingOf();
		const read = jest.spyOn(listing, 'read').mockResolvedValue('whole');
		for (const end of ends) read.mockResolvedValueOnce(end);
		const reading = await readStretches(listing, { ...STATE, ...state }, NOW);
		return { reading, stretches: read.mock.calls.map(([stretch]) => stretch) };
	}

	it('ten minutes behind the frontier, from the head or from the anchor', async () => {
		const backTo = STATE.frontier - OVERLAP_MS;
		expect(await stretches({})).toEqual({
			reading: { end: 'whole', backTo, lookedBackAt: STATE.lookedBackAt },
			stretches: [{ after: undefined, backTo }],
		});
		expect((await stretches({ anchor: 'old' })).stretches).toEqual([{ after: 'old', backTo }]);
	});

	it.each([
		['an hour after the last look back', NOW - LOOK_BACK_EVERY_MS],
		['when the clock was set back by more than that', NOW + 2 * LOOK_BACK_EVERY_MS],
	])('a day back %s', async (_when, lookedBackAt) => {
		const backTo = NOW - LOOK_BACK_MS;
		expect(await stretches({ lookedBackAt })).toEqual({
			reading: { end: 'whole', backTo, lookedBackAt: NOW },
			stretches: [{ after: undefined, backTo }],
		});
	});

	it('to a frontier that is more than a day back', async () => {
		const { reading } = await stretches({ frontier: START, lookedBackAt: 0 });
		expect(reading.backTo).toBe(START - OVERLAP_MS);
	});

	const news = { after: undefined, backTo: WALK.readFrom - OVERLAP_MS };
	const rest = { after: 'stopped', backTo: START };

	it('new events, and then the rest of its walk', async () => {
		expect(await stretches({ walk: WALK }, 'whole', 'bounded')).toEqual({
			reading: { end: 'bounded', backTo: START, lookedBackAt: STATE.lookedBackAt },
			stretches: [news, rest],
		});
	});

	it.each(['bounded', 'failed'] as const)(
		'no rest of its walk when the news are %s',
		async (end) => {
			const { reading, stretches: read } = await stretches({ walk: WALK }, end);
			expect([reading.end, read]).toEqual([end, [news]]);
		},
	);

	it('on from where it stopped in a list that begins with the oldest', async () => {
		const walk = { ...WALK, isOldestFirst: true };
		expect((await stretches({ walk })).stretches).toEqual([rest]);
	});
});

describe('a poll remembers', () => {
	const outcome = {
		end: 'whole',
		backTo: START,
		lookedBackAt: NOW,
		open: [],
		polledAt: NOW,
	} as const;

	it('the newest event as its frontier, and no anchor while the newest come first', async () => {
		const listing = await listingOf(NOW - 10, NOW - 20);
		expect(nextState(listing, STATE, outcome)).toStrictEqual({
			...STATE,
			...{ frontier: NOW - 10, lookedBackAt: NOW },
		});
	});

	it('the oldest event that has not begun, given back or on its way', async () => {
		const listing = await listingOf(NOW - 10, NOW - 20);
		const open = [parsed('a', NOW - 40), parsed('b', NOW - 50), parsed('c')];
		expect(nextState(listing, STATE, { ...outcome, open })?.frontier).toBe(NOW - 50);
		listing.waitingAt = NOW - 60;
		expect(nextState(listing, STATE, { ...outcome, open })?.frontier).toBe(NOW - 60);
		expect(oldestUnsettled(await listingOf(), [])).toBe(Infinity);
	});

	it('nothing new when the list failed, or nothing of it was read', async () => {
		const listing = await listingOf(NOW - 10);
		expect(nextState(listing, STATE, { ...outcome, end: 'failed' })).toBeUndefined();
		expect(nextState(await listingOf(), STATE, { ...outcome, end: 'bounded' })).toBeUndefined();
	});

	it('no place to continue from if the service refused it', async () => {
		const listing = await listingOf();
		listing.isCursorRefused = true;
		const state = { ...STATE, walk: WALK, anchor: 'old' };
		expect(nextState(listing, state, { ...outcome, end: 'failed' })).toStrictEqual(STATE);
	});

	it('no anchor when the list has been turned around', async () => {
		const listing = await listingOf(NOW - 10, NOW - 20);
		expect(nextState(listing, { ...STATE, anchor: 'old' }, outcome)).toStrictEqual(STATE);
	});

	it('where a walk stopped, how far it has read, and what holds it back', async () => {
		const listing = await listingOf(NOW - 10, NOW - 20);
		const bounded = { ...outcome, end: 'bounded' } as const;
		const walk = {
			...{ cursor: `e${NOW - 20}`, backTo: START },
			...{ readFrom: NOW - 10, isOldestFirst: false },
		};
		const state = { ...STATE, lookedBackAt: NOW };
		expect(nextState(listing, STATE, bounded)).toStrictEqual({ ...state, walk });
		listing.waitingAt = NOW - 20;
		const held = { ...STATE, walk: { ...WALK, unsettledAt: NOW - 30 } };
		expect(nextState(listing, held, bounded)).toStrictEqual({
			...state,
			walk: { ...walk, unsettledAt: NOW - 30 },
		});
		expect(nextState(listing, held, outcome)?.frontier).toBe(NOW - 30);
	});

	describe('of a list that begins with the oldest', () => {
		const bound = NOW - LOOK_BACK_MS - OVERLAP_MS;
		const times = [START, START + HOUR, bound - 1, bound, NOW - MINUTE];

		it('the last event that is older than a look-back', async () => {
			const next = nextState(await listingOf(...times), STATE, outcome);
			expect(next?.anchor).toBe(`e${bound - 1}`);
		});

		it('the last event that is older than what holds the frontier', async () => {
			const open = [parsed('held', START + HOUR + OVERLAP_MS)];
			const next = nextState(await listingOf(...times), STATE, { ...outcome, open });
			expect(next?.anchor).toBe(`e${START}`);
		});

		it('the anchor of before when nothing older was read', async () => {
			const state = { ...STATE, anchor: 'old' };
			expect(nextState(await listingOf(bound, NOW), state, outcome)?.anchor).toBe('old');
		});
	});
});
