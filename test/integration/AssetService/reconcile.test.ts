import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import type { PublishedSettings } from '../../../lib/accounts';
import { ledgerKey, newAttempt, openLedger, type Ledger, type Outcome } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { hostClock } from '../../../lib/ledger/sqlite/hostClock';
import { SqliteStore } from '../../../lib/ledger/sqlite/store';
import { stopWorlds } from '../../unit/service/world';
import { publish } from './publish';
import { ASSETS, containing, failure, pages, records, run, serving } from './runs';

const EVENTS = '/webhooks/v1/webhook-events';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The workflow that runs the node, and another one. */
const OWN = 'workflow-1';
const OTHER = 'workflow-2';
const folder = mkdtempSync(join(tmpdir(), 'asset-service-reconcile-'));
const path = join(folder, 'ledger.sqlite');
const ledger = () => openLedger({ log: () => undefined });
/** Writes entries as of twenty minutes ago, so that their grace is over by now. */
const clock = { ...hostClock(), now: () => Date.now() - 20 * MINUTE };
const earlier = new EventLedger({ store: new SqliteStore({ path, clock }) });

beforeAll(() => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = path;
});
afterEach(stopWorlds);
afterAll(async () => {
	await earlier.close();
	await (await ledger()).close();
	rmSync(folder, { recursive: true, force: true });
});

/** An execution begins with the events, and ends. */
const begin = async (
	workflowId: string,
	ids: readonly string[],
	{ run = 'run', outcome = 'succeeded' }: { run?: string; outcome?: Outcome } = {},
) => {
	const keys = ids.map((id) => ledgerKey(workflowId, id));
	const store = await ledger();
	await store.begin(keys, { run, acknowledge: 'stored', retentionMs: 35 * DAY });
	await store.end(run, outcome);
};
const claim = async (store: Ledger, workflowId: string, id: string) => {
	const answer = await store.claim(ledgerKey(workflowId, id));
	if (answer.state !== 'claimed') throw new Error(`${id} is ${answer.state}`);
	return answer.claim;
};

const reconcile: INodeParameters = { resource: 'event', operation: 'reconcile' };
const event = (id: string | number, minutesAgo: number, more: object = {}) => ({
	id: String(id),
	eventType: 'ocpp.message',
	createdAt: new Date(Date.now() - minutesAgo * MINUTE).toISOString(),
	...more,
});
/** The service lists these events. */
const reconciled = async (
	listed: readonly { id: string }[],
	parameters: INodeParameters = {},
	more: Parameters<typeof run>[2] = {},
) => {
	const world = await serving((request) => pages(listed, request));
	return { world, ...(await run(world, { ...reconcile, ...parameters }, more)) };
};
const statesIn = async (...asked: Parameters<typeof reconciled>) => {
	const result = await reconciled(...asked);
	const found = await records(Promise.resolve(result));
	const states = found.map(({ id, state }) => `${id as string} ${state as string}`);
	return { ...result, found, states };
};

it('names the hundred gaps in a list of two thousand events, and reads a day of a month', async () => {
	const recent = Array.from({ length: 2000 }, (_, n) => event(`ev_${n}`, n / 2));
	const older = Array.from({ length: 8000 }, (_, n) => event(`old_${n}`, 1441 + n * 5));
	const expected = new Map(recent.map(({ id }) => [id, 'done']));
	const gaps = recent.filter((_, n) => n % 20 === 7).map(({ id }) => id);
	expect(gaps).toHaveLength(100);
	await begin(
		OWN,
		recent.map(({ id }) => id).filter((id) => !gaps.includes(id)),
	);
	for (const [n, id] of gaps.entries()) {
		expected.set(id, n >= 40 && n < 70 ? 'stored' : 'missing');
		if (n < 40) continue;
		const held = await claim(earlier, OWN, id);
		if (n < 70) await earlier.commit([held], 35 * DAY);
		else await earlier.release([held]);
	}
	const stored = ledgerKey(OWN, gaps[40] ?? '');
	expect((await (await ledger()).look(stored)).state).toBe('overdue');

	const { found, world } = await statesIn([...recent, ...older]);
	expect(new Map(found.map(({ id, state }) => [id, state]))).toEqual(expected);
	expect(found.map(({ id }) => id)).toEqual(recent.map(({ id }) => id));
	expect(found.filter(({ state }) => state === 'missing')).toHaveLength(70);
	// 20 pages cover the day, and one more shows its end; the next one may already be requested by then.
	expect(world.service.to(EVENTS).length).toBeLessThanOrEqual(23);
	// It claimed nothing and wrote nothing.
	expect((await (await ledger()).look(stored)).state).toBe('overdue');
	expect((await (await ledger()).look(ledgerKey(OWN, gaps[0] ?? ''))).state).toBe('free');
});

