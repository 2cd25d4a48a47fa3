/**
 * Stories of a charging station in the field, message by message: sessions, faults, stuck connectors, lost connections
 * and boot loops. They are the same in each OCPP version, which may leave out some of the messages.
 */
import type { Fault } from '../ocppDialect';
import type { Random } from '../random';
import { type Message, type Station, WHOLE_STATION } from './station';

/** A message, if the version has one, and the milliseconds since the previous step. */
export type Step = readonly [afterMs: number, message: Message | undefined];

export interface StoryWorld {
	readonly random: Random;
	/** Numbered by the back end across all stations. */
	newTransactionId(): number;
}

export interface Story {
	/** Number of heartbeats in a thousand that are followed by this story. */
	readonly share: number;
	/** A story of the whole station starts only when nothing else is going on there. */
	readonly of: 'connector' | 'station';
	readonly tell: (station: Station, connector: number, world: StoryWorld) => Step[];
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const SAMPLE_MINUTES = 15;
const KILOWATTS: Readonly<Record<string, number>> = { AC_1_PHASE: 7, AC_3_PHASE: 11, DC: 50 };
const STOP_REASONS = ['Local', 'Local', 'EVDisconnected', 'Remote'] as const;
const STUCK = ['Preparing', 'Finishing', 'Reserved', 'Unavailable'] as const;

const FAULTS: readonly [Fault, ...Fault[]] = [
	{ errorCode: 'GroundFailure', vendorErrorCode: 'E-031' },
	{ errorCode: 'ConnectorLockFailure', vendorErrorCode: 'E-104' },
	{ errorCode: 'HighTemperature', vendorErrorCode: 'T-12' },
	{ errorCode: 'OtherError', vendorErrorCode: '0x2C' },
];

/** Rates that make 1.4 % of the messages ends of sessions, as an operator counted. */
export const STORIES: readonly [Story, ...Story[]] = [
	{ share: 18, of: 'connector', tell: session },
	{ share: 5, of: 'connector', tell: fault },
	{ share: 1, of: 'connector', tell: repeatedFault },
	{ share: 2, of: 'connector', tell: stuck },
	{ share: 8, of: 'station', tell: flaps },
	{ share: 2, of: 'station', tell: outage },
	{ share: 2, of: 'station', tell: bootLoop },
];

function session(station: Station, connector: number, world: StoryWorld): Step[] {
	const { random } = world;
	const transactionId = world.newTransactionId();
	const idTag = `TAG${1000 + random.int(40)}`;
	const meterStartWh = station.meter(connector, 0);
	const told = station.session({ connector, transactionId, idTag, meterStartWh });
	const begin: Step[] = [
		[random.int(20 * MINUTE_MS), station.status(connector, 'Preparing')],
		[(5 + random.int(40)) * SECOND_MS, told.started()],
		[(2 + random.int(8)) * SECOND_MS, told.charging()],
	];
	const samples = Array.from({ length: 3 + random.int(6) }, (): Step => {
		const kilowatts = power(station, random);
		const registerWh = station.meter(connector, (kilowatts * 1000 * SAMPLE_MINUTES) / 60);
		return [SAMPLE_MINUTES * MINUTE_MS, told.measured({ registerWh, kilowatts })];
	});
	const lastMinutes = 1 + random.int(SAMPLE_MINUTES - 1);
	const meterStopWh = station.meter(connector, (power(station, random) * 1000 * lastMinutes) / 60);
	return [
		...begin,
		...samples,
		[lastMinutes * MINUTE_MS, told.ended(meterStopWh, random.pick(STOP_REASONS))],
		[SECOND_MS, station.status(connector, 'Finishing')],
		[(1 + random.int(20)) * MINUTE_MS, station.status(connector, 'Available')],
	];
}

function power({ asset }: Station, random: Random): number {
	const most = KILOWATTS[asset.chargingStation.powerType] ?? 7;
	return (most * (60 + random.int(40))) / 100;
}

function fault(station: Station, connector: number, { random }: StoryWorld): Step[] {
	const minutes = { before: random.int(20), faulted: 1 + random.int(90) };
	return faulted(station, connector, random.pick(FAULTS), minutes);
}

/** A fault that comes back a few times within hours. */
function repeatedFault(station: Station, connector: number, { random }: StoryWorld): Step[] {
	const same = random.pick(FAULTS);
	return Array.from({ length: 3 + random.int(3) }, () => {
		const minutes = { before: 10 + random.int(90), faulted: 1 + random.int(15) };
		return faulted(station, connector, same, minutes);
	}).flat();
}

function faulted(
	station: Station,
	connector: number,
	what: Fault,
	minutes: Readonly<Record<'before' | 'faulted', number>>,
): Step[] {
	return [
		[minutes.before * MINUTE_MS, station.problem(connector, what, false)],
		[SECOND_MS, station.status(connector, 'Faulted', what)],
		[minutes.faulted * MINUTE_MS, station.status(connector, 'Available')],
		[SECOND_MS, station.problem(connector, what, true)],
	];
}

/** A connector that stays in a status for hours without a session. */
function stuck(station: Station, connector: number, { random }: StoryWorld): Step[] {
	return [
		[random.int(20 * MINUTE_MS), station.status(connector, random.pick(STUCK))],
		[(150 + random.int(250)) * MINUTE_MS, station.status(connector, 'Available')],
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
		[SECOND_MS, station.security('StartupOfTheDevice')],
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
