import type { Item, ParsedEvent } from '../../../lib/event';
import { ledgerKey, LedgerUnavailableError } from '../../../lib/ledger';
import { type Start, startEvents } from '../../../lib/poll/start';
import { MemoryLedger } from '../ledger/memoryLedger';
import { useStoppedClock } from '../ledger/stoppedClock';
import { parsed } from './fakeList';

const EVENTS = ['1', '2'].map((id) => ({ id, type: 'ocpp.message', record: { id } }));

describe('a hand-over without a response from n8n, as for a queued execution that a user stopped', () => {
	useStoppedClock();

	let ledger: MemoryLedger;
	let end: (isStored: boolean) => void;

	beforeEach(async () => {
		ledger = new MemoryLedger();
		const handOver = () => new Promise<boolean>((resolve) => (end = resolve));
		const acknowledge = 'stored';
		void startEvents({ ledger, workflowId: 'w', batchSize: 2, acknowledge, handOver }, EVENTS);
		await jest.advanceTimersByTimeAsync(29_000);
	});

	const states = async () =>
		await Promise.all(EVENTS.map(async ({ id }) => (await ledger.look(ledgerKey('w', id))).state));

	it('counts as stored after 30 s, not before, and is held no longer', async () => {
		expect(await states()).toEqual(['pending', 'pending']);
		await jest.advanceTimersByTimeAsync(2_000);
		expect(await states()).toEqual(['stored', 'stored']);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('is given back when n8n reports after that that it was not stored', async () => {
		await jest.advanceTimersByTimeAsync(2_000);
		end(false);
		await jest.advanceTimersByTimeAsync(2_000);
		expect(await states()).toEqual(['overdue', 'overdue']);
	});

	it('is committed once when it ends before', async () => {
		end(true);
		await jest.advanceTimersByTimeAsync(5_000);
		expect(await states()).toEqual(['stored', 'stored']);
		expect(ledger.count('commitAll')).toBe(1);
		expect(jest.getTimerCount()).toBe(0);
	});
});

describe('an execution that must succeed and that n8n never reports on', () => {
	useStoppedClock();

	it.each([
		['begins', 6, true],
		['never begins', 1, false],
	])('is given up when it %s, after %d hours', async (_what, hours, begins) => {
		const ledger = new MemoryLedger();
		const key = ledgerKey('w', '1');
		const handOver = async ([item]: readonly Item[]) => {
			if (begins) await ledger.begin([key], 'run', 1e10, [item?.claim]);
			return await new Promise<boolean>(() => undefined);
		};
		const start = { ledger, workflowId: 'w', batchSize: 1, acknowledge: 'succeeded' } as const;
		void startEvents({ ...start, handOver }, EVENTS.slice(0, 1));
		await jest.advanceTimersByTimeAsync((hours * 60 - 1) * 60_000);
		expect(ledger.stateOf(key)).toBe(begins ? 'running' : 'pending');
		await jest.advanceTimersByTimeAsync(3 * 60_000);
		expect(ledger.stateOf(key)).toBe(begins ? 'failed' : 'free');
		expect(jest.getTimerCount()).toBe(0);
	});
});

describe('the events are handed over', () => {
	const MiB = 1024 * 1024;

	interface Choices extends Partial<Start> {
		/** The result of a run; stored by default. */
		readonly fate?: (ids: string[]) => Promise<boolean>;
		readonly ledger?: MemoryLedger;
	}
	async function startAll(events: readonly ParsedEvent[], choices: Choices = {}) {
		const { ledger = new MemoryLedger(), fate = async () => true } = choices;
		const runs: string[][] = [];
		const handOver = async (items: readonly Item[]) => {
			runs.push(items.map(({ record }) => String(record['id'])));
			return await fate(runs.at(-1) ?? []);
		};
		const start: Start = {
			...{ ledger, workflowId: 'w', batchSize: 10, acknowledge: 'stored', handOver },
			...choices,
		};
		const open = await startEvents(start, events);
		return { ledger, runs, open: open.map(({ id }) => id) };
	}
	/** An event whose record has this many bytes as JSON. */
	const sized = (id: string, bytes: number) => {
		const event = { id, type: undefined, record: { id, text: '' } };
		event.record.text = 'x'.repeat(bytes - JSON.stringify(event.record).length);
		return event;
	};
	const small = (...ids: string[]) => ids.map((id) => parsed(id, Number(id)));

	it.each([
		['as many in a run as the batch size allows', 2, small('1', '2', '3'), [['1', '2'], ['3']]],
		[
			'at most 4 MiB in a run',
			10,
			[sized('a', MiB), sized('b', 3 * MiB), sized('c', 1024), sized('d', 1024)],
			[
				['a', 'b'],
				['c', 'd'],
			],
		],
		[
			'by itself where one is larger than that',
			10,
			[sized('a', 9 * MiB), ...small('1', '2')],
			[['a'], ['1', '2']],
		],
	])('%s', async (_how, batchSize, events, runs) => {
		expect((await startAll(events, { batchSize })).runs).toEqual(runs);
	});

	it('not at all where another holds them, without waiting, and are open then', async () => {
		const ledger = new MemoryLedger();
		await ledger.claim(ledgerKey('w', '1'), 60_000);
		const onProgress = jest.fn();
		const { runs, open } = await startAll(small('1'), { ledger, onProgress });
		// The other's claim and one of its own.
		expect(ledger.count('claim')).toBe(2);
		expect([runs, open]).toEqual([[], ['1']]);
		expect(onProgress).not.toHaveBeenCalled();
	});

	it('one by one where n8n throws for them together, and only then', async () => {
		const fate = async (ids: string[]) => {
			if (ids.length > 1) throw new Error('database is locked');
			return true;
		};
		expect((await startAll(small('1', '2'), { fate })).runs).toEqual([['1', '2'], ['1'], ['2']]);
		const together = await startAll(small('1', '2'));
		expect([together.runs, together.ledger.count('claim')]).toEqual([[['1', '2']], 2]);
	});

	it('and those that have not begun are open, each once, however many', async () => {
		const ledger = new MemoryLedger();
		const ids = Array.from({ length: 250 }, (_unused, n) => String(n));
		await ledger.begin([ledgerKey('w', '7')], 'run', 60_000);
		ledger.put(ledgerKey('w', '8'), 'done');
		const { open } = await startAll(small(...ids), { ledger, batchSize: 300 });
		expect(open).toEqual(ids.filter((id) => id !== '7' && id !== '8'));
	});

	it('with the newest time of a run as progress, until one is not stored', async () => {
		const progress: number[] = [];
		const onProgress = (at: number) => void progress.push(at);
		const events = [...small('1', '2'), parsed('untimed'), ...small('3', '4', '5')];
		const fate = async (ids: string[]) => !ids.includes('3');
		await startAll(events, { batchSize: 2, onProgress, fate });
		expect(progress).toEqual([2, 3]);
	});

	it('or given back, and claimable at once, when the ledger fails on the way', async () => {
		const ledger = new MemoryLedger();
		const claim = ledger.claim.bind(ledger);
		jest.spyOn(ledger, 'claim').mockImplementation(async (key, leaseMs) => {
			if (key === ledgerKey('w', '3')) throw new LedgerUnavailableError('The disk is full');
			return await claim(key, leaseMs);
		});
		await expect(startAll(small('1', '2', '3'), { ledger })).rejects.toThrow(
			LedgerUnavailableError,
		);
		expect(ledger.entries.size).toBe(0);
	});
});
