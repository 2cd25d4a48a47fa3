import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';
import { readPublication, type PublishedSettings } from '../../../lib/accounts';
import {
	ledgerKey,
	LedgerUnavailableError,
	newAttempt,
	openLedger,
	type Outcome,
} from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { recordIn } from '../../support/records';
import { stopWorlds } from '../../unit/service/world';
import { publish as publishAny } from './publish';
import { containing, failure, pages, run, serving } from './runs';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The workflow that runs the node. */
const OWN = 'workflow-1';
const folder = mkdtempSync(join(tmpdir(), 'asset-service-replay-'));
const ledger = () => openLedger({ log: () => undefined });
const replay: INodeParameters = { resource: 'event', operation: 'replay' };

beforeEach(() => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = join(
		mkdtempSync(join(folder, 'l')),
		'l.sqlite',
	);
});
afterEach(async () => {
	await stopWorlds();
	await (await ledger()).close();
});
afterAll(() => {
	rmSync(folder, { recursive: true, force: true });
});

const event = (id: string, minutesAgo: number, eventType = 'ocpp.message') => ({
	...{ id, eventType, payload: { asset: { id: 'as_1' } } },
	createdAt: new Date(Date.now() - minutesAgo * MINUTE).toISOString(),
});
const LISTED = [event('a', 5), event('b', 60, 'asset.created'), event('c', 600), event('d', 1500)];
const begin = async (ids: readonly string[], outcome: Outcome = 'failed') => {
	const keys = ids.map((id) => ledgerKey(OWN, id));
	const run = newAttempt('4711');
	const store = await ledger();
	await store.begin(keys, { run, acknowledge: 'stored', retentionMs: 35 * DAY });
	await store.end(run, outcome);
};
/** A poll trigger of the workflow is published that wants every event, by default. */
const publish = async (more: Parameters<typeof publishAny>[1] = {}, workflowId = OWN) => {
	await publishAny(workflowId, { kind: 'poll', access: 'thisWorkflow', ...more });
};
const stateOf = async (id: string) => (await (await ledger()).look(ledgerKey(OWN, id))).state;
const message = (text: string) => expect.objectContaining({ message: containing(text) }) as unknown;
/** The events of all requests that wait for a poll. */
const requested = async () => {
	const store = await ledger();
	const keys = Object.values((await readPublication(store, OWN))?.replays ?? {}).flat();
	const texts = await Promise.all(keys.map((key) => store.readRecord(key)));
	return texts.flatMap((text) => (recordIn(text) as { events: { id: string }[] }).events);
};
const replayed = async (
	parameters: INodeParameters,
	listed: readonly { readonly id: string }[] = LISTED,
) => {
	const world = await serving((request) => pages(listed, request));
	const { items, hints } = await run(world, { ...replay, ...parameters });
	return { found: items.map(({ json }) => json), hints };
};

it('by default, shows the events that would run again and changes nothing', async () => {
	await publish();
	await begin(['a']);
	await begin(['b'], 'succeeded');
	const { found, hints } = await replayed({});
	expect(found).toMatchObject([
		{
			id: 'a',
			state: 'failed',
			executionId: '4711',
			attempts: 1,
			replayed: false,
			reason: 'dry run',
		},
		{ id: 'c', state: 'missing', replayed: false, reason: 'dry run' },
	]);
	expect(hints).toEqual([message('Dry run: 2 events would start again')]);
	expect(await stateOf('a')).toBe('failed');
	expect(await stateOf('c')).toBe('free');
	expect(await requested()).toEqual([]);
});

