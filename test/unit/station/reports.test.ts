/** Which items of incidents are due, and in which order: an end never overtakes its beginning. */
import type { Account } from '../../../lib/ledger';
import type { ReportEntry } from '../../../lib/station/common/state';
import { dueEntries } from '../../../lib/station/reports';

const entry = (incident: string, state: string, t = 1): ReportEntry => ({
	...{ id: `${incident}.${state}`, t, assetId: 's1', item: { incident, state } },
});
const session = (id: string, t = 1): ReportEntry => ({ id, t, assetId: 's1', item: {} });
const PAIR = [entry('a', 'resolved', 2), entry('a', 'opened', 1)];

/** What the ledger knows, by the ID of the item. */
type Known = Readonly<Record<string, Account>>;
const due = (entries: readonly ReportEntry[], known: Known = {}, batchSize = 10) =>
	dueEntries(entries, new Map(Object.entries(known)), batchSize).map(({ id }) => id);
const failed = (attempts: number, dueInMs = 0): Account => ({ state: 'failed', attempts, dueInMs });

it('the oldest come first; of the same time what opened, then by ID', () => {
	const entries = [
		...[entry('c', 'resolved'), entry('b', 'opened'), entry('a', 'opened'), session('s')],
		...[entry('b', 'resolved'), session('old', 0), entry('z', 'resolved', 0)],
	];
	const sorted = ['old', 'z.resolved', 'a.opened', 'b.opened', 's', 'b.resolved', 'c.resolved'];
	expect(due(entries)).toEqual(sorted);
	expect(due(entries.toReversed())).toEqual(sorted);
});

it('what resolved shares an execution with what opened, if all that is due is one batch', () => {
	expect(due(PAIR, {}, 2)).toEqual(['a.opened', 'a.resolved']);
	expect(due(PAIR, {}, 1)).toEqual(['a.opened']);
	expect(due([...PAIR, session('s')], {}, 2)).toEqual(['a.opened', 's']);
	// Another incident has begun.
	expect(due([entry('b', 'resolved', 3), ...PAIR], {}, 1)).toEqual(['a.opened', 'b.resolved']);
});

it('what resolved waits for what opened, unless both have failed once and are due', () => {
	const started: Account = { state: 'pending', attempts: 0 };
	expect(due(PAIR, { 'a.opened': started })).toEqual([]);
	expect(due(PAIR, { 'a.opened': failed(1, 60_000) })).toEqual([]);
	expect(due(PAIR, { 'a.opened': failed(1) })).toEqual(['a.opened']);
	const both = (attempts: number) => ({
		...{ 'a.opened': failed(attempts), 'a.resolved': failed(attempts) },
	});
	expect(due(PAIR, both(1))).toEqual(['a.opened', 'a.resolved']);
	expect(due(PAIR, both(2))).toEqual(['a.opened']);
	expect(due(PAIR, { 'a.resolved': failed(1, 60_000) })).toEqual(['a.opened']);
});
