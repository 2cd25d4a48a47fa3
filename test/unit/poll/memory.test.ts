/** What survives a lost ledger, and how long the ledger keeps what a poll writes. */
import { RETENTION_MS } from '../../../lib/poll';
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
	polled.ledger.entries.set(polled.entry('e3'), { state: 'pending', expires: Infinity });
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

it('lets the ledger keep events, and what was listed at the publication, for 35 days', async () => {
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