it('returns the fields of Reconcile, with null for what neither the list nor the ledger has', async () => {
	await begin(['a'], 'succeeded');
	const { found } = await replayed({ eventIds: 'a, gone' });
	expect(found).toEqual([
		{
			...{ id: 'a', type: 'ocpp.message', createdAt: LISTED[0]?.createdAt, assetId: 'as_1' },
			...{ asset: 'as_1', state: 'done', executionId: '4711', executionUrl: null, attempts: 1 },
			...{ replayed: false, reason: 'dry run' },
			begunAt: expect.stringMatching(/Z$/) as string,
			endedAt: expect.stringMatching(/Z$/) as string,
		},
		{
			...{ id: 'gone', type: null, createdAt: null, assetId: null, asset: null },
			...{ state: 'missing', executionId: null, executionUrl: null, attempts: null },
			...{ begunAt: null, endedAt: null, replayed: false, reason: 'not listed' },
		},
	]);
	expect(Object.keys(found[0] ?? {}).slice(0, 6)).toEqual([
		...['createdAt', 'asset', 'state', 'replayed', 'reason', 'executionId'],
	]);
});

it.each<[string, INodeParameters, string[]]>([
	['of the last 24 hours', {}, ['a', 'b', 'c']],
	[
		'of a time',
		{
			createdAfter: '={{ $now.minus({ days: 3 }) }}',
			createdBefore: '={{ $now.minus({ hours: 2 }) }}',
		},
		['c', 'd'],
	],
	['of types', { eventTypes: ['asset.*'] }, ['b']],
	[
		'that meet conditions',
		{ conditions: { condition: [{ field: 'type', operator: 'equals', value: 'asset.created' }] } },
		['b'],
	],
	['by ID, whenever they were created', { eventIds: 'd, a', eventTypes: ['asset.*'] }, ['a', 'd']],
	['by ID, on lines', { eventIds: 'd\na' }, ['a', 'd']],
	['by ID, with spaces', { eventIds: '  d   a ' }, ['a', 'd']],
	['by ID, as a list', { eventIds: '={{ ["d", "a"] }}' }, ['a', 'd']],
])('reopens the events %s', async (_name, parameters, ids) => {
	await publish();
	await begin(['a', 'b', 'c', 'd']);
	const { found, hints } = await replayed({ ...parameters, dryRun: false });
	expect(found.map(({ id }) => id)).toEqual(ids);
	for (const each of found) expect(each).toMatchObject({ replayed: true, reason: null });
	for (const id of ['a', 'b', 'c', 'd']) {
		expect(await stateOf(id)).toBe(ids.includes(id) ? 'overdue' : 'failed');
	}
	expect(hints).toEqual([message(`${ids.length} event`)]);
	expect((await requested()).map(({ id }) => id).sort()).toEqual(ids);
});

it('notes where each event is in the list', async () => {
	await publish();
	await replayed({ dryRun: false, eventIds: 'a d' });
	expect(await requested()).toEqual([
		{ id: 'd', after: 'c', index: 3, createdAt: Date.parse(LISTED[3]?.createdAt ?? '') },
		{ id: 'a', index: 0, createdAt: Date.parse(LISTED[0]?.createdAt ?? '') },
	]);
});

it.each<[INodeParameters, string[]]>([
	[{}, ['b', 'c', 'e']],
	[{ states: ['done'] }, ['a']],
	[{ states: ['failed', 'asleep'] }, ['b', 'd']],
	[{ eventIds: 'a,d' }, ['a', 'd']],
])('reopens events in the states %j', async (parameters, ids) => {
	await publish();
	await begin(['a'], 'succeeded');
	await begin(['b'], 'failed');
	await begin(['c'], 'lost');
	await begin(['d'], 'asleep');
	const listed = ['a', 'b', 'c', 'd', 'e'].map((id) => event(id, 5));
	const { found } = await replayed({ dryRun: false, ...parameters }, listed);
	expect(found.map(({ id, replayed: is }) => [id, is])).toEqual(ids.map((id) => [id, true]));
});

it('leaves each event to the poll trigger that wants it', async () => {
	await publish({ eventTypes: ['ocpp.*'], nodeId: 'first' });
	await publish({ eventTypes: ['asset.*'], nodeId: 'second' });
	await replayed({ dryRun: false, eventIds: 'a b' });
	const store = await ledger();
	const { replays = {} } = (await readPublication(store, OWN)) ?? {};
	const idsOf = async (nodeId: string) => {
		const texts = (replays[nodeId] ?? []).map(async (key) => await store.readRecord(key));
		return (await Promise.all(texts)).join();
	};
	expect(await idsOf('first')).toMatch(/"id":"a"/);
	expect(await idsOf('second')).toMatch(/"id":"b"/);
	expect(Object.values(replays).flat()).toHaveLength(2);
});

