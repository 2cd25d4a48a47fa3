import { generateAssets } from '../../../simulator/data/assets';
import { waitFor } from '../../support/wait';
import { receiver, send, setUp } from './world';

const COMMANDS = '/ocpp/v2/raw-request';
const [station, other] = generateAssets(2);
const assetId = station?.id ?? '';
const RESET = { action: 'Reset', assetId, payload: { type: 'Soft' } };

/** A reset with this request ID that waits for the station. */
const resetOf = (requestId: string, changes: object = {}) => ({
	...{ ...RESET, requestId, async: false },
	...changes,
});

/** The data of the messages that the service has listed. */
const messagesOf = ({ events }: Awaited<ReturnType<typeof setUp>>['simulator']) =>
	events.map(({ data }) => data);

describe('a command that waits for the station', () => {
	it('responds with what the station responded, and lists both messages', async () => {
		const { simulator, call } = await setUp();
		const { status, body } = await call(COMMANDS, { body: resetOf('whevt_1') });
		const common = { asset: { id: assetId }, messageId: 'whevt_1', protocol: 'ocpp1.6' };
		const { action, payload } = RESET;
		expect([status, body]).toEqual([
			200,
			{
				...{ status: 'Success', async: false, ocppMessageId: 'whevt_1' },
				data: {
					ocppMessageId: 'whevt_1',
					connection: { connectionId: expect.any(String) as string, protocol: 'ocpp1.6' },
					request: { messageType: '2', messageId: 'whevt_1', action, payload },
					response: {
						...{ messageType: 'CALL_RESULT', messageId: 'whevt_1' },
						payload: { status: 'Accepted' },
					},
				},
			},
		]);
		expect(messagesOf(simulator)).toEqual([
			{ ...common, messageType: 'CALL', action, payload },
			{ ...common, messageType: 'CALL_RESULT', payload: { status: 'Accepted' } },
		]);
	});

	it.each([
		['rejected', { messageType: 'CALL_RESULT', payload: { status: 'Rejected' } }],
		['error', { messageType: 'CALL_ERROR', errorCode: 'InternalError', errorDetails: {} }],
	] as const)('shows that it was answered with %s', async (commands, response) => {
		const { simulator, call } = await setUp();
		simulator.setStation(assetId, { commands });
		const { status, body } = await call(COMMANDS, { body: resetOf('whevt_1') });
		expect(status).toBe(200);
		expect(body['data']).toMatchObject({ response });
		expect(messagesOf(simulator)[1]).toMatchObject(response);
	});

	it('is an error for a station whose OCPP version has no such type of reset', async () => {
		const { call } = await setUp({ assets: 20 });
		const newer = generateAssets(20).find(
			({ chargingStation: { protocol } }) => protocol === 'OCPP_2_0_1',
		);
		const respond = async (id: string | undefined, type: string) => {
			const body = { ...RESET, assetId: id, payload: { type }, async: false };
			return (await call(COMMANDS, { body })).body['data'];
		};
		const accepted = { response: { messageType: 'CALL_RESULT' } };
		const malformed = { response: { errorCode: 'PropertyConstraintViolation' } };
		expect(await respond(assetId, 'Soft')).toMatchObject(accepted);
		expect(await respond(assetId, 'OnIdle')).toMatchObject(malformed);
		expect(await respond(newer?.id, 'OnIdle')).toMatchObject(accepted);
		expect(await respond(newer?.id, 'Soft')).toMatchObject(malformed);
	});

	it('is refused while the station is offline, and carried out later', async () => {
		const { simulator, call } = await setUp();
		simulator.setStation(assetId, { commands: 'offline' });
		const { status, body } = await call(COMMANDS, { body: resetOf('whevt_1') });
		expect([status, body['message']]).toEqual([409, 'The station is not connected.']);
		expect(simulator.stats.commands).toMatchObject([{ requests: 1, executed: 0 }]);
		expect(simulator.events).toEqual([]);
		simulator.setStation(assetId, { commands: 'accepted' });
		expect((await call(COMMANDS, { body: resetOf('whevt_1') })).status).toBe(200);
		expect(simulator.stats.commands).toMatchObject([{ requests: 2, executed: 1 }]);
	});

	it('ends when the station does not respond in time, and lists a late response', async () => {
		const { simulator, call } = await setUp({ commandTimeoutMs: 20 });
		simulator.setStation(assetId, { commands: 'none' });
		expect((await call(COMMANDS, { body: resetOf('never') })).status).toBe(504);
		simulator.setStation(assetId, { commands: 'accepted', afterMs: 60 });
		expect((await call(COMMANDS, { body: resetOf('late') })).status).toBe(504);
		const results = () =>
			messagesOf(simulator).filter(({ messageType }) => messageType === 'CALL_RESULT');
		await waitFor(() => results().length > 0, { what: 'the late response' });
		expect(results()).toMatchObject([{ messageId: 'late' }]);
	});
});

