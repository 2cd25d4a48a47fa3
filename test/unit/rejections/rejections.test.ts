/** How many deliveries of each trigger did not start its workflow, and why. */
import { DAYS_KEPT, RejectionCounter } from '../../../lib/rejections';
import { recordIn } from '../../support/records';
import { MemoryLedger } from '../ledger/memoryLedger';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = Date.UTC(2026, 10, 23, 12);
const WORKFLOW = 'workflow-1';
const TRIGGER = { workflowId: WORKFLOW, nodeId: 'node-1', nodeName: 'Events' };

/** Two processes that share a ledger. */
function world() {
	const ledger = new MemoryLedger();
	const open = async () => ledger;
	return { ledger, open, one: new RejectionCounter(), other: new RejectionCounter() };
}

/** The stored record of the workflow, as another process reads it. */
const kept = (ledger: MemoryLedger, workflowId = WORKFLOW) =>
	new RejectionCounter().read(ledger, workflowId);
/** Pending background writes. */
const written = () => jest.advanceTimersByTimeAsync(0);
const minutes = (count: number) => jest.advanceTimersByTimeAsync(count * MINUTE);

beforeEach(() => {
	jest.useFakeTimers({ now: START });
});
afterEach(() => {
	jest.useRealTimers();
});

it('counts by node and reason, with the first and the last time, the latest first', async () => {
	const { ledger, open, one } = world();
	one.count({ ...TRIGGER, nodeId: 'node-2', nodeName: 'Other' }, 'busy', open);
	one.count(TRIGGER, 'signature_mismatch', open);
	await minutes(2);
	one.count(TRIGGER, 'signature_mismatch', open);
	one.count(TRIGGER, 'ignored', open);
	await minutes(1);
	expect(await kept(ledger)).toEqual([
		{
			nodeId: 'node-1',
			nodeName: 'Events',
			reason: 'signature_mismatch',
			count: 2,
			firstAt: START,
			lastAt: START + 2 * MINUTE,
		},
		{
			nodeId: 'node-1',
			nodeName: 'Events',
			reason: 'ignored',
			count: 1,
			firstAt: START + 2 * MINUTE,
			lastAt: START + 2 * MINUTE,
		},
		{
			nodeId: 'node-2',
			nodeName: 'Other',
			reason: 'busy',
			count: 1,
			firstAt: START,
			lastAt: START,
		},
	]);
	expect(await kept(ledger, 'workflow-2')).toEqual([]);
});

it('keeps the example of the last one, in whatever order the processes write', async () => {
	const { ledger, open, one, other } = world();
	one.count(TRIGGER, 'busy', open, { deliveryId: 'first', problem: 'a' });
	await written();
	one.count(TRIGGER, 'busy', open, { deliveryId: 'second', problem: 'b' });
	await minutes(0.5);
	other.count(TRIGGER, 'busy', open, { deliveryId: 'last\u0000'.padEnd(5_000, 'x') });
	await minutes(1);
	const [{ deliveryId, problem, count } = {}] = await kept(ledger);
	expect([count, problem]).toEqual([3, undefined]);
	expect(deliveryId).toMatch(/^last\ufffdx{94}…$/);
});

it('writes at once and then at most once a minute, however many there are', async () => {
	const { ledger, open, one } = world();
	for (let n = 0; n < 1000; n++) one.count(TRIGGER, 'ignored', open);
	await written();
	for (let n = 0; n < 1000; n++) one.count(TRIGGER, 'busy', open);
	expect(await kept(ledger)).toMatchObject([{ reason: 'ignored', count: 1000 }]);
	await jest.advanceTimersByTimeAsync(MINUTE - 1);
	expect(ledger.count('swapRecord')).toBe(1);
	await minutes(1);
	expect(await kept(ledger)).toMatchObject([{ count: 1000 }, { count: 1000 }]);
	await minutes(10);
	expect(ledger.count('swapRecord')).toBe(2);
});

it('adds up concurrent counts of several processes', async () => {
	const { ledger, open } = world();
	const processes = Array.from({ length: 8 }, () => new RejectionCounter());
	for (let round = 0; round < 5; round++) {
		for (const each of processes) each.count(TRIGGER, 'ignored', open);
		await minutes(1);
	}
	expect(await kept(ledger)).toMatchObject([{ reason: 'ignored', count: 40 }]);
});

it('adds up counts of two processes in the same millisecond, where a store treats equal texts as one change', async () => {
	const { ledger, open, one, other } = world();
	const swap = ledger.swapRecord.bind(ledger);
	jest.spyOn(ledger, 'swapRecord').mockImplementation(async (key, expected, next) => {
		// As Redis does, for a swap whose response was lost.
		return (await swap(key, expected, next)) || ledger.records.get(key) === next;
	});
	one.count(TRIGGER, 'busy', open);
	other.count(TRIGGER, 'busy', open);
	await written();
	expect(await kept(ledger)).toMatchObject([{ count: 2 }]);
});

it('shows counts that a process has not written yet', async () => {
	const { ledger, open, one, other } = world();
	one.count(TRIGGER, 'busy', open);
	one.count(TRIGGER, 'busy', open);
	await written();
	one.count(TRIGGER, 'busy', open);
	expect(await one.read(ledger, WORKFLOW)).toMatchObject([{ reason: 'busy', count: 3 }]);
	expect(await other.read(ledger, WORKFLOW)).toMatchObject([{ reason: 'busy', count: 2 }]);
	await minutes(1);
	expect(await one.read(ledger, WORKFLOW)).toMatchObject([{ reason: 'busy', count: 3 }]);
});

