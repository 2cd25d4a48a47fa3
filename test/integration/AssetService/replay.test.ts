import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { ledgerKey, newAttempt, openLedger } from '../../../lib/ledger';
import { stopWorlds } from '../../unit/service/world';
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
const begin = async (...ids: string[]) => {
	const keys = ids.map((id) => ledgerKey(OWN, id));
	const run = newAttempt('4711');
	const store = await ledger();
	await store.begin(keys, { run, acknowledge: 'stored', retentionMs: 35 * DAY });
	await store.end(run, 'succeeded');
};
const stateOf = async (id: string) => (await (await ledger()).look(ledgerKey(OWN, id))).state;
const replayed = async (parameters: INodeParameters) => {
	const world = await serving((request) => pages(LISTED, request));
	const { items, hints } = await run(world, { ...replay, ...parameters });
	return { found: items.map(({ json }) => json), hints };
};

it('by default, shows the events that would run again and changes nothing', async () => {
	await begin('a', 'b');
	const { found, hints } = await replayed({});
	expect(found).toMatchObject([
		{ id: 'a', state: 'done', executionId: '4711', attempts: 1, reopened: false },
		{ id: 'b', state: 'done', reopened: false },
		{ id: 'c', state: 'missing', reopened: false },
	]);
	expect(hints[0]).toMatchObject({ message: containing('Dry run: 3 events would start again') });
	expect(await stateOf('a')).toBe('done');
	expect(await stateOf('c')).toBe('free');
});

it('returns the fields of Reconcile, with null for what neither the list nor the ledger has', async () => {
	await begin('a');
	const { found } = await replayed({ eventIds: 'a, gone' });
	expect(found).toEqual([
		{
			...{ id: 'a', type: 'ocpp.message', createdAt: LISTED[0]?.createdAt, assetId: 'as_1' },
			...{ state: 'done', executionId: '4711', attempts: 1, reopened: false },
			begunAt: expect.stringMatching(/Z$/) as string,
			endedAt: expect.stringMatching(/Z$/) as string,
		},
		{
			...{ id: 'gone', type: null, createdAt: null, assetId: null },
			...{ state: 'missing', executionId: null, attempts: null, reopened: false },
			begunAt: null,
			endedAt: null,
		},
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
	[
		'by ID, whenever they were created',
		{ eventIds: 'd, a, gone', eventTypes: ['asset.*'] },
		['a', 'd', 'gone'],
	],
])('reopens the events %s', async (_name, parameters, ids) => {
	await begin('a', 'b', 'c', 'd');
	const { found } = await replayed({ ...parameters, dryRun: false });
	expect(found.map(({ id }) => id)).toEqual(ids);
	for (const each of found) expect(each['reopened']).toBe(true);
	for (const id of ['a', 'b', 'c', 'd']) {
		expect(await stateOf(id)).toBe(ids.includes(id) ? 'overdue' : 'done');
	}
});

it('does not touch an event that is being handed over', async () => {
	await (await ledger()).claim(ledgerKey(OWN, 'a'));
	const { found } = await replayed({ dryRun: false, eventIds: 'a' });
	expect(found).toMatchObject([{ id: 'a', state: 'pending', reopened: false }]);
	expect(await stateOf('a')).toBe('pending');
});

describe.each([true, false])('with Dry Run %s', (dryRun) => {
	const warning = expect.objectContaining({
		type: 'warning',
		message: containing('Delivery > Resend'),
	}) as unknown;

	it('warns if no poll trigger would start the events', async () => {
		expect((await replayed({ dryRun })).hints).toContainEqual(warning);
	});

	it('does not warn if a poll trigger has polled', async () => {
		const polled = JSON.stringify({ polledAt: Date.now() });
		await (await ledger()).swapRecord(`replay:${OWN}`, undefined, polled);
		expect((await replayed({ dryRun })).hints).not.toContainEqual(warning);
	});
});

it.each<[INodeParameters, string]>([
	[{ dryRun: 'maybe' }, "'Dry Run' is neither true nor false"],
	[{ createdBefore: 'soon' }, "'Created Before' is not a date and time"],
	[{ eventIds: '={{ ({}) }}' }, "'Event IDs' cannot be an object"],
])('reopens nothing for %j', async (parameters, message) => {
	await begin('a');
	const world = await serving((request) => pages(LISTED, request));
	expect(await failure(run(world, { ...replay, dryRun: false, ...parameters }))).toMatchObject({
		message,
	});
	expect(await stateOf('a')).toBe('done');
});

it('warns of a condition whose field no event has, instead of silently reopening nothing', async () => {
	const condition = [{ field: 'eventTyp', operator: 'equals', value: 'asset.created' }];
	const { found, hints } = await replayed({ conditions: { condition } });
	expect(found).toEqual([]);
	expect(hints).toContainEqual(
		expect.objectContaining({ message: containing("has a field 'eventTyp'.") }),
	);
});
