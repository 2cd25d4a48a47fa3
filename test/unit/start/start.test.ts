import type { Item, ParsedEvent } from '../../../lib/event';
import { ledgerKey, LedgerUnavailableError } from '../../../lib/ledger';
import { isUnsettled, start, type Start, type Startable } from '../../../lib/start';
import { MemoryLedger } from '../ledger/memoryLedger';
import { useStoppedClock } from '../ledger/stoppedClock';

const EVENTS = ['1', '2'].map((id) => ({ id, type: 'ocpp.message', record: { id } }));

/** Starts the events; returns those that are not settled. */
async function startEvents(
	{ workflowId, ...options }: Start & { workflowId: string },
	events: readonly ParsedEvent[],
) {
	const pairs = events.map(({ id, record }) => ({
		key: ledgerKey(workflowId, id),
		item: { record },
	}));
	const accounts = await start(options, pairs);
	return events.filter(({ id }) => {
		const account = accounts.get(ledgerKey(workflowId, id));
		return account && isUnsettled(account);
	});
}

const begin = async (ledger: MemoryLedger, ids: readonly string[]) => {
	const keys = ids.map((id) => ledgerKey('w', id));
	await ledger.begin(keys, { run: 'run', acknowledge: 'stored', retentionMs: 60_000 });
};

describe('a hand-over without a response from n8n, as for a queued execution that a user stopped', () => {
	useStoppedClock();

	const states = (ledger: MemoryLedger) =>
		EVENTS.map(({ id }) => ledger.stateOf(ledgerKey('w', id)));
	/** Besides the one of the session in the ledger. */
	const timersLeft = () => jest.getTimerCount() - 1;

	async function handedOver() {
		const ledger = new MemoryLedger();
		const { promise, resolve: respond } = Promise.withResolvers<boolean>();
		const handOver = () => promise;
		const open = startEvents({ ledger, workflowId: 'w', batchSize: 2, handOver }, EVENTS);
		await jest.advanceTimersByTimeAsync(29_000);
		expect(states(ledger)).toEqual(['pending', 'pending']);
		expect((await open).map(({ id }) => id)).toEqual(['1', '2']);
		return { ledger, respond };
	}

	it('counts as stored after 30 s, not before, and is held no longer', async () => {
		const { ledger } = await handedOver();
		await jest.advanceTimersByTimeAsync(2_000);
		expect(states(ledger)).toEqual(['stored', 'stored']);
		expect(timersLeft()).toBe(0);
	});

	it.each([
		[true, 'stored'],
		[false, 'free'],
	])('is settled once by a response before that: %s', async (isStored, state) => {
		const { ledger, respond } = await handedOver();
		respond(isStored);
		await jest.advanceTimersByTimeAsync(5_000);
		expect(states(ledger)).toEqual([state, state]);
		expect(ledger.count('commit') + ledger.count('release')).toBe(1);
		expect(timersLeft()).toBe(0);
	});

	it('can be started again at once if n8n says later that it could not store it', async () => {
		const { ledger, respond } = await handedOver();
		await jest.advanceTimersByTimeAsync(2_000);
		respond(false);
		await jest.advanceTimersByTimeAsync(100);
		expect(states(ledger)).toEqual(['overdue', 'overdue']);
	});

	it('does not count as stored because the ledger cannot be asked what has begun', async () => {
		const { ledger } = await handedOver();
		const unavailable = new LedgerUnavailableError('Busy');
		jest
			.spyOn(ledger, 'look')
			.mockRejectedValueOnce(unavailable)
			.mockRejectedValueOnce(unavailable);
		await begin(new MemoryLedger(ledger.store), ['1']);
		await jest.advanceTimersByTimeAsync(500);
		expect(states(ledger)).toEqual(['running', 'pending']);
	});

	it('is not looked up any more once n8n has responded', async () => {
		const { ledger, respond } = await handedOver();
		const before = ledger.store.trips;
		respond(true);
		await jest.advanceTimersByTimeAsync(5_000);
		expect(states(ledger)).toEqual(['stored', 'stored']);
		expect(ledger.store.trips - before).toBe(ledger.count('commit'));
	});

	it('is settled as soon as the execution begins, in whatever process', async () => {
		const { ledger } = await handedOver();
		await begin(new MemoryLedger(ledger.store), ['1', '2']);
		await jest.advanceTimersByTimeAsync(300);
		expect(ledger.count('commit')).toBe(1);
		expect(states(ledger)).toEqual(['running', 'running']);
	});

	it.each([['1'], ['2']])(
		'does not count as stored because an earlier execution begins only event %s',
		async (id) => {
			const { ledger, respond } = await handedOver();
			await begin(new MemoryLedger(ledger.store), [id]);
			await jest.advanceTimersByTimeAsync(500);
			expect(ledger.count('commit')).toBe(0);
			respond(false);
			await jest.advanceTimersByTimeAsync(5_000);
			expect(states(ledger).toSorted()).toEqual(['free', 'running']);
		},
	);
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
		const options = {
			...{ ledger, workflowId: 'w', batchSize: 10, handOver },
			...choices,
		};
		const open = await startEvents(options, events);
		return { ledger, runs, open: open.map(({ id }) => id) };
	}
	/** An event whose record has this many bytes as JSON. */
	const sized = (id: string, bytes: number) => {
		const event = { id, type: undefined, record: { id, text: '' } };
		event.record.text = 'x'.repeat(bytes - JSON.stringify(event.record).length);
		return event;
	};
	const small = (...ids: string[]) => ids.map((id) => ({ id, type: undefined, record: { id } }));

	it.each([
		[
			'as many in an execution as the batch size allows',
			2,
			small('1', '2', '3'),
			[['1', '2'], ['3']],
		],
		[
			'at most 4 MiB in an execution',
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
		await ledger.claim(ledgerKey('w', '1'));
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
		await begin(ledger, ['7']);
		ledger.put(ledgerKey('w', '8'), 'done');
		const { open } = await startAll(small(...ids), { ledger, batchSize: 300 });
		expect(open).toEqual(ids.filter((id) => id !== '7' && id !== '8'));
	});

	it('with each batch as progress, and the first one that is not stored', async () => {
		const progress: unknown[] = [];
		const idOf = ({ item }: Startable) => item.record['id'];
		const onProgress: Start['onProgress'] = (batch, unsettled) => {
			progress.push([batch.map(idOf), unsettled && idOf(unsettled)]);
		};
		const fate = async (ids: string[]) => !ids.includes('3');
		await startAll(small('1', '2', '3', '4', '5', '6'), { batchSize: 2, onProgress, fate });
		expect(progress).toEqual([
			[['1', '2'], undefined],
			[['3', '4'], undefined],
			// One by one.
			[['3'], '3'],
			[['4'], '3'],
			[['5', '6'], '3'],
		]);
	});

	it('or given back, and claimable at once, when the ledger fails on the way', async () => {
		const ledger = new MemoryLedger();
		const claim = ledger.claim.bind(ledger);
		jest.spyOn(ledger, 'claim').mockImplementation(async (key) => {
			if (key === ledgerKey('w', '3')) throw new LedgerUnavailableError('The disk is full');
			return await claim(key);
		});
		await expect(startAll(small('1', '2', '3'), { ledger })).rejects.toThrow(
			LedgerUnavailableError,
		);
		expect(ledger.entries.size).toBe(0);
	});
});

