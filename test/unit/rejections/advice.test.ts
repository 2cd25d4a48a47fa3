/** For each reason of a poll: what to do about it, and that this names no field that is not the cause. */
import { notePolled, POLL_ADVICE, readPolls } from '../../../lib/rejections';
import { MemoryLedger } from '../ledger/memoryLedger';

const NOW = Date.UTC(2026, 10, 23, 12);
const HOUR = 60 * 60_000;

/** The labels of the fields that a text names. */
const fieldsIn = (text: string) => [...text.matchAll(/'([A-Z][^']*)'/g)].map(([, field]) => field);

const ROWS: readonly (readonly [reason: string, words: string, fields: readonly string[]])[] = [
	['poll_failed', 'do what lastProblem says', []],
	['unreadable', 'messages that do not follow OCPP', []],
	['undated', 'events without a time', []],
	['record_invalid', 'records that cannot be used', []],
	['words', 'add the words', ['Connected Words', 'Disconnected Words']],
	['unlisted', 'may list all assets', []],
	['assets', 'do what lastProblem says', []],
	['dropped', 'do what lastProblem says', []],
	['settings', 'correct the field in the node', []],
	['skipped', 'to read further back', ['Catch Up (Hours)']],
];

it.each(ROWS)('%s', (reason, words, fields) => {
	expect(POLL_ADVICE[reason]).toContain(words);
	expect(fieldsIn(POLL_ADVICE[reason] ?? '')).toEqual(fields);
});

it('covers every reason', () => {
	expect(ROWS.map(([reason]) => reason).sort()).toEqual(Object.keys(POLL_ADVICE).sort());
});

const polled = { nodeName: 'Node', polledAt: NOW };
it.each<[string, Parameters<typeof notePolled>[2] | undefined, string, readonly string[]]>([
	['has not polled', undefined, 'is published', ['Poll Times']],
	['no longer polls', { ...polled, polledAt: NOW - 27 * HOUR }, 'is published', ['Poll Times']],
	['has not read the list yet', polled, 'nothing to do', []],
	['is up to date', { ...polled, readUpTo: NOW }, 'nothing to do', []],
	['is behind', { ...polled, readUpTo: NOW - HOUR }, 'failed polls', ['Poll Times']],
])('a trigger that %s', async (_name, last, words, fields) => {
	const ledger = new MemoryLedger();
	const trigger = { workflowId: 'flow', nodeId: 'node' };
	if (last !== undefined) await notePolled(ledger, trigger, last);
	const { advice } = await readPolls(ledger, 'flow', 'node', NOW);
	expect(advice).toContain(words);
	expect(fieldsIn(advice)).toEqual(fields);
});