it('returns the fields that identify an event, with its state, for each state', async () => {
	const begunAt = Date.now() - MINUTE;
	const outcomes = ['succeeded', 'failed', 'canceled', 'asleep', 'lost'] as const;
	for (const outcome of outcomes) {
		await begin(OWN, [outcome], { run: newAttempt('4711', begunAt), outcome });
	}
	const store = await ledger();
	await store.commit([await claim(store, OWN, 'stored')], 35 * DAY);
	const held = await claim(store, OWN, 'pending');
	const payload = { asset: { id: 'as_1' }, status: 'Faulted' };
	const listed = [
		event('succeeded', 1, { payload }),
		event('stored', 2),
		event('pending', 3, { type: 'asset.created' }),
		event('missing', 4, { createdAt: undefined }),
		...outcomes.slice(1).map((outcome) => event(outcome, 5)),
	];
	const { found, states } = await statesIn(listed);
	await store.release([held]);
	const [first, second, third] = listed;
	// In n8n's table, a field that some items lack would be `undefined`.
	const unknown = {
		...{ executionId: null, executionUrl: null, begunAt: null, endedAt: null, attempts: null },
		...{ asset: null, assetId: null, type: 'ocpp.message' },
	};
	expect(found.slice(0, 4)).toEqual([
		{
			...{ id: 'succeeded', type: 'ocpp.message', createdAt: first?.createdAt },
			...{ asset: 'as_1', assetId: 'as_1', state: 'done', attempts: 1 },
			...{ executionId: '4711', executionUrl: null, begunAt: new Date(begunAt).toISOString() },
			endedAt: expect.stringMatching(/Z$/) as string,
		},
		{ ...unknown, id: 'stored', createdAt: second?.createdAt, state: 'stored' },
		{
			...unknown,
			id: 'pending',
			type: 'asset.created',
			createdAt: third?.createdAt,
			state: 'pending',
		},
		{ ...unknown, id: 'missing', createdAt: null, state: 'missing' },
	]);
	expect(Object.keys(found[0] ?? {})).toEqual([
		...['createdAt', 'asset', 'state', 'executionId', 'executionUrl', 'begunAt', 'endedAt'],
		...['attempts', 'id', 'type', 'assetId'],
	]);
	expect(states.slice(4)).toEqual([
		...['failed failed', 'canceled failed', 'asleep asleep', 'lost interrupted'],
	]);
	expect(found.slice(4).map(({ endedAt }) => endedAt !== null)).toEqual([true, true, false, false]);
});

const selector = (mode: string, value: string): INodeParameters['workflowId'] => ({
	...{ __rl: true, mode, value },
});
it.each<[string, INodeParameters['workflowId'], string[]]>([
	['this workflow by default', undefined, ['own done', 'other missing']],
	['this workflow where the ID is empty', ' ', ['own done', 'other missing']],
	['this workflow by expression', '={{ $workflow.id }}', ['own done', 'other missing']],
	['this workflow if none is selected', selector('list', ''), ['own done', 'other missing']],
	['another workflow', OTHER, ['own missing', 'other done']],
	['another workflow, selected', selector('id', OTHER), ['own missing', 'other done']],
	[
		'another workflow by URL',
		`https://n8n.test/projects/p/workflow/${OTHER}/executions?x=/workflow/`,
		['own missing', 'other done'],
	],
	[
		'another workflow, selected by expression',
		selector('id', `={{ "${OTHER}" }}`),
		['own missing', 'other done'],
	],
])('compares with %s', async (_name, workflowId, states) => {
	await begin(OWN, ['own']);
	await begin(OTHER, ['other']);
	await publish(OTHER);
	const parameters = workflowId === undefined ? {} : { workflowId };
	expect((await statesIn([event('own', 5), event('other', 6)], parameters)).states).toEqual(states);
});

