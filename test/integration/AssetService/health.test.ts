import type { INodeParameters } from 'n8n-workflow';
import { stopWorlds } from '../../unit/service/world';
import { containing, DELIVERIES, failure, pages, records, run, serving } from './runs';

afterEach(stopWorlds);

const HOUR = 3_600_000;
const getHealth: INodeParameters = {
	resource: 'webhookEndpoint',
	operation: 'getHealth',
	endpointId: 'we_1',
};
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();
const delivery = (hours: number, status: string, made = 1) => ({
	id: `del_${hours}`,
	eventId: `ev_${hours}`,
	status,
	createdAt: hoursAgo(hours),
	attempts: Array.from({ length: made }, () => ({ status, timestamp: hoursAgo(hours) })),
});

it('reports in one item the health of an endpoint that has failed for two days', async () => {
	const deliveries = Array.from({ length: 2000 }, (_, hours) =>
		delivery(hours, hours <= 48 ? 'failed' : 'success', hours <= 48 ? 5 : 1),
	);
	const world = await serving((request) => pages(deliveries, request));
	const before = Date.now();
	const found = await records(run(world, getHealth));
	const oldest = deliveries[48];
	expect(found).toMatchObject([
		{
			endpointId: 'we_1',
			failed: 49,
			oldestFailure: {
				deliveryId: 'del_48',
				eventId: 'ev_48',
				createdAt: oldest?.createdAt,
				lastAttemptAt: oldest?.attempts[4]?.timestamp,
				attempts: 5,
			},
			givingUp: true,
		},
	]);
	const [{ createdAfter, delivered, share } = {}] = found;
	expect(Date.parse(createdAfter as string)).toBeGreaterThanOrEqual(before - 168 * HOUR);
	expect(Date.parse(createdAfter as string)).toBeLessThanOrEqual(Date.now() - 168 * HOUR);
	// Seven days are 168 hours; the last one may have passed by now.
	expect([119, 120]).toContain(delivered);
	expect(share).toBe(Number(delivered) / (Number(delivered) + 49));
	// Two pages cover the week, and one more shows its end; the next one may already be requested by then.
	expect(world.service.to(DELIVERIES).length).toBeLessThanOrEqual(4);
});

it('looks back to the given time, however the endpoint is given', async () => {
	const deliveries = [delivery(1, 'success'), delivery(30, 'failed'), delivery(300, 'failed')];
	const world = await serving((request) => pages(deliveries, request));
	const createdAfter = '2026-01-01T00:00:00Z';
	const endpointId = { __rl: true, mode: 'url', value: `https://api.example.com${DELIVERIES}` };
	expect(await records(run(world, { ...getHealth, endpointId, createdAfter }))).toEqual([
		{
			endpointId: 'we_1',
			createdAfter: '2026-01-01T00:00:00.000Z',
			delivered: 1,
			failed: 2,
			share: 1 / 3,
			oldestFailure: null,
			givingUp: false,
		},
	]);
});

it('reports that deliveries have no status', async () => {
	const world = await serving(() => ({
		body: { items: [{ id: 'del_1', state: 'failed' }], hasMore: false },
	}));
	const { hints } = await run(world, getHealth);
	expect(hints).toMatchObject([{ message: containing("'status'") }]);
});

it('sends no request without an endpoint, or with an invalid time', async () => {
	const world = await serving(() => ({ body: [] }));
	expect(await failure(run(world, { ...getHealth, endpointId: '={{ "" }}' }))).toMatchObject({
		message: "'Endpoint' is empty",
	});
	expect(await failure(run(world, { ...getHealth, createdAfter: 'soon' }))).toMatchObject({
		message: "'Created After' is not a date and time",
	});
	expect(world.service.requests).toEqual([]);
});
