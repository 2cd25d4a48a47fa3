/** What happens at stations, at random, for property tests: connections and statuses in both versions of OCPP. */
import fc from 'fast-check';
import type { StationSettings } from '../../../lib/station';
import { back, lost, message, MINUTE, type StationEvent, time } from './stationWorld';

export const SECOND = 1_000;
export const FROM = time('09:00');
/** Events are created in this time, and listed at most this much later: later than an hour, they may be left out. */
const CREATED_SECONDS = 5_400;
export const LATE_MINUTES = 55;

/** Something that happens at one of two stations: what it is, depends on the kind. */
export interface Happening {
	readonly second: number;
	readonly isFirst: boolean;
	readonly connector: 1 | 2;
	readonly what: number;
	/** How much later it is listed. */
	readonly lateMinutes: number;
	/** Whether the station sends it again, as another event. */
	readonly isAgain: boolean;
}

export const happenings = fc.array(
	fc.record({
		second: fc.integer({ min: 0, max: CREATED_SECONDS }),
		isFirst: fc.boolean(),
		connector: fc.constantFrom(1 as const, 2 as const),
		what: fc.nat(3),
		lateMinutes: fc.oneof(
			{ weight: 3, arbitrary: fc.constant(0) },
			{ weight: 1, arbitrary: fc.integer({ min: 0, max: LATE_MINUTES }) },
		),
		isAgain: fc.boolean(),
	}),
	{ minLength: 4, maxLength: 24 },
);

/** `updated` from the first to the second, whether a boot shows it or not. */
export type Version = 'OCPP 1.6' | 'OCPP 2.0.1' | 'updated';
/** When a station speaks the newer version first. */
const UPDATED_SECOND = CREATED_SECONDS / 2;
/** `n` makes times and IDs unique. */
export type Story = (happening: Happening, n: number, version: Version) => readonly StationEvent[];

export const atOf = ({ second }: Happening, n: number) => FROM + second * SECOND + n;
export const assetOf = ({ isFirst }: Happening) => (isFirst ? 's1' : 's2');

/** Connections that are lost; new ones, messages of the station, and its responses to those of the service. */
export const connections: Story = (happening, n, version) => {
	const { what, second } = happening;
	const [at, asset] = [atOf(happening, n), assetOf(happening)];
	if (what < 2) return [lost(at, asset)];
	if (what === 2) {
		if (second % 2 === 0) return [back(at, asset)];
		const station = { model: 'M', vendorName: 'V' };
		const payload =
			version === 'OCPP 1.6'
				? { chargePointModel: 'M', chargePointVendor: 'V' }
				: { reason: 'PowerUp', chargingStation: station };
		return [message(at, asset, ['BootNotification', payload])];
	}
	if (second % 2 === 0) return [message(at, asset, ['Heartbeat', {}])];
	const messageId = `call-${n}`;
	const response = message(at + 1, asset, ['', { status: 'Accepted' }], {
		...{ messageType: 'CALL_RESULT', messageId },
	});
	return [message(at, asset, ['TriggerMessage', {}], { messageId }), response];
};

const STATUSES = ['Available', 'Unavailable', 'Faulted', 'Reserved'] as const;
const CODES = ['GroundFailure', 'HighTemperature', 'NoError'] as const;
const VENDOR_CODES = [undefined, 'E1', 'E2', 'E1,E2', 'E3'] as const;

/** Boots, also those that are none, and connections that are lost and back: they matter to boots. */
const restarts: Story = (happening, n, version) => {
	const { what, second } = happening;
	const [at, asset] = [atOf(happening, n), assetOf(happening)];
	const messageId = `boot-${n}`;
	if (what === 0) return [second % 2 === 0 ? lost(at, asset) : back(at, asset)];
	const reason = second % 2 === 0 ? 'PowerUp' : 'Triggered';
	const payload = version === 'OCPP 1.6' ? { chargePointModel: 'M' } : { reason };
	const boot = message(at, asset, ['BootNotification', payload], { messageId });
	if (what === 1) return [boot];
	if (what === 2) {
		const requestedMessage = 'BootNotification';
		const asked = at - (second % 2 === 0 ? 1 : 2 * MINUTE);
		return [message(asked, asset, ['TriggerMessage', { requestedMessage }]), boot];
	}
	const status = second % 2 === 0 ? 'Rejected' : 'Accepted';
	const response = message(at + 1, asset, ['', { status, interval: 60 }], {
		...{ messageType: 'CALL_RESULT', messageId },
	});
	return [boot, response];
};

export const statuses: Story = (happening, n, speaks) => {
	const { connector, what, second } = happening;
	const later = second < UPDATED_SECOND ? 'OCPP 1.6' : 'OCPP 2.0.1';
	const version = speaks === 'updated' ? later : speaks;
	if (second % 7 === 3) return restarts(happening, n, version);
	const [at, asset] = [atOf(happening, n), assetOf(happening)];
	const [status, timestamp] = [STATUSES[what], new Date(at).toISOString()];
	if (version === 'OCPP 1.6') {
		const isFaulted = status === 'Faulted';
		const errorCode = isFaulted ? CODES[second % CODES.length] : 'NoError';
		const vendorErrorCode = isFaulted ? VENDOR_CODES[second % VENDOR_CODES.length] : undefined;
		const codes = { errorCode, vendorErrorCode };
		const payload = { connectorId: connector, status, ...codes, timestamp };
		return [message(at, asset, ['StatusNotification', payload])];
	}
	if (second % 4 === 0) {
		const payload = { evseId: 1, connectorId: connector, connectorStatus: status, timestamp };
		return [message(at, asset, ['StatusNotification', payload])];
	}
	const whole = second % 4 === 1 ? {} : { connectorId: connector };
	const evse = { id: 1, ...whole };
	const isProblem = second % 4 === 2;
	const isOfEvse = second % 4 === 1 && second % 3 !== 0;
	const name = isProblem ? `Lock${second % 3}` : isOfEvse ? 'EVSE' : 'Connector';
	const said = isProblem
		? {
				...{ variable: { name: 'Problem' }, actualValue: String(what > 1) },
				...(second % 5 < 3 && { techCode: `T${second % 5}` }),
				...(second % 11 === 0 && { variableMonitoringId: 7 }),
			}
		: { variable: { name: 'AvailabilityState' }, actualValue: status };
	const eventData = [{ component: { name, evse }, ...said, timestamp }];
	return [message(at, asset, ['NotifyEvent', { seqNo: 0, eventData }])];
};

const fault = (scope: StationSettings['scope'], times: number): Partial<StationSettings> => ({
	...{ kind: 'connectorFault', scope, times, withinMs: 30 * MINUTE, forMs: 0 },
	resolveAfterMs: times === 1 ? 20 * MINUTE : 0,
});

/** The kinds of states, each with its story. */
export const KINDS: readonly (readonly [string, Story, Partial<StationSettings>])[] = [
	['stationOffline', connections, {}],
	['stationOffline, at once', connections, { forMs: 0, resolveAfterMs: 0 }],
	[
		'connectorStatus',
		statuses,
		{ kind: 'connectorStatus', forMs: 10 * MINUTE, resolveAfterMs: 3 * MINUTE },
	],
	...([1, 3] as const).flatMap((times) =>
		(['code', 'connector', 'station'] as const).map(
			(scope) => [`connectorFault, ${scope}, ${times}`, statuses, fault(scope, times)] as const,
		),
	),
	[
		...(['connectorFault, station, an hour', statuses] as const),
		{ ...fault('station', 1), forMs: 70 * MINUTE },
	],
];
