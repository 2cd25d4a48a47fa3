/** Data that survives a lost ledger, and how long the ledger keeps the records of a poll. */
import { positionAt } from '../../../lib/follow';
import { RETENTION_MS } from '../../../lib/start';
import { recordIn, recordText } from '../../support/records';
import { downFrom, eventsAt, MINUTE, type PollWorld, pollWorld, START } from './pollWorld';

const at = (minute: number) => START + minute * MINUTE;
const DAY = 24 * 60 * MINUTE;

function world(...options: Parameters<typeof pollWorld>) {
	const made = pollWorld(...options);
	made.list = eventsAt(...downFrom(5, 1));
	made.now = at(6);
	return made;
}

/** Up to when the memory has polled, at each hand-over. n8n cannot store `unstored`. */
function seenBy(polled: PollWorld, unstored?: string) {
	const seen: unknown[] = [];
	polled.fate = async ([id]) => {
		seen.push(polled.kept?.at);
		return id === unstored ? 'unstored' : 'succeeded';
	};
	return seen;
}

it('names each event as polled as it is handed over: n8n saves the two together', async () => {
	const polled = world();
	const seen = seenBy(polled);
	await polled.poll();
	expect(seen).toEqual([1, 2, 3, 4, 5].map(at));
	expect(polled.kept).toEqual({ as: 'retained', publishedAt: 0, at: at(5), polls: 1 });
});

it('names nothing behind an event that n8n could not store, and starts that one after the loss', async () => {
	const polled = world();
	const seen = seenBy(polled, 'e3');
	await polled.poll();
	expect(seen).toEqual([at(1), at(2), at(3), at(3), at(3)]);
	expect(polled.kept?.at).toBe(at(3) - 1);
	polled.ledger.entries.clear();
	polled.ledger.records.clear();
	polled.fate = async () => 'succeeded';
	await polled.poll();
	expect(polled.started()).toContain('e3');
	expect(polled.started().filter((id) => id === 'e2')).toHaveLength(1);
});

it('names nothing behind an event that a webhook is bringing', async () => {
	const polled = world();
	polled.ledger.put(polled.entry('e3'), 'pending');
	const seen = seenBy(polled);
	await polled.poll();
	expect(Math.max(...seen.map(Number))).toBeLessThan(at(1));
	expect(polled.kept?.at).toBe(at(3) - 1);
});

it('names no event that is dated ahead', async () => {
	const polled = world();
	polled.now = at(3);
	await polled.poll();
	expect(polled.kept?.at).toBe(at(3));
});

it('lets the ledger keep events, including those listed when publishing, for 35 days', async () => {
	expect(RETENTION_MS).toBe(35 * DAY);
	const polled = world({ startFrom: 'now' });
	const begin = jest.spyOn(polled.ledger, 'begin');
	const commit = jest.spyOn(polled.ledger, 'commit');
	await polled.poll();
	polled.list = eventsAt(...downFrom(6, 1));
	polled.fate = async () => 'stored';
	await polled.poll();
	expect(begin.mock.calls.map(([keys, { retentionMs }]) => [keys.length, retentionMs])).toEqual([
		[1, 35 * DAY],
	]);
	expect(commit.mock.calls.map(([claims, retention]) => [claims.length, retention])).toEqual([
		[1, 35 * DAY],
	]);
});

it('begins with publishing, and is not behind the record in the ledger', async () => {
	const polled = world({ startFrom: 'now' });
	await polled.poll();
	expect(polled.kept).toEqual({ as: 'now', publishedAt: at(5), at: at(5), polls: 0 });
	for (const [frontier, publishedAt, until] of [
		[at(9), at(7), at(9) - 1],
		[at(11), at(11), at(11)],
	] as const) {
		const record = {
			...{ as: 'now', publishedAt, frontier },
			...{ polls: 0, wanted: '', wantedSince: 0, open: [] },
			position: positionAt(frontier),
		};
		polled.ledger.records.set(`poll:${polled.workflowId}:node`, recordText(record));
		polled.failures.set(undefined, new Error('page 1'));
		await polled.poll();
		expect(polled.kept?.at).toBe(until);
	}
});

describe('a ledger that is older than the memory', () => {
	/** What the ledger holds. */
	const copyOf = ({ ledger }: PollWorld) => ({
		entries: new Map(ledger.entries),
		records: new Map(ledger.records),
	});
	const restore = ({ ledger }: PollWorld, backup: ReturnType<typeof copyOf>) => {
		ledger.entries.clear();
		ledger.records.clear();
		for (const [key, entry] of backup.entries) ledger.entries.set(key, entry);
		for (const [key, record] of backup.records) ledger.records.set(key, record);
	};

	it.each(['now', 'retained'] as const)(
		'starts by itself nothing that was polled since, warns once, and starts what is new (%s)',
		async (startFrom) => {
			const polled = world({ startFrom });
			await polled.poll();
			polled.list = eventsAt(...downFrom(6, 1));
			await polled.poll();
			const backup = copyOf(polled);
			polled.list = eventsAt(...downFrom(9, 1));
			polled.now = at(10);
			await polled.poll();
			const before = polled.started();
			restore(polled, backup);
			polled.list = eventsAt(...downFrom(12, 1));
			polled.now = at(13);
			for (let polls = 0; polls < 3; polls++) await polled.poll();
			expect(polled.started()).toEqual([...before, 'e10', 'e11', 'e12']);
			expect(polled.warnings).toEqual([
				expect.stringMatching(/was replaced or lost its data.*up to 2026-01-10T00:09:00.000Z/),
			]);
		},
	);

	it('starts an event all the same that has to be repeated, and one that a user replays', async () => {
		const polled = world();
		await polled.poll();
		const backup = copyOf(polled);
		polled.list = eventsAt(...downFrom(6, 1));
		await polled.poll();
		restore(polled, backup);
		polled.runs = [];
		polled.ledger.put(polled.entry('e2'), 'failed', { repeats: true, at: 1 });
		polled.ledger.put(polled.entry('e3'), 'overdue');
		await polled.poll();
		await polled.poll();
		expect(polled.started().sort()).toEqual(['e2', 'e3']);
	});

	it('is not one that another main has changed in the meantime', async () => {
		const polled = world();
		await polled.poll();
		polled.list = eventsAt(...downFrom(6, 1));
		polled.now = at(7);
		const { swapRecord } = polled.ledger;
		polled.ledger.swapRecord = async (key, expected, next) => {
			polled.ledger.swapRecord = swapRecord;
			// The other poll finds no event to start, and looks back.
			const text = polled.ledger.records.get(key) ?? '';
			const other = { ...(recordIn(text) as object), position: positionAt(at(6)) };
			polled.ledger.records.set(key, recordText(other));
			return await swapRecord(key, expected, next);
		};
		for (let polls = 0; polls < 3; polls++) await polled.poll();
		expect(polled.started()).toContain('e6');
		expect(polled.warnings).toEqual([]);
	});
});

it('names nothing as polled before a walk has come to its end', async () => {
	const polled = world();
	polled.list = eventsAt(...downFrom(30, 1));
	polled.now = at(31);
	const seen = seenBy(polled);
	await polled.poll({ budgetMs: 0 });
	await polled.poll();
	expect(polled.started()).toHaveLength(30);
	expect(new Set(seen)).toEqual(new Set([0]));
	expect(polled.kept?.at).toBe(at(30));
});
