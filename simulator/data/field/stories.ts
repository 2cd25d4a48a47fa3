/** Stories of a charging station in the field, message by message: sessions, faults, lost connections and boot loops. */
import type { Random } from '../random';
import { type Message, type Station, WHOLE_STATION } from './station';

/** A message and the milliseconds since the previous one. */
export type Step = readonly [afterMs: number, message: Message];

export interface StoryWorld {
	readonly random: Random;
	/** Numbered by the back end across all stations. */
	newTransactionId(): number;
}

export interface Story {
	/** Number of heartbeats in a thousand that are followed by this story. */
	readonly perThousand: number;
	/** A story of the whole station starts only when nothing else is going on there. */
	readonly of: 'connector' | 'station';
	readonly tell: (station: Station, connector: number, world: StoryWorld) => Step[];
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const SAMPLE_MINUTES = 15;
const KILOWATTS: Readonly<Record<string, number>> = { AC_1_PHASE: 7, AC_3_PHASE: 11, DC: 50 };
const STOP_REASONS = ['Local', 'Local', 'EVDisconnected', 'Remote'] as const;
type Fault = Readonly<Record<'errorCode' | 'vendorErrorCode', string>>;

const FAULTS: readonly [Fault, ...Fault[]] = [
	{ errorCode: 'GroundFailure', vendorErrorCode: 'E-031' },
	{ errorCode: 'ConnectorLockFailure', vendorErrorCode: 'E-104' },
	{ errorCode: 'HighTemperature', vendorErrorCode: 'T-12' },
	{ errorCode: 'OtherError', vendorErrorCode: '0x2C' },
];

/** Rates that make 1.4 % of the messages ends of sessions, as an operator counted. */
export const STORIES: readonly Story[] = [
	{ perThousand: 18, of: 'connector', tell: session },
	{ perThousand: 6, of: 'connector', tell: fault },
	{ perThousand: 8, of: 'station', tell: flaps },
	{ perThousand: 2, of: 'station', tell: outage },
	{ perThousand: 2, of: 'station', tell: bootLoop },
];

function session(station: Station, connector: number, world: StoryWorld): Step[] {
	const { random } = world;
	const transactionId = world.newTransactionId();
	const idTag = `TAG${1000 + random.int(40)}`;
	const meterStart = station.meter(connector, 0);
	const samples = Array.from({ length: 3 + random.int(6) }, (): Step => {
		const kilowatts = power(station, random);
		const registerWh = station.meter(connector, (kilowatts * 1000 * SAMPLE_MINUTES) / 60);
		return [
			SAMPLE_MINUTES * MINUTE_MS,
			meterValues(station, { connectorId: connector, transactionId, registerWh, kilowatts }),
		];
	});
	const lastMinutes = 1 + random.int(SAMPLE_MINUTES - 1);
	const meterStop = station.meter(connector, (power(station, random) * 1000 * lastMinutes) / 60);
	const reason = random.pick(STOP_REASONS);
	return [
		[random.int(20 * MINUTE_MS), station.status(connector, 'Preparing')],
		[
			(5 + random.int(40)) * SECOND_MS,
			// The transaction ID is in the back end's response, which the field profile does not deliver.
			station.call('StartTransaction', (timestamp) => ({
				connectorId: connector,
				idTag,
				meterStart,
				timestamp,
			})),
		],
		[(2 + random.int(8)) * SECOND_MS, station.status(connector, 'Charging')],
		...samples,
		[
			lastMinutes * MINUTE_MS,
			station.call('StopTransaction', (timestamp) => ({
				transactionId,
				idTag,
				meterStop,
				timestamp,
				reason,
			})),
		],
		[SECOND_MS, station.status(connector, 'Finishing')],
		[(1 + random.int(20)) * MINUTE_MS, station.status(connector, 'Available')],
	];
}

function power({ asset }: Station, random: Random): number {
	const most = KILOWATTS[asset.chargingStation.powerType] ?? 7;
	return (most * (60 + random.int(40))) / 100;
}

function meterValues(
	station: Station,
	values: { connectorId: number; transactionId: number; registerWh: number; kilowatts: number },
): Message {
	const { connectorId, transactionId, registerWh, kilowatts } = values;
	const sampledValue = [
		{ value: String(registerWh), measurand: 'Energy.Active.Import.Register', unit: 'Wh' },
		{ value: kilowatts.toFixed(1), measurand: 'Power.Active.Import', unit: 'kW' },
	];
	return station.call('MeterValues', (timestamp) => ({
		connectorId,
		transactionId,
		meterValue: [{ timestamp, sampledValue }],
	}));
}

function fault(station: Station, connector: number, { random }: StoryWorld): Step[] {
	return [
		[random.int(20 * MINUTE_MS), station.status(connector, 'Faulted', random.pick(FAULTS))],
		[(1 + random.int(90)) * MINUTE_MS, station.status(connector, 'Available')],
	];
}

/** A connection that is lost and restored within seconds, a few times. */
function flaps(station: Station, _connector: number, { random }: StoryWorld): Step[] {
	return Array.from({ length: 1 + random.int(3) }, (): Step[] => [
		[(5 + random.int(60)) * SECOND_MS, station.connectivity('DISCONNECTED')],
		[(2 + random.int(20)) * SECOND_MS, station.connectivity('CONNECTED')],
	]).flat();
}

/** A long loss of power or network. */
function outage(station: Station, _connector: number, { random }: StoryWorld): Step[] {
	return [
		[random.int(MINUTE_MS), station.connectivity('DISCONNECTED')],
		[(30 + random.int(600)) * MINUTE_MS, station.connectivity('CONNECTED')],
		[2 * SECOND_MS, station.boot()],
		...allAvailable(station),
	];
}

function bootLoop(station: Station, _connector: number, { random }: StoryWorld): Step[] {
	const boots = Array.from({ length: 3 + random.int(4) }, (): Step => [
		(20 + random.int(60)) * SECOND_MS,
		station.boot(),
	]);
	return [...boots, ...allAvailable(station)];
}

function allAvailable(station: Station): Step[] {
	return [WHOLE_STATION, ...station.connectors].map((connector) => [
		SECOND_MS,
		station.status(connector, 'Available'),
	]);
}