it.each<[string, INodeParameters, string[]]>([
	['the last 24 hours by default', {}, ['a', 'b', 'c']],
	[
		'what is later than a time',
		{ createdAfter: '={{ $now.minus({ days: 2 }) }}' },
		['a', 'b', 'c', 'd'],
	],
	['types', { eventTypes: ['asset.*', ''] }, ['b', 'c']],
	[
		'types of both fields',
		{ eventTypes: ['ocpp.message', '__other__'], otherEventTypes: 'asset.created' },
		['a', 'b'],
	],
	['types as one text', { eventTypes: '={{ "asset.created, ocpp.*" }}' }, ['a', 'b']],
])('looks at %s', async (_name, parameters, ids) => {
	const listed = [
		event('a', 1),
		event('b', 60, { eventType: 'asset.created' }),
		event('c', 1439, { eventType: 'asset.deleted' }),
		event('d', 1441),
	];
	await begin(OWN, ids);
	const { found } = await statesIn(listed, parameters);
	expect(found.map(({ id }) => id)).toEqual(ids);
});

it('leaves out events without an ID, and reports how many', async () => {
	await begin(OWN, ['b']);
	const items = [{ ...event('a', 1), id: '' }, event('b', 1), { ...event('c', 1), id: null }];
	const world = await serving(() => ({ body: { items, hasMore: false } }));
	const { items: found, hints } = await run(world, reconcile);
	expect(found.map(({ json }) => json)).toMatchObject([{ id: 'b', state: 'done' }]);
	expect(hints).toMatchObject([{ type: 'warning', message: containing('2 of the listed events') }]);
});

it('does not report events as missing that were created before the workflow was first published', async () => {
	const workflowId = 'published';
	const now = Date.now();
	await publish(workflowId, { at: now - 60 * MINUTE });
	// As after a restart of n8n.
	await publish(workflowId, { at: now - 10 * MINUTE });
	const before = [event('before', 61), event('replayed', 62)];
	await begin(workflowId, ['replayed', 'first']);
	const timeless = event('timeless', 59, { createdAt: undefined });
	const listed = [event('first', 58), event('lost', 59), timeless, ...before];
	const { items, hints } = await reconciled(listed, { workflowId });
	expect(items.map(({ json }) => [json['id'], json['state']])).toEqual([
		['first', 'done'],
		['lost', 'missing'],
		['timeless', 'missing'],
		['replayed', 'done'],
	]);
	expect(hints).toMatchObject([{ message: containing('Left out 1 event from before') }]);
	// On the first night, nothing may have arrived yet.
	expect((await reconciled([event('before', 61)], { workflowId })).items).toEqual([]);
});

const message = (text: string) => expect.objectContaining({ message: containing(text) }) as unknown;

it.each([
	['of all types', {}],
	['of the type that is filtered by', { eventTypes: ['site.created'] }],
	[
		'that meet the conditions',
		{ conditions: { condition: [{ field: 'type', operator: 'equals', value: 'site.created' }] } },
	],
])('shows events %s as missing if none has arrived, with a hint', async (what, parameters) => {
	const workflowId = `missing ${what}`;
	await publish(workflowId, { at: Date.now() - 60 * MINUTE });
	const lost = Array.from({ length: 7 }, (_, n) => event(n, 50, { eventType: 'site.created' }));
	if (what !== 'of all types') await begin(workflowId, ['arrived']);
	const listed = [...lost, ...(what === 'of all types' ? [] : [event('arrived', 51)])];
	const { items, hints, error } = await reconciled(listed, { workflowId, ...parameters });
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => json['state'])).toEqual(lost.map(() => 'missing'));
	expect(hints).toEqual([message('All 7 events are missing')]);
});

