import { generateAssets } from '../../../simulator/data/assets';
import { documentedEvents } from '../../../simulator/data/events';
import { fieldEvents } from '../../../simulator/data/field/source';
import { setUp, START } from './world';

const DAY_MS = 86_400_000;
const assets = generateAssets(14);
const past = fieldEvents(assets).history(10_000, START).map(seen);
const messages = past.filter(({ type }) => type === 'ocpp.message');
const stationIds = new Set(past.map(({ assetId }) => assetId));

/** What the tests look at of an event. */
function seen({ createdAt = '', type, data }: { createdAt?: string; type: string; data: object }) {
	const fields = data as { asset: { id: string }; action?: string; payload?: Payload };
	const { asset, action = '', payload = {}, ...rest } = fields;
	return { createdAt, type, assetId: asset.id, action, payload, rest: rest as Payload };
}
type Payload = Record<string, unknown>;

const ofAction = (action: string) => messages.filter((message) => message.action === action);
const share = (action: string) => ofAction(action).length / past.length;

/** What each connector of an OCPP 1.6 station sent, in order; connector 0 is the whole station. */
function byConnector(): (typeof messages)[] {
	const connectors = new Map<string, typeof messages>();
	const sessions = new Map<unknown, string>();
	for (const message of messages.filter(({ rest }) => rest['protocol'] === 'ocpp1.6')) {
		const { connectorId, transactionId } = message.payload;
		const connector = `${message.assetId} ${String(connectorId)}`;
		if (message.action === 'MeterValues') sessions.set(transactionId, connector);
		// The end of a session does not name its connector.
		const key = connectorId === undefined ? (sessions.get(transactionId) ?? '') : connector;
		if (key !== '') connectors.set(key, [...(connectors.get(key) ?? []), message]);
	}
	return [...connectors.values()];
}