it('shows each once while it is being written', async () => {
	const { ledger, open, one } = world();
	ledger.delayMs = 10;
	one.count(TRIGGER, 'busy', open);
	const reading = one.read(ledger, WORKFLOW);
	await minutes(1);
	expect(await reading).toMatchObject([{ count: 1 }]);
});

it('keeps counts that the ledger cannot store, and writes them later', async () => {
	const { ledger, open, one } = world();
	ledger.failing = true;
	for (let minute = 0; minute < 3; minute++) {
		one.count(TRIGGER, 'ledger_unavailable', open);
		await minutes(1);
	}
	one.count(TRIGGER, 'ledger_unavailable', () => Promise.reject(new Error('no ledger')));
	await minutes(1);
	ledger.failing = false;
	one.count(TRIGGER, 'ledger_unavailable', open);
	await minutes(1);
	expect(await kept(ledger)).toMatchObject([
		{ count: 5, firstAt: START, lastAt: START + 4 * MINUTE },
	]);
});

it('writes kept counts even if nothing more is counted', async () => {
	const { ledger, open, one } = world();
	ledger.failing = true;
	one.count(TRIGGER, 'busy', open);
	await written();
	ledger.failing = false;
	await minutes(1);
	expect(await kept(ledger)).toMatchObject([{ count: 1 }]);
});

it('removes counts older than seven days, day by day', async () => {
	const { ledger, open, one } = world();
	for (let day = 0; day < 10; day++) {
		one.count(TRIGGER, 'ignored', open);
		await minutes(24 * 60);
	}
	const today = START + 10 * DAY;
	one.count(TRIGGER, 'ignored', open);
	await written();
	expect(await kept(ledger)).toMatchObject([
		{ count: DAYS_KEPT, firstAt: today - (DAYS_KEPT - 1) * DAY, lastAt: today },
	]);
	await minutes(DAYS_KEPT * 24 * 60);
	expect(await kept(ledger)).toEqual([]);
});

it('keeps a record of bounded size, with the newest counts, whatever nodes are called', async () => {
	const { ledger, open, one } = world();
	for (let n = 0; n < 3000; n++) {
		const nodeName = `Node ${n}\u0000`.padEnd(5000, 'x');
		const long = `${n}`.padEnd(5000, 'x');
		one.count({ ...TRIGGER, nodeId: `n${long}`, nodeName }, 'busy', open, {
			...{ deliveryId: long, problem: long },
		});
		if (n % 100 === 0) await minutes(1);
	}
	await minutes(1);
	const [text = ''] = ledger.records.values();
	expect(text.length).toBeLessThan(250_000);
	expect((await kept(ledger)).length).toBeGreaterThan(100);
	expect(text).not.toMatch(/\\u0000/);
});

it('keeps a bounded number of counts while the ledger is down', async () => {
	const { ledger, open, one } = world();
	ledger.failing = true;
	for (let n = 0; n < 12_000; n++) {
		one.count({ ...TRIGGER, workflowId: `w${n % 200}`, nodeId: `n${n}` }, 'busy', open);
	}
	await minutes(1);
	expect(one.size).toBeLessThanOrEqual(10_000);
	ledger.failing = false;
	await minutes(2);
	expect(one.size).toBe(0);
	expect(ledger.records.size).toBeGreaterThan(100);
});

it.each(['1', '1no JSON', '1[]', '1{"write":"a","tallies":[{"nodeId":7}]}'])(
	'begins again after a record that it cannot read: %j',
	async (text) => {
		const { ledger, open, one } = world();
		one.count(TRIGGER, 'busy', open);
		await written();
		const [key = ''] = ledger.records.keys();
		ledger.records.set(key, text);
		expect(await kept(ledger)).toEqual([]);
		await minutes(1);
		one.count(TRIGGER, 'busy', open);
		await written();
		expect(await kept(ledger)).toMatchObject([{ count: 1 }]);
	},
);

it('writes all that it has when it is asked to', async () => {
	const { ledger, open, one } = world();
	one.count(TRIGGER, 'busy', open);
	await written();
	one.count(TRIGGER, 'busy', open);
	one.count({ ...TRIGGER, workflowId: 'workflow-2' }, 'ignored', open);
	await one.flush();
	expect(await kept(ledger)).toMatchObject([{ reason: 'busy', count: 2 }]);
	expect(await kept(ledger, 'workflow-2')).toMatchObject([{ reason: 'ignored', count: 1 }]);
	expect(one.size).toBe(0);
	const writes = ledger.count('swapRecord');
	await minutes(2);
	expect(ledger.count('swapRecord')).toBe(writes);
});

it('stores neither a body nor a header', async () => {
	const { ledger, open, one } = world();
	one.count(TRIGGER, 'busy', open);
	await written();
	const [text = ''] = ledger.records.values();
	expect(recordIn(text)).toEqual({
		write: expect.any(String) as string,
		tallies: [
			{
				nodeId: 'node-1',
				nodeName: 'Events',
				reason: 'busy',
				count: 1,
				firstAt: START,
				lastAt: START,
			},
		],
	});
});