it('fails only if the ledger has no trace of the workflow at all', async () => {
	const strange = [event('strange', 1), event('stranger', 2)];
	expect(await failure(reconciled(strange))).toMatchObject({
		message: `No listed event has reached the workflow "${OWN}"`,
		description: containing("if they start another one, enter it in 'Workflow ID'"),
	});
	await begin(OWN, ['reached']);
	const site = event('site', 3, { eventType: 'site.created' });
	const { items, hints } = await reconciled([event('reached', 1), site], {
		eventTypes: ['site.created'],
	});
	expect(items.map(({ json }) => json['state'])).toEqual(['missing']);
	expect(hints).toEqual([message('The only event is missing')]);
	const empty = await reconciled([]);
	expect([empty.items, empty.hints]).toEqual([[], [message('no trace of the workflow')]]);
});

it.each<[string, INodeParameters, string]>([
	['a type', { eventTypes: ['ocpp.mesage'] }, 'None of 2 listed events has one of the event types'],
	[
		'a condition that no event meets',
		{ conditions: { condition: [{ field: 'data.status', operator: 'equals', value: 'faulted' }] } },
		"No listed event meets the condition 'Connectivity State equals faulted'. Case matters: one of them has 'Faulted'",
	],
	[
		'the path of a condition',
		{ conditions: { condition: [{ field: 'data.statu', operator: 'equals', value: 'Faulted' }] } },
		"None of 2 events has a field 'data.statu'. Did you mean 'data.status'?",
	],
	[
		'conditions that no event meets together',
		{
			conditions: {
				condition: [
					{ field: 'data.status', operator: 'equals', value: 'Faulted' },
					{ field: 'id', operator: 'equals', value: 'doubt_1' },
				],
			},
		},
		'No listed event meets all conditions',
	],
])('gives no silent all-clear for %s', async (_what, parameters, hint) => {
	const listed = ['Faulted', 'Available'].map((status, n) =>
		event(`doubt_${n}`, 5, { payload: { status } }),
	);
	await begin(OWN, ['doubt_0', 'doubt_1']);
	const { items, hints } = await reconciled(listed, parameters);
	expect([items, hints]).toEqual([[], [message(hint)]]);
});

it('shows only the selected states, in a time range', async () => {
	await begin(OWN, ['state_failed'], { run: 'a', outcome: 'failed' });
	await begin(OWN, ['state_done'], { run: 'b' });
	const listed = ['done', 'failed', 'missing'].map((state, n) =>
		event(`state_${state}`, 10 * n + 5),
	);
	const idsFor = async (parameters: INodeParameters) =>
		(await statesIn(listed, parameters)).found.map(({ id }) => id);
	expect(await idsFor({ states: ['failed', 'missing'] })).toEqual([
		'state_failed',
		'state_missing',
	]);
	expect(await idsFor({ states: '={{ "failed, Done" }}' })).toEqual(['state_done', 'state_failed']);
	expect(await idsFor({ states: ['interrupted'] })).toEqual([]);
	expect(await idsFor({ createdBefore: '={{ $now.minus({ minutes: 20 }) }}' })).toEqual([
		'state_missing',
	]);
	expect(await failure(reconciled(listed, { states: '={{ "lost" }}' }))).toMatchObject({
		message: "'States' has no 'lost'",
	});
});

it('shows assets by name, reading their list once, and by ID if it cannot be read', async () => {
	const of = (id: string, asset: string) => event(id, 5, { payload: { asset: { id: asset } } });
	const listed = [of('named_1', 'as_1'), of('named_2', 'as_2')];
	await begin(OWN, ['named_1', 'named_2']);
	const names = { data: { items: [{ id: 'as_1', name: 'Gare du Nord 2' }], hasMore: false } };
	const world = await serving((request) =>
		request.path === ASSETS ? { body: names } : pages(listed, request),
	);
	const { items } = await run(world, reconcile, { input: [{}, {}] });
	const shown = ['Gare du Nord 2', 'as_2'];
	expect(items.map(({ json }) => json['asset'])).toEqual([...shown, ...shown]);
	expect(world.service.to(ASSETS)).toHaveLength(1);
	const closed = await serving((request) =>
		request.path === ASSETS ? { status: 403, body: {} } : pages(listed, request),
	);
	const { items: byId, hints } = await run(closed, reconcile);
	expect(byId.map(({ json }) => json['asset'])).toEqual(['as_1', 'as_2']);
	expect(hints).toEqual([message('Assets appear by ID')]);
});