describe('the events of the field', () => {
	it('are calls of the stations that are active, the same at every start', () => {
		const again = fieldEvents(assets).history(10_000, START).map(seen);
		expect(again.slice(-1_000)).toEqual(past.slice(-1_000));
		expect(new Set(messages.map(({ rest }) => rest['messageType']))).toEqual(new Set(['CALL']));
		const able = assets.filter(({ chargingStation: { status } }) => status === 'ACTIVE');
		expect(stationIds).toEqual(new Set(able.map(({ id }) => id)));
		expect(new Set(messages.map(({ rest }) => rest['messageId'])).size).toBe(messages.length);
	});

	it('are heartbeats by far the most, and ends of sessions as an operator counted them', () => {
		expect(share('Heartbeat')).toBeGreaterThan(0.7);
		const ended = ofAction('TransactionEvent').filter(
			({ payload }) => payload['eventType'] === 'Ended',
		);
		const ends = share('StopTransaction') + ended.length / past.length;
		expect(ends).toBeGreaterThan(0.012);
		expect(ends).toBeLessThan(0.016);
	});

	it('are in the order of their times up to now, and no older than the service keeps them', () => {
		const station = fieldEvents(generateAssets(1)).history(8_000, START);
		for (const [events, days] of [
			[past, 15],
			[station, 27],
		] as const) {
			const times = events.map(({ createdAt }) => Date.parse(createdAt));
			expect(times).toEqual([...times].sort((one, other) => one - other));
			expect(times.at(-1)).toBe(START);
			expect(Math.round((START - (times[0] ?? 0)) / DAY_MS)).toBe(days);
		}
	});

	it('tell whole sessions at each connector, whose meter only rises', () => {
		let sessions = 0;
		for (const connector of byConnector()) {
			const words = connector.map(({ action, payload }) =>
				typeof payload['status'] === 'string' ? payload['status'] : action,
			);
			const whole =
				'Preparing StartTransaction Charging(?: MeterValues)+ StopTransaction Finishing';
			const told = words.join(' ').split(new RegExp(`${whole} Available`));
			sessions += told.length - 1;
			// Between the sessions only faults, boots and stuck statuses; the last one may still be under way.
			const others =
				/^( |(Faulted|Preparing|Finishing|Reserved|Unavailable) Available|Available)*$/;
			for (const rest of told.slice(0, -1)) expect(rest).toMatch(others);
			const meter = connector.flatMap(readings);
			expect(meter).toEqual([...meter].sort((one, other) => one - other));
		}
		expect(sessions).toBeGreaterThan(80);
	});

	it('join a session by its transaction, which its start does not know', () => {
		for (const { payload } of ofAction('StartTransaction')) {
			expect(Object.keys(payload)).toEqual(['connectorId', 'idTag', 'meterStart', 'timestamp']);
		}
		const ends = ofAction('StopTransaction').map(({ payload }) => payload['transactionId']);
		const measured = new Set(
			ofAction('MeterValues').map(({ payload }) => payload['transactionId']),
		);
		expect(new Set(ends).size).toBe(ends.length);
		expect(ends.filter((end) => !measured.has(end))).toEqual([]);
	});

	it('have faults that end, boot loops, and connections lost for seconds and for hours', () => {
		const faults = messages.filter(({ payload }) => payload['status'] === 'Faulted');
		expect(faults.length).toBeGreaterThan(20);
		for (const { payload } of faults) {
			expect(payload).toMatchObject({ vendorErrorCode: expect.any(String) as string });
			expect(payload['errorCode']).not.toBe('NoError');
		}
		let loops = 0;
		const lost: number[] = [];
		for (const station of stationIds) {
			const own = past.filter(({ assetId }) => assetId === station);
			own.forEach(({ rest, createdAt }, index) => {
				const next = own.slice(index, index + 3);
				if (next.length === 3 && next.every(({ action }) => action === 'BootNotification'))
					loops += 1;
				const [, after] = next;
				if (rest['status'] !== 'DISCONNECTED' || !after) return;
				// A disconnected station sends nothing.
				expect(after.rest['status']).toBe('CONNECTED');
				lost.push(Date.parse(after.createdAt) - Date.parse(createdAt));
			});
		}
		expect(loops).toBeGreaterThan(5);
		expect(lost.filter((ms) => ms < 30_000).length).toBeGreaterThan(50);
		expect(lost.filter((ms) => ms > 1_800_000 - 1).length).toBeGreaterThan(5);
		const { manufacturingInfo, serialNumber } = assets[0]?.chargingStation ?? {};
		const boots = ofAction('BootNotification').map(({ payload }) => payload);
		expect(boots).toContainEqual({ ...manufacturingInfo, chargePointSerialNumber: serialNumber });
	});

	it('are of the type that is asked for, and none is left out for it', () => {
		const now = new Date(START).toISOString();
		const [source, other] = [fieldEvents(assets), fieldEvents(assets)];
		const asked = source.next('asset.connectivity', now);
		expect(asked.type).toBe('asset.connectivity');
		const all = [other.next(undefined, now)];
		while (all.at(-1)?.type !== asked.type) all.push(other.next(undefined, now));
		expect(all.pop()).toEqual(asked);
		expect(all.map(() => source.next(undefined, now))).toEqual(all);
		expect(source.next('custom', now)).toMatchObject({ type: 'custom', data: { timestamp: now } });
	});

	it('need an asset', async () => {
		await expect(setUp({ profile: 'field', assets: 0 })).rejects.toThrow(RangeError);
	});
});

describe('the profile of a simulator', () => {
	it('is as documented by default', async () => {
		const { simulator } = await setUp({ events: 20, now: () => START });
		const documented = documentedEvents(generateAssets(230)).history(20, START);
		expect(simulator.events).toMatchObject(documented);
		expect(documented[0]?.createdAt).toBe('2025-12-31T22:20:00.000Z');
		const answers = documented.filter(({ data }) => data['messageType'] === 'CALL_RESULT');
		expect(answers).not.toEqual([]);
	});

	it('of the field fills the list, and continues from there', async () => {
		const { simulator } = await setUp({ profile: 'field', events: 20, now: () => START });
		const source = fieldEvents(generateAssets(230));
		expect(simulator.events).toMatchObject(source.history(20, START).map(unmarked));
		const { event } = await simulator.emit();
		expect(event).toMatchObject(unmarked(source.next(undefined, event.createdAt)));
		const given = { type: 'ocpp.message', data: { value: 1 } };
		expect((await simulator.emit({ data: given.data })).event).toMatchObject(given);
	});
});

/** As in a delivery. */
function unmarked<T extends { readonly marks?: unknown }>({ marks: _marks, ...event }: T) {
	return event;
}

function readings({ payload }: (typeof messages)[number]): number[] {
	const [meter] = (payload['meterValue'] ?? []) as { sampledValue: { value: string }[] }[];
	const value = meter?.sampledValue[0]?.value ?? payload['meterStart'] ?? payload['meterStop'];
	return value === undefined ? [] : [Number(value)];
}
