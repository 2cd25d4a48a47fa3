import {
	notePublication,
	notePublishedAt,
	type Publication,
	readPublication,
	type PublishedSettings,
	triggersIn,
} from '../../../lib/accounts';
import { recordText } from '../../support/records';
import { MemoryLedger } from '../ledger/memoryLedger';

const HOUR = 60 * 60_000;
const settings = (more: Partial<PublishedSettings> = {}): PublishedSettings => ({
	...{ kind: 'webhook', access: 'thisWorkflow', accountWorkflowIds: [] },
	...{ eventTypes: [], conditions: {}, ...more },
});

function worldOf() {
	const ledger = new MemoryLedger();
	const note = async (
		nodeId: string,
		now: number,
		more: Partial<PublishedSettings> = {},
		nodeIds?: readonly string[],
	) => {
		const before = ledger.count('swapRecord');
		await notePublication(ledger, 'flow', {
			...{ nodeId, now, publishedAt: now, settings: settings(more) },
			...(nodeIds && { nodeIds: new Set(nodeIds) }),
		});
		return ledger.count('swapRecord') > before;
	};
	return { ledger, note, read: () => readPublication(ledger, 'flow') };
}

it('keeps the time of the first publication, by whichever trigger', async () => {
	const { note, read } = worldOf();
	expect(await read()).toBeUndefined();
	await note('a', 2000);
	await note('b', 3000);
	expect((await read())?.publishedAt).toBe(2000);
	await note('c', 0);
	expect((await read())?.publishedAt).toBe(0);
});

it('takes an earlier time of the first publication from a poll, and no later one', async () => {
	const { ledger, note, read } = worldOf();
	await note('a', 2000);
	for (const at of [3000, 1000]) {
		await notePublishedAt(ledger, 'flow', at);
		expect((await read())?.publishedAt).toBe(Math.min(at, 2000));
	}
});

it('writes only what is new, and once an hour that the trigger is there', async () => {
	const { note, read } = worldOf();
	expect(await note('a', 0)).toBe(true);
	expect(await note('a', HOUR - 1)).toBe(false);
	expect(await note('a', HOUR)).toBe(true);
	expect((await read())?.triggers['a']?.seenAt).toBe(HOUR);
	expect(await note('a', HOUR + 1, { access: 'anyWorkflow' })).toBe(true);
	expect((await read())?.triggers['a']?.settings.access).toBe('anyWorkflow');
});

it('writes that the trigger is there when the clock was set back, since its time lay ahead', async () => {
	const { note, read } = worldOf();
	await note('a', 0);
	await note('a', 10 * HOUR);
	expect(await note('a', 8 * HOUR)).toBe(true);
	expect((await read())?.triggers['a']?.seenAt).toBe(8 * HOUR);
});

it('forgets the triggers that the workflow no longer has, and keeps all where that is unknown', async () => {
	const { note, read } = worldOf();
	for (const id of ['a', 'b', 'c']) await note(id, 0);
	expect(Object.keys((await read())?.triggers ?? {})).toEqual(['a', 'b', 'c']);
	expect(await note('c', 1, {}, ['b', 'c', 'another'])).toBe(true);
	expect(Object.keys((await read())?.triggers ?? {})).toEqual(['b', 'c']);
});

it('wants what a poll trigger wants, or a webhook trigger if there is none', () => {
	const of = (...triggers: PublishedSettings[]): Publication => ({
		publishedAt: 0,
		triggers: Object.fromEntries(
			triggers.map((each, n) => [`node-${n}`, { seenAt: n, settings: each }]),
		),
	});
	const event = (type: string) => ({ id: 'a', type, record: { id: 'a', type } });
	const isA = { conditions: { condition: [{ field: 'type', operator: 'equals', value: 'a' }] } };
	const webhook = settings({ eventTypes: ['b'] });
	expect(['a', 'b'].map(event).map(triggersIn(undefined).isReplayed)).toEqual([true, true]);
	expect(['a', 'b'].map(event).map(triggersIn(of(webhook)).isReplayed)).toEqual([false, true]);
	const poll = settings({ kind: 'poll', ...isA });
	expect(['a', 'b'].map(event).map(triggersIn(of(webhook, poll)).isReplayed)).toEqual([
		true,
		false,
	]);
	const { polls } = triggersIn(of(webhook, poll));
	expect(polls).toMatchObject([{ nodeId: 'node-1', seenAt: 1 }]);
	expect(['a', 'b'].map((type) => polls[0]?.wants(event(type)))).toEqual([true, false]);
});

it('expects what any of the triggers wants, and everything if nothing was recorded', async () => {
	const event = (type: string) => ({ id: 'a', type, record: { id: 'a', type } });
	const { note, read } = worldOf();
	const expected = async () => {
		const { isWanted } = triggersIn(await read());
		return ['a', 'b', 'c'].filter((type) => isWanted(event(type))).join('');
	};
	expect(await expected()).toBe('abc');
	await note('webhook', 0, { eventTypes: ['a'] });
	expect(await expected()).toBe('a');
	const condition = [{ field: 'type', operator: 'equals', value: 'b' }];
	await note('poll', 0, { kind: 'poll', conditions: { condition } });
	expect(await expected()).toBe('ab');
});

it('expects everything of a trigger that an older version recorded without types and conditions', async () => {
	const { ledger, read } = worldOf();
	const settings = { kind: 'webhook', access: 'anyWorkflow', accountWorkflowIds: [] };
	const older = { publishedAt: 1, triggers: { a: { seenAt: 1, settings } } };
	await ledger.swapRecord('workflow:flow', undefined, recordText(older));
	const publication = await read();
	expect(publication?.publishedAt).toBe(1);
	expect(triggersIn(publication).isWanted({ id: 'a', type: 'x', record: { id: 'a' } })).toBe(true);
});