it('reads no list of assets for events without one', async () => {
	await begin(OWN, ['general']);
	const { found, world } = await statesIn([event('general', 5)]);
	expect(found).toMatchObject([{ id: 'general', asset: null }]);
	expect(world.service.to(ASSETS)).toEqual([]);
});

it.each([
	['linked', '4711', '4711'],
	['odd', '4711/../a b?', '4711%2F..%2Fa%20b%3F'],
])('links to the execution where the address of n8n is known: %s', async (of, id, inUrl) => {
	await begin(OWN, [of], { run: newAttempt(id) });
	const address = { instanceBaseUrl: 'https://n8n.example.com/' };
	const { items } = await reconciled([event(of, 5)], {}, address);
	expect(items.map(({ json }) => json['executionUrl'])).toEqual([
		`https://n8n.example.com/workflow/${OWN}/executions/${inUrl}`,
	]);
});

it.each<[string, Partial<PublishedSettings> | undefined, boolean]>([
	['nothing was recorded', undefined, false],
	['only the workflow itself has access', { access: 'thisWorkflow' }, false],
	['others are selected', { access: 'selectedWorkflows', accountWorkflowIds: ['x'] }, false],
	['it is selected', { access: 'selectedWorkflows', accountWorkflowIds: ['x', OWN] }, true],
	['any workflow has access', { access: 'anyWorkflow' }, true],
])('shows the events of another workflow or not: %s', async (what, settings, isShown) => {
	const workflowId = `of another user: ${what}`;
	await begin(workflowId, ['secret']);
	if (settings) await publish(workflowId, settings);
	const result = reconciled([event('secret', 5)], { workflowId });
	if (isShown) {
		expect(await records(result)).toHaveLength(1);
		return;
	}
	expect(await failure(result)).toMatchObject({
		message: containing('does not give this workflow access to its events'),
		description: containing("'Other Workflows That May Replay'"),
	});
	expect((await result).world.service.to(EVENTS)).toEqual([]);
});

it.each<[string, Partial<PublishedSettings>, boolean]>([
	['not by default', { access: 'thisWorkflow' }, false],
	['not if it is selected', { access: 'selectedWorkflows', accountWorkflowIds: [OWN] }, false],
	['if any workflow has access', { access: 'anyWorkflow' }, true],
])(
	'shows a sub-workflow the events of the workflow with its ID: %s',
	async (_what, settings, isShown) => {
		await begin(OWN, ['inline']);
		await publish(OWN, settings);
		const result = reconciled([event('inline', 5)], {}, { mode: 'integrated' });
		if (isShown) expect(await records(result)).toHaveLength(1);
		else {
			expect(await failure(result)).toMatchObject({
				message: containing('A sub-workflow has no access'),
				description: containing("'Any Workflow'"),
			});
		}
	},
);

it.each<[INodeParameters, string]>([
	[{ createdAfter: 'soon' }, "'Created After' is not a date and time"],
	[{ workflowId: '={{ null }}' }, "'Workflow ID' cannot be null"],
	[{ workflowId: '={{ { "mode": "id" } }}' }, "'Workflow ID' cannot be an object"],
	[{ eventTypes: '={{ [{}] }}' }, "'Event Types' cannot be a list"],
	[{ eventTypes: ['ocpp.message', '__other__'] }, "'Other Event Types' is empty"],
])('lists nothing for %j', async (parameters, message) => {
	const result = reconciled([], parameters);
	expect(await failure(result)).toMatchObject({ message });
	expect((await result).world.service.to(EVENTS)).toEqual([]);
});

