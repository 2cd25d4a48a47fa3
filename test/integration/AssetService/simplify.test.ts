import { generateAssets } from '../../../simulator/data/assets';
import { stopWorlds } from '../../unit/service/world';
import { records, run, serving } from './runs';

afterEach(stopWorlds);

const payload = {
	asset: { id: 'as_1' },
	messageId: 'm-1',
	protocol: 'ocpp1.6',
	messageType: 'CALL',
	action: 'StatusNotification',
	payload: { connectorId: 1 },
};
const attempts = [
	{ status: 'failed', statusCode: 500, timestamp: '2026-01-01T00:00:00Z' },
	{ status: 'success', statusCode: 200, timestamp: '2026-01-01T01:00:00Z' },
];
const [asset] = generateAssets(1);
const station = asset?.chargingStation;

const CASES: [string, object, object, object][] = [
	[
		'an asset',
		{ resource: 'asset' },
		{ ...asset },
		{
			id: asset?.id,
			name: station?.name,
			type: 'CHARGING_STATION',
			status: station?.status,
			serialNumber: station?.serialNumber,
			make: station?.manufacturingInfo.chargePointVendor,
			model: station?.manufacturingInfo.chargePointModel,
			firmwareVersion: station?.manufacturingInfo.firmwareVersion,
			protocol: station?.protocol,
			networkId: asset?.network.id,
			...(asset?.assetGroup && { assetGroupId: asset.assetGroup.id }),
			createdAt: asset?.createdAt,
			updatedAt: asset?.updatedAt,
		},
	],
	[
		'an event',
		{ resource: 'event' },
		{ id: 'ev_1', eventType: 'ocpp.message', createdAt: '2026-01-01T00:00:00Z', payload },
		{
			id: 'ev_1',
			type: 'ocpp.message',
			createdAt: '2026-01-01T00:00:00Z',
			assetId: 'as_1',
			action: 'StatusNotification',
			messageType: 'CALL',
			messageId: 'm-1',
			protocol: 'ocpp1.6',
		},
	],
	[
		'a delivery',
		{ resource: 'delivery', endpointId: 'we_1' },
		{
			id: 'del_1',
			eventId: 'ev_1',
			eventType: 'ocpp.message',
			payload,
			status: 'success',
			attempts,
		},
		{
			id: 'del_1',
			eventId: 'ev_1',
			eventType: 'ocpp.message',
			status: 'success',
			attempts: 2,
			lastAttemptStatus: 'success',
			lastStatusCode: 200,
			lastAttemptAt: '2026-01-01T01:00:00Z',
		},
	],
];

describe.each(CASES)('%s', (_name, resource, record, simple) => {
	const listed = async (more: object, body: unknown) => {
		const world = await serving(() => ({ body }));
		return await records(run(world, { ...resource, operation: 'getAll', ...more }));
	};

	it('is simple and flat by default', async () => {
		expect(await listed({}, [record])).toEqual([simple]);
	});

	it.each([false, '={{ "false" }}'])('is untouched with Simplify as %s', async (simplify) => {
		expect(await listed({ simplify }, [record])).toEqual([record]);
	});

	it('leaves out what is not there, and stays as it is when nothing is known of it', async () => {
		expect(await listed({}, [{ id: 7, other: {} }])).toEqual([{ id: 7 }]);
		expect(await listed({}, [{ value: { a: 1 } }, 'text'])).toEqual([
			{ value: { a: 1 } },
			{ value: 'text' },
		]);
	});
});

it('a simplified record keeps 0, false, null and an empty text, and looks no further for another value', async () => {
	const odd = {
		id: 0,
		type: false,
		createdAt: null,
		payload: { status: '' },
		data: { status: 'b' },
	};
	const world = await serving(() => ({ body: [{ ...odd, eventType: 'x' }] }));
	const listed = await records(run(world, { resource: 'event', operation: 'getAll' }));
	expect(listed).toEqual([{ id: 0, type: false, createdAt: null, status: '' }]);
});
