import { stopWorlds } from '../../unit/service/world';
import { failure, pages, records, run, serving } from './runs';

afterEach(stopWorlds);

const EVENTS = '/webhooks/v1/webhook-events';
const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const TYPES = ['ocpp.message', 'asset.connectivity', 'asset.created'];

/** One per hour, with alternating types. */
const events = Array.from({ length: 240 }, (_, index) => ({
	id: `ev_${index}`,
	eventType: TYPES[index % 3],
	createdAt: new Date(START + index * HOUR).toISOString(),
}));
const getAll = { resource: 'event', operation: 'getAll', returnAll: true };

const ids = async (parameters: object) => {
	const world = await serving((request) => pages(events, request));
	const found = await records(run(world, { ...getAll, ...parameters }));
	expect(world.service.to(EVENTS)[0]?.query).toEqual({ limit: '100' });
	return found.map(({ id }) => Number((id as string).slice(3)));
};
const between = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => from + index);

it.each([
	['a type', { eventTypes: ['asset.created'] }, (index: number) => index % 3 === 2],
	['types as one text', { eventTypes: 'asset.*, none' }, (index: number) => index % 3 !== 0],
	[
		'a type that is entered',
		{ otherEventTypes: 'asset.created' },
		(index: number) => index % 3 === 2,
	],
	[
		'types of both fields',
		{ eventTypes: ['ocpp.message'], otherEventTypes: 'asset.cr*, , none' },
		(index: number) => index % 3 !== 1,
	],
	['no type', { eventTypes: ['', ' '] }, () => true],
])('%s', async (_name, filters, wanted) => {
	expect(await ids({ filters })).toEqual(between(0, 240).filter(wanted));
});

it.each([
	['a time in UTC', { createdAfter: '2026-01-05T00:00:00Z' }, 96, 240],
	['a time with an offset', { createdAfter: '2026-01-05T00:00:00+02:00' }, 94, 240],
	// The default zone of n8n is New York, five hours behind UTC in winter.
	['a time of the workflow', { createdAfter: '2026-01-05T00:00:00' }, 101, 240],
	['a date of an expression', { createdBefore: '={{ new Date(Date.UTC(2026, 0, 2)) }}' }, 0, 24],
	['a time of n8n', { createdBefore: '={{ DateTime.fromISO("2026-01-02T00:00:00Z") }}' }, 0, 24],
	[
		'a range',
		{ createdAfter: '2026-01-02T00:00:00.000Z', createdBefore: '2026-01-03T00:00:00Z' },
		24,
		48,
	],
])('%s', async (_name, filters, from, to) => {
	expect(await ids({ filters })).toEqual(between(from, to));
});

it.each([
	['all', { returnAll: true }, 48],
	['a few', { returnAll: false, limit: 20 }, 20],
])('Created After ends a list with the newest first (%s)', async (_name, listed, count) => {
	const newest = events.toReversed();
	const world = await serving((request) => pages(newest, request));
	const filters = { createdAfter: newest[47]?.createdAt };
	const found = await records(run(world, { ...getAll, ...listed, filters }));
	expect(found.map(({ id }) => id)).toEqual(newest.slice(0, count).map(({ id }) => id));
	// Of three pages.
	expect(world.service.to(EVENTS)).toHaveLength(count === 20 ? 1 : 2);
});

it.each([
	'soon',
	'={{ null }}',
	'={{ [1] }}',
	'={{ {} }}',
	'={{ ({ valueOf: 1, toString: 2 }) }}',
	'2026-13-45T00:00:00Z',
])('%s is not a time, and nothing is listed', async (createdAfter) => {
	const world = await serving((request) => pages(events, request));
	expect(await failure(run(world, { ...getAll, filters: { createdAfter } }))).toMatchObject({
		message: "'Created After' is not a date and time",
	});
	expect(world.service.to(EVENTS)).toEqual([]);
});