it('selects no event without a time, which may be an old one, but takes it by ID', async () => {
	await publish();
	const listed = [event('new', 5), { ...event('timeless', 5), createdAt: undefined }];
	const idsOf = async (parameters: INodeParameters) =>
		(await replayed(parameters, listed)).found.map(({ id }) => id);
	expect(await idsOf({})).toEqual(['new']);
	expect(await idsOf({ eventIds: 'timeless' })).toEqual(['timeless']);
});

it('selects from the start of a period, which belongs to it, to its end, which does not', async () => {
	await publish();
	const listed = [event('later', 5), event('at the end', 10), event('at the start', 20)];
	const [, end, start] = listed.map(({ createdAt }) => createdAt);
	const { found } = await replayed({ createdAfter: start ?? '', createdBefore: end ?? '' }, listed);
	expect(found.map(({ id }) => id)).toEqual(['at the start']);
});

it('says what to do if the ledger fails while it reopens events', async () => {
	await publish();
	await begin(['a']);
	const reopen = jest
		.spyOn(EventLedger.prototype, 'reopen')
		.mockRejectedValue(new LedgerUnavailableError('The disk is full.'));
	try {
		const world = await serving((request) => pages(LISTED, request));
		expect(await failure(run(world, { ...replay, dryRun: false }))).toMatchObject({
			message: containing('The event ledger is not available'),
			description: containing('Run the node again when the ledger is available'),
		});
	} finally {
		reopen.mockRestore();
	}
});

it('says for each event why it does not start again, and does not touch it', async () => {
	await publish({ eventTypes: ['ocpp.*'] });
	await (await ledger()).claim(ledgerKey(OWN, 'a'));
	const keys = [ledgerKey(OWN, 'c')];
	const run = newAttempt('4711');
	await (await ledger()).begin(keys, { run, acknowledge: 'stored', retentionMs: 35 * DAY });
	const { found, hints } = await replayed({ dryRun: false, eventIds: 'a, b, c, d, gone' });
	expect(found.map(({ id, replayed: is, reason }) => [id, is, reason])).toEqual([
		['a', false, 'pending'],
		['b', false, 'not wanted by the trigger'],
		['c', false, 'running'],
		['d', true, null],
		['gone', false, 'not listed'],
	]);
	expect(hints).toEqual([message('1 event starts again at the next poll.')]);
	expect(await stateOf('a')).toBe('pending');
	expect(await stateOf('b')).toBe('free');
	expect(await stateOf('c')).toBe('running');
	expect(await stateOf('gone')).toBe('free');
	await (await ledger()).end(run, 'succeeded');
});

it('writes nothing for invented IDs', async () => {
	await publish();
	await begin(['a']);
	const invented = Array.from({ length: 2_000 }, (_unused, n) => `invented_${n}`);
	const { found } = await replayed({ dryRun: false, eventIds: invented.join(' ') });
	expect(found).toHaveLength(2_000);
	for (const id of ['invented_0', 'invented_1999']) expect(await stateOf(id)).toBe('free');
	expect(await requested()).toEqual([]);
});

it.each([true, false])(
	'fails for a workflow that there is no trace of, with Dry Run %s',
	async (dryRun) => {
		const world = await serving((request) => pages(LISTED, request));
		expect(await failure(run(world, { ...replay, dryRun }))).toMatchObject({
			message: `No listed event has reached the workflow "${OWN}"`,
			description: containing('no trace of this workflow'),
		});
		expect(await stateOf('a')).toBe('free');
	},
);