it('has given back what it had claimed when it fails because the ledger does', async () => {
	const ledger = new MemoryLedger();
	const claim = ledger.claim.bind(ledger);
	jest.spyOn(ledger, 'claim').mockImplementation(async (key) => {
		if (key === ledgerKey('w', '2')) throw new LedgerUnavailableError('The disk is full');
		return await claim(key);
	});
	const release = ledger.release.bind(ledger);
	jest.spyOn(ledger, 'release').mockImplementation(async (...claims) => {
		await new Promise(setImmediate);
		await release(...claims);
	});
	const handOver = async () => true;
	const starting = startEvents({ ledger, workflowId: 'w', batchSize: 2, handOver }, EVENTS);
	await expect(starting).rejects.toThrow('The disk is full');
	expect(ledger.stateOf(ledgerKey('w', '1'))).toBe('free');
});

it.each([
	[1, [['1', '2']]],
	[2, [['1'], ['2']]],
])(
	'items that have begun %d times share an execution if that is less than asked',
	async (attempts, runs) => {
		const ledger = new MemoryLedger();
		for (const { id } of EVENTS) {
			ledger.put(ledgerKey('w', id), 'failed', { repeats: true, attempts, at: 1 });
		}
		const handedOver: unknown[] = [];
		const handOver = async (items: readonly Item[]) => {
			handedOver.push(items.map(({ record }) => record['id']));
			return true;
		};
		await startEvents(
			{ ledger, workflowId: 'w', batchSize: 2, handOver, sharedAttempts: 2 },
			EVENTS,
		);
		expect(handedOver).toEqual(runs);
	},
);
