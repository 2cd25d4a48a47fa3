/** What publishing reads from the list and keeps of it. */
import { type Polled, positionAt } from '../../../lib/follow';
import { ledgerKey } from '../../../lib/ledger';
import { firstState } from '../../../lib/poll/publication';
import { MemoryLedger } from '../ledger/memoryLedger';
import { fakeList, listed } from './fakeList';
import { downFrom } from './pollWorld';

interface Choices {
	readonly startFrom?: 'now' | 'retained';
	readonly pageSize?: number;
	readonly now?: number;
	readonly forgotten?: Polled;
}

async function published(records: readonly Record<string, unknown>[], choices: Choices = {}) {
	const ledger = new MemoryLedger();
	const list = fakeList(records);
	const warnings: string[] = [];
	const { pageSize = 21, now = 1_000, startFrom = 'now', forgotten } = choices;
	const state = await firstState(
		{ ledger, workflowId: 'w', nodeId: 'node' },
		{ client: list.client, pageSize, now, mayRequest: () => true },
		{ startFrom, wanted: '', forgotten, warn: (message) => warnings.push(message) },
	);
	const scope = JSON.stringify(['w', 'node', 'listed before publication']);
	const isRemembered = ({ id }: Record<string, unknown>) =>
		ledger.entries.has(ledgerKey(scope, String(id)));
	const remembered = records.filter(isRemembered).map(({ id }) => id);
	expect(ledger.entries.size).toBe(new Set(remembered).size);
	return { state, list, warnings, remembered };
}
const atTimes = (times: readonly number[]) => times.map((at) => listed(`e${at}`, at));

it('uses the newest listed time, and remembers events with that time or none', async () => {
	const records = [
		...atTimes([9, 8]),
		listed('same', 9),
		listed('untimed'),
		{ eventType: 'no id' },
	];
	const { state, remembered, list, warnings } = await published(records);
	expect(state).toEqual({
		startFrom: 'now',
		publishedAt: 9,
		frontier: 9,
		polls: 0,
		position: { ...positionAt(1_000, 1_000), newestAt: 9, isBehind: false },
		...{ wanted: '', wantedSince: 0, open: [] },
	});
	expect(remembered).toEqual(['e9', 'same', 'untimed']);
	expect(list.asked.map(([resource]) => resource)).toEqual(['event']);
	expect(warnings).toEqual([]);
});

it('lists nothing for all that is retained', async () => {
	const { state, list } = await published(atTimes([9]), { startFrom: 'retained' });
	expect(state).toMatchObject({ startFrom: 'retained', publishedAt: 0, frontier: 0 });
	expect(list.asked).toEqual([]);
});

it('starts missed events after the ledger has lost its data, and logs it', async () => {
	const records = [...atTimes([90, 51, 50, 49]), listed('untimed')];
	const forgotten = { as: 'now', publishedAt: 0, at: 50, polls: 7 };
	const { state, remembered, warnings } = await published(records, { forgotten });
	expect(state).toMatchObject({ publishedAt: 51, frontier: 50, polls: 7 });
	expect(remembered).toEqual(['untimed']);
	expect(warnings).toEqual([expect.stringContaining('1970-01-01T00:00:00.050Z')]);
});

describe('reads', () => {
	const SECOND = 1_000;
	const seconds = (...all: number[]) => all.map((each) => each * SECOND);

	it.each([
		['a list of the newest first until its order is sure', downFrom(200, 1), 1_000, 105],
		['further for events dated ahead, which it is to know', downFrom(200, 1), 90, 126],
		[
			'further for all that have the newest time',
			[...Array<number>(110).fill(200), ...downFrom(199, 1)],
			1_000,
			210,
		],
		['a list of the oldest first to its end', downFrom(100, 1).toReversed(), 1_000, 100],
		[
			'that also to its end when it begins with a new event',
			[100, ...downFrom(99, 1).toReversed()],
			1_000,
			100,
		],
		['a list of a minute to its end: its order is unknown', downFrom(60, 1), 1_000, 60],
	])('%s', async (_what, times, now, taken) => {
		const { list } = await published(atTimes(seconds(...times)), { now: now * SECOND });
		expect(list.taken).toBe(taken);
	});

	it('all of a list without times', async () => {
		const { list, remembered } = await published(downFrom(100, 1).map((n) => listed(`u${n}`)));
		expect([list.taken, remembered.length]).toEqual([100, 100]);
	});
});