it('takes at most 10,000 events, and reopens none of more', async () => {
	await publish();
	const listed = Array.from({ length: 10_001 }, (_unused, n) => event(`many_${n}`, n / 60));
	const world = await serving((request) => pages(listed, request));
	expect(await failure(run(world, { ...replay, dryRun: false }))).toMatchObject({
		message: 'Replay takes at most 10,000 events at a time, and more are selected',
	});
	expect(await stateOf('many_0')).toBe('free');
	const eventIds = listed.map(({ id }) => id).join(',');
	expect(await failure(run(world, { ...replay, dryRun: false, eventIds }))).toMatchObject({
		message: containing('at most 10,000 events'),
	});
	const { found } = await replayed({ dryRun: false }, listed.slice(0, 10_000));
	expect(found).toHaveLength(10_000);
	expect(await requested()).toHaveLength(10_000);
}, 60_000);

it.each<[string, Partial<PublishedSettings>, boolean]>([
	['not by default', {}, false],
	['if it is selected', { access: 'selectedWorkflows', accountWorkflowIds: [OWN] }, true],
])('replays the events of another workflow: %s', async (_what, settings, isAllowed) => {
	await publish(settings, 'another');
	const lines: string[] = [];
	class Logged extends AssetService {
		override async execute(this: IExecuteFunctions) {
			jest.spyOn(this.logger, 'info').mockImplementation((line) => void lines.push(line));
			return await AssetService.prototype.execute.call(this);
		}
	}
	const world = await serving((request) => pages(LISTED, request));
	const parameters = { ...replay, dryRun: false, workflowId: 'another' };
	const { items, error } = await run(world, parameters, { node: new Logged() });
	expect([items.length, error === undefined]).toEqual(isAllowed ? [3, true] : [0, false]);
	const state = (await (await ledger()).look(ledgerKey('another', 'a'))).state;
	expect(state).toBe(isAllowed ? 'overdue' : 'free');
	const [line] = lines.filter((each) => each.includes('start again'));
	if (isAllowed)
		expect(line).toMatch(/in workflow workflow-1: 3 events of workflow another start again$/);
	else expect(line).toBeUndefined();
});

describe.each([true, false])('with Dry Run %s', (dryRun) => {
	it('warns if no poll trigger would start the events', async () => {
		await publish({ kind: 'webhook' });
		expect((await replayed({ dryRun })).hints).toContainEqual(message('Delivery > Resend'));
	});

	it('warns if the poll trigger has not polled for days', async () => {
		await publish({ seenAt: Date.now() - 2 * DAY });
		expect((await replayed({ dryRun })).hints).toContainEqual(message('Delivery > Resend'));
	});

	it.each([
		['has polled', [0]],
		['polls once a day', [25 * 60 * MINUTE]],
		['has polled, and another one has not', [0, 2 * DAY]],
	])('does not warn if a poll trigger %s', async (_what, ages) => {
		for (const [n, age] of ages.entries()) {
			await publish({ seenAt: Date.now() - age, nodeId: `trigger ${n}` });
		}
		expect((await replayed({ dryRun })).hints).not.toContainEqual(message('Delivery > Resend'));
	});
});

it.each<[INodeParameters, string]>([
	[{ dryRun: 'maybe' }, "'Dry Run' is neither true nor false"],
	[{ createdBefore: 'soon' }, "'Created Before' is not a date and time"],
	[{ eventIds: '={{ ({}) }}' }, "'Event IDs' cannot be an object"],
	[{ states: '={{ ({}) }}' }, "'States' cannot be an object"],
])('reopens nothing for %j', async (parameters, expected) => {
	await begin(['a'], 'succeeded');
	const world = await serving((request) => pages(LISTED, request));
	expect(await failure(run(world, { ...replay, dryRun: false, ...parameters }))).toMatchObject({
		message: expected,
	});
	expect(await stateOf('a')).toBe('done');
});

it('warns of a condition whose field no event has, instead of silently reopening nothing', async () => {
	await publish();
	const condition = [{ field: 'eventTyp', operator: 'equals', value: 'asset.created' }];
	const { found, hints } = await replayed({ conditions: { condition } });
	expect(found).toEqual([]);
	expect(hints).toContainEqual(message("has a field 'eventTyp'."));
});
