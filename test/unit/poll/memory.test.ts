/** Data that survives a lost ledger, and how long the ledger keeps the records of a poll. */
import { randomUUID } from 'node:crypto';
import { RETENTION_MS } from '../../../lib/poll';
import { type PolledUntil, ProcessMemory } from '../../../lib/poll/memory';
import { downFrom, eventsAt, MINUTE, pollWorld, START } from './pollWorld';

const at = (minute: number) => START + minute * MINUTE;
const DAY = 24 * 60 * MINUTE;

function world(...options: Parameters<typeof pollWorld>) {
	const made = pollWorld(...options);
	made.list = eventsAt(...downFrom(5, 1));
	made.now = at(6);
	return made;
}

it('names each event as polled as it is handed over: n8n saves the two together', async () => {
	const polled = world();
	const seen: unknown[] = [];
	polled.fate = async () => {
		seen.push(polled.kept?.at);
		return 'begun';
	};
	await polled.poll();
	expect(seen).toEqual([1, 2, 3, 4, 5].map(at));
	expect(polled.kept).toEqual({ startFrom: 'retained', at: at(5) });
});

it('names nothing behind an event that n8n could not store, and starts that one after the loss', async () => {
	const polled = world();
	const seen: unknown[] = [];
	polled.fate = async ([id]) => {
		seen.push(polled.kept?.at);
		return id === 'e3' ? 'failed' : 'begun';
	};
	await polled.poll();
	expect(seen).toEqual([at(1), at(2), at(3), at(3), at(3)]);
	expect(polled.kept?.at).toBe(at(3) - 1);
	polled.ledger.entries.clear();
	polled.ledger.records.clear();
	polled.fate = async () => 'begun';
	await polled.poll();
	expect(polled.started()).toContain('e3');
	expect(polled.started().filter((id) => id === 'e2')).toHaveLength(1);
});

it('names nothing behind an event that a webhook is bringing', async () => {
	const polled = world();
	polled.ledger.put(polled.entry('e3'), 'pending');
	const seen: unknown[] = [];
	polled.fate = async () => {
		seen.push(polled.kept?.at);
		return 'begun';
	};
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
	const commit = jest.spyOn(polled.ledger, 'commitAll');
	await polled.poll();
	expect(begin.mock.calls.map(([keys, , retention]) => [keys.length, retention])).toEqual([
		[1, 35 * DAY],
	]);
	polled.list = eventsAt(...downFrom(6, 1));
	await polled.poll();
	expect(commit.mock.calls.map(([claims, retention]) => [claims.length, retention])).toEqual([
		[1, 35 * DAY],
	]);
});

describe('the memory of a node', () => {
	const made = (survived?: PolledUntil) => {
		const written: PolledUntil[] = [];
		const survives = { read: () => survived, write: (until: PolledUntil) => written.push(until) };
		const node = randomUUID();
		return {
			written,
			of: (startFrom: 'now' | 'retained') => new ProcessMemory(node, startFrom, survives),
		};
	};

	it('is what survived the process, of the same choice only', () => {
		expect(made().of('now').at).toBeUndefined();
		expect(made({ startFrom: 'now', at: 5 }).of('now').at).toBe(5);
		expect(made({ startFrom: 'retained', at: 5 }).of('now').at).toBeUndefined();
	});

	it('is the later of that and of what the process knows, since n8n saves late', () => {
		const { of } = made({ startFrom: 'now', at: 5 });
		of('now').write(7);
		expect(of('now').at).toBe(7);
		of('now').write(3);
		expect(of('now').at).toBe(5);
	});

	it('advances, and is written no more often than that', () => {
		const { of, written } = made();
		for (const at of [5, 5, 4, 6]) of('now').advance(at);
		expect(written.map(({ at }) => at)).toEqual([5, 6]);
		expect(of('now').at).toBe(6);
	});
});

it('begins with publishing, and is not behind the record in the ledger', async () => {
	const polled = world({ startFrom: 'now' });
	await polled.poll();
	expect(polled.kept).toEqual({ startFrom: 'now', at: at(5) });
	for (const [frontier, publishedAt, until] of [
		[at(9), at(7), at(9) - 1],
		[at(11), at(11), at(11)],
	] as const) {
		const record = { startFrom: 'now', publishedAt, frontier, lookedBackAt: polled.now };
		polled.ledger.records.set(`poll:${polled.workflowId}:node`, JSON.stringify(record));
		polled.failures.set(undefined, new Error('page 1'));
		await polled.poll();
		expect(polled.kept?.at).toBe(until);
	}
});

it('names nothing as polled before a walk has come to its end', async () => {
	const polled = world();
	polled.list = eventsAt(...downFrom(30, 1));
	polled.now = at(31);
	const seen = new Set<unknown>();
	polled.fate = async () => {
		seen.add(polled.kept?.at);
		return 'begun';
	};
	await polled.poll({ budgetMs: 0 });
	await polled.poll();
	expect(polled.started()).toHaveLength(30);
	expect([...seen]).toEqual([0]);
	expect(polled.kept?.at).toBe(at(30));
});