it('responds at once to a command that does not wait, and delivers the messages with its ID', async () => {
	const { simulator, call } = await setUp();
	const { url, received } = await receiver(200);
	simulator.createEndpoint({ url, events: ['ocpp.message'] });
	const { status, body } = await call(COMMANDS, { body: { ...RESET, requestId: 'r1' } });
	expect([status, body]).toEqual([200, { status: 'Success', async: true, ocppMessageId: 'r1' }]);
	await waitFor(() => received.length === 2, { what: 'both messages' });
	const types = received.map(({ body: text }) => {
		const { data } = JSON.parse(text) as { data: Record<string, unknown> };
		return [data['messageId'], data['messageType']];
	});
	expect(types).toEqual(
		expect.arrayContaining([
			['r1', 'CALL'],
			['r1', 'CALL_RESULT'],
		]),
	);
});

describe('a request ID', () => {
	it('is made up where there is none', async () => {
		const { simulator, call } = await setUp();
		for (let count = 0; count < 2; count += 1) await call(COMMANDS, { body: RESET });
		const [one, two] = simulator.stats.commands;
		expect(one?.requestId).not.toBe(two?.requestId);
		expect(simulator.stats.commands).toMatchObject([{ executed: 1 }, { executed: 1 }]);
	});

	it('has its command carried out once, however many requests there are at once', async () => {
		const { simulator, call } = await setUp();
		simulator.setStation(assetId, { commands: 'rejected', afterMs: 20 });
		const requests = Array.from({ length: 3 }, () => call(COMMANDS, { body: resetOf('r1') }));
		const [first, ...copies] = await Promise.all(requests);
		expect(first?.body).toMatchObject({ data: { response: { payload: { status: 'Rejected' } } } });
		for (const { status, body } of copies) expect([status, body]).toEqual([200, first?.body]);
		expect(simulator.stats.commands).toEqual([
			{ requestId: 'r1', assetId, action: 'Reset', requests: 3, executed: 1 },
		]);
		expect(simulator.events).toHaveLength(2);
	});

	it.each([[{ action: 'ClearCache' }], [{ assetId: other?.id }], [{ payload: { type: 'Hard' } }]])(
		'belongs to one command: %j is refused',
		async (changes) => {
			const { simulator, call } = await setUp();
			await call(COMMANDS, { body: resetOf('r1') });
			expect((await call(COMMANDS, { body: resetOf('r1', changes) })).status).toBe(422);
			expect(simulator.stats.commands).toMatchObject([{ requests: 1, executed: 1 }]);
		},
	);
});

it.each([
	['no action', { action: undefined }, 400, 'action'],
	['an action that OCPP does not have', { action: 'Explode' }, 400, 'action'],
	['no asset', { assetId: undefined }, 400, 'assetId'],
	['an unknown asset', { assetId: 'asset_none' }, 404, 'asset'],
	['no payload', { payload: undefined }, 400, 'payload'],
	['a text as payload', { payload: 'Soft' }, 400, 'payload'],
	['a network without ID', { network: {} }, 400, 'network.id'],
	['another network', { network: { id: 'net_other' } }, 404, 'network'],
	['a text as async', { async: 'false' }, 400, 'async'],
	['an ID longer than OCPP allows', { requestId: 'x'.repeat(37) }, 400, 'requestId'],
	['an unknown field', { connector: 1 }, 400, 'connector'],
])('refuses %s', async (_what, changes, status, named) => {
	const { simulator, call } = await setUp();
	const response = await call(COMMANDS, { body: resetOf('r1', changes) });
	expect(response.status).toBe(status);
	expect(response.body['message']).toContain(named);
	expect(simulator.stats.commands).toEqual([]);
});

it('takes the network of the station', async () => {
	const { call } = await setUp();
	const body = resetOf('r1', { network: { id: station?.network.id } });
	expect((await call(COMMANDS, { body })).status).toBe(200);
});

it('is told over HTTP, too, how a station responds', async () => {
	const { simulator, call } = await setUp();
	const tell = async (id: string, body: object) =>
		(await send(`${simulator.baseUrl}/_simulator/stations/${id}`, { method: 'PUT', body })).status;
	expect(await tell(assetId, { commands: 'rejected' })).toBe(204);
	const { body } = await call(COMMANDS, { body: resetOf('r1') });
	expect(body).toMatchObject({ data: { response: { payload: { status: 'Rejected' } } } });
	expect(await tell(assetId, { commands: 'sometimes' })).toBe(400);
	expect(await tell('asset_none', { commands: 'accepted' })).toBe(404);
	expect(() => {
		simulator.setStation('asset_none', { commands: 'accepted' });
	}).toThrow(RangeError);
	const stats = await send(`${simulator.baseUrl}/_simulator/stats`);
	expect(stats.body['commands']).toMatchObject([{ requestId: 'r1', executed: 1 }]);
});
