import { ledgerKey } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { RETENTION_MS } from '../../../lib/poll';
import { knowledgeOf, rememberListed } from '../../../lib/poll/knowledge';
import { MemoryLedger } from '../ledger/memoryLedger';
import { MemoryStore } from '../ledger/memoryStore';
import { parsed } from './fakeList';

function scoped() {
	const ledger = new MemoryLedger();
	return { ledger, workflowId: 'w', nodeId: 'node' };
}

it.each([
	['pending', 'waiting'],
	['stored', 'waiting'],
	['running', 'done'],
	['interrupted', 'done'],
	['failed', 'done'],
	['asleep', 'done'],
	['begun', 'done'],
	['done', 'done'],
	['overdue', 'fresh'],
] as const)(
	'an event that is %s in the ledger is %s, whatever the publication says',
	async (state, knowledge) => {
		const scope = scoped();
		scope.ledger.put(ledgerKey('w', 'a'), state);
		expect(await knowledgeOf(scope, parsed('a', 1), undefined)).toBe(knowledge);
		expect(await knowledgeOf(scope, parsed('a', 1), 2)).toBe(knowledge);
	},
);

it.each([
	['failed', 1, 59_000, 'waiting'],
	['failed', 1, 60_000, 'fresh'],
	['interrupted', 5, 6 * 3_600_000 - 1_000, 'waiting'],
	['interrupted', 5, 6 * 3_600_000, 'fresh'],
	['failed', 6, 6 * 3_600_000, 'done'],
	['running', 5, 6 * 3_600_000, 'waiting'],
	['running', 6, 6 * 3_600_000, 'done'],
] as const)(
	'an event that must succeed and has been %s with attempt %i for %i ms is %s',
	async (state, attempts, forMs, knowledge) => {
		const scope = scoped();
		const at = Date.now() - forMs;
		scope.ledger.put(ledgerKey('w', 'a'), state, { repeats: true, attempts, at });
		expect(await knowledgeOf(scope, parsed('a', 1), 2)).toBe(knowledge);
	},
);

describe('an event that the ledger does not know', () => {
	it.each([
		['starts without a bound', 1, undefined, 'fresh'],
		['does not start when it was created before the publication', 1, 2, 'done'],
		['starts from the publication on', 2, 2, 'fresh'],
		['starts when it tells no time', undefined, 2, 'fresh'],
	])('%s', async (_what, at, publishedAt, knowledge) => {
		expect(await knowledgeOf(scoped(), parsed('a', at), publishedAt)).toBe(knowledge);
	});

	it.each([2, undefined])(
		'does not start when the publication listed it (created: %s)',
		async (at) => {
			const scope = scoped();
			await rememberListed(scope, ['a']);
			expect(await knowledgeOf(scope, parsed('a', at), 2)).toBe('done');
			expect(await knowledgeOf({ ...scope, nodeId: 'other' }, parsed('a', at), 2)).toBe('fresh');
		},
	);
});

it('asks the ledger once if there is no bound', async () => {
	const scope = scoped();
	await knowledgeOf(scope, parsed('a', 1), undefined);
	expect(scope.ledger.calls).toEqual(['look']);
});

it('leaves what was listed at the publication to a webhook, and remembers it in steps', async () => {
	const scope = scoped();
	const begin = jest.spyOn(scope.ledger, 'begin');
	await rememberListed(
		scope,
		Array.from({ length: 250 }, (_unused, n) => String(n)),
	);
	expect(begin.mock.calls.map(([keys, { retentionMs }]) => [keys.length, retentionMs])).toEqual([
		[100, RETENTION_MS],
		[100, RETENTION_MS],
		[50, RETENTION_MS],
	]);
	expect(scope.ledger.entries.size).toBe(250);
	expect((await scope.ledger.look(ledgerKey('w', '1'))).state).toBe('free');
});

it('does not report what was listed at the publication as executions of unknown events', async () => {
	const onUnknown = jest.fn();
	const ledger = new EventLedger({ store: new MemoryStore(), onUnknown });
	await rememberListed({ ledger, workflowId: 'w', nodeId: 'node' }, ['a']);
	expect(onUnknown).not.toHaveBeenCalled();
	const beginning = { run: 'run', acknowledge: 'stored', retentionMs: RETENTION_MS } as const;
	await ledger.begin([ledgerKey('w', 'a')], beginning);
	expect(onUnknown).toHaveBeenCalledWith(1);
});