it('says what to do while the ledger is down', async () => {
	const away = join(folder, 'away');
	mkdirSync(away);
	await (await ledger()).close();
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = away;
	try {
		expect(await failure(reconciled([event('a', 1)]))).toMatchObject({
			message: containing('The event ledger is not available'),
			description: containing(away),
		});
	} finally {
		await (await ledger()).close();
		process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = path;
	}
});

it('leaves out events that the conditions of the trigger exclude, and rejects conditions that cannot be met', async () => {
	const condition = { field: 'data.status', operator: 'equals', value: 'Faulted' };
	const listed = ['Faulted', 'Available'].map((status, n) =>
		event(`status_${n}`, 5, { payload: { status } }),
	);
	await begin(OWN, ['status_0']);
	const { states } = await statesIn(listed, { conditions: { condition: [condition] } });
	expect(states).toEqual(['status_0 done']);
	const unmeetable = { ...condition, operator: 'lessThan' };
	await expect(reconciled(listed, { conditions: { condition: [unmeetable] } })).rejects.toThrow(
		`"Correct 'Value': enter a number" is required`,
	);
});

describe('applies what the triggers of the workflow want', () => {
	const condition = [{ field: 'data.status', operator: 'equals', value: 'Faulted' }];
	const typed = (id: string, eventType: string, status?: string) =>
		event(id, 5, { eventType, payload: { status } });
	const listed = [
		typed('fault', 'ocpp.message', 'Faulted'),
		typed('lost', 'ocpp.message', 'Faulted'),
		typed('quiet', 'ocpp.message', 'Available'),
		typed('site', 'site.created'),
		// It began when the trigger had other settings.
		typed('earlier', 'asset.deleted'),
	];
	const statesOf = async (workflowId: string, parameters: INodeParameters = {}) => {
		await begin(workflowId, ['fault', 'earlier']);
		return await statesIn(listed, { workflowId, ...parameters });
	};

	it('lists what they want without a filter, and says what it left out', async () => {
		const workflowId = 'wants faults';
		await publish(workflowId, { eventTypes: ['ocpp.*'], conditions: { condition } });
		const { states, hints } = await statesOf(workflowId);
		expect(states).toEqual(['fault done', 'lost missing', 'earlier done']);
		expect(hints).toMatchObject([
			{ type: 'info', message: containing('Left out 2 events that no trigger') },
		]);
	});

	it('lists the others as ignored only if that state is selected', async () => {
		const workflowId = 'wants some';
		await publish(workflowId, { eventTypes: ['ocpp.*'], conditions: { condition } });
		const { states, hints } = await statesOf(workflowId, { states: ['ignored', 'missing'] });
		expect(states).toEqual(['lost missing', 'quiet ignored', 'site ignored']);
		expect(hints).toEqual([]);
		const narrowed = await statesOf(workflowId, { states: ['ignored'], eventTypes: ['site.*'] });
		expect(narrowed.states).toEqual(['site ignored']);
	});

	it('counts an event if any of several triggers wants it', async () => {
		const workflowId = 'wants by two';
		await publish(workflowId, { eventTypes: ['ocpp.*'], conditions: { condition } });
		await publish(workflowId, { nodeId: 'another', kind: 'poll', eventTypes: ['site.created'] });
		expect((await statesOf(workflowId)).states).toEqual([
			...['fault done', 'lost missing', 'site missing', 'earlier done'],
		]);
	});
});

it('warns once of a condition whose field no event has', async () => {
	const listed = [event('a', 1, { payload: { errorCode: 'E1' } }), event('b', 2)];
	await begin(OWN, ['a']);
	const condition = [{ field: 'data.erorCode', operator: 'notEquals', value: 'E1' }];
	const twice = { input: [{}, {}] };
	const { items, hints } = await reconciled(listed, { conditions: { condition } }, twice);
	expect(items.map(({ json }) => json['id'])).toEqual(['a', 'b', 'a', 'b']);
	const expected = "None of 2 events has a field 'data.erorCode'. Did you mean 'data.errorCode'?";
	expect(hints).toEqual([{ message: expected, type: 'warning', location: 'outputPane' }]);

	const met = { conditions: { condition: [{ ...condition[0], field: 'data.errorCode' }] } };
	expect((await reconciled(listed, met)).hints).toEqual([]);
});
