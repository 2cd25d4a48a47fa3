/** What stations and services in the field do that few expect, each habit with how many of them have it. */
import type { Protocol } from '../../ocppDialect';

interface Habit {
	/** A station has at most one habit of each group. */
	readonly of: 'connection' | 'fault' | 'clock' | 'times' | 'energy' | 'transaction' | 'service';
	/** Both by default. */
	readonly only?: Protocol;
	readonly share: number;
	/** What of it the published schemas of OCPP do not accept: the keyword of the schema and the field. */
	readonly breaks?: readonly string[];
}

/**
 * Parts of a thousand stations, or of services. No source counts them: these are guesses. What the standard allows and a
 * setting turns on is common, what comes of a firmware's choice is less so, what comes of a fault in a firmware is rare.
 */
const COMMON = 60;
const FREQUENT = 20;
const RARE = 8;

/** Stations write such times, so receivers must read them. */
const WRONG_TIME = ['format timestamp', 'format generatedAt'];

const LIST = {
	/** The service notices late that the socket before the current one is closed. */
	oldSocketClosesLater: { of: 'connection', share: COMMON },
	/** After an outage, the service never says that the station is connected. */
	noConnected: { of: 'connection', share: FREQUENT },
	/** The service sends commands to a station that is gone. */
	commandsWhileOffline: { of: 'service', share: COMMON },
	/** Other words for the two states of the connection, and some for neither. */
	otherWords: { of: 'service', share: COMMON },
	/** The times of events have no zone. */
	createdWithoutZone: { of: 'service', share: FREQUENT },
	/** A fault that lasts is reported again and again, with new times, such as after each reconnect. */
	faultReportedAgain: { of: 'fault', share: COMMON },
	/** Errors are reported in turn, and one ends while the connector stays faulted. */
	errorsInTurn: { of: 'fault', only: 'ocpp1.6', share: RARE },
	/** The vendor's code is a list of all errors that are present. */
	listOfCodes: { of: 'fault', only: 'ocpp1.6', share: FREQUENT },
	/** A station that is asked for its status says that it is faulted, without the code. */
	codeForgotten: { of: 'fault', only: 'ocpp1.6', share: FREQUENT },
	/** A fault is only told by the component that has the problem. */
	onlyProblem: { of: 'fault', only: 'ocpp2.0.1', share: COMMON },
	/** The status is that of the EVSE, not of its connector. */
	statusOfEvse: { of: 'fault', only: 'ocpp2.0.1', share: COMMON },
	/** The status comes as both messages, and the second does not name the connector. */
	statusTwice: { of: 'fault', only: 'ocpp2.0.1', share: FREQUENT },
	/** At the start of a session the clock is not set yet. */
	clockNotSet: { of: 'clock', share: FREQUENT },
	/** At the start of a session the clock is local time, marked as UTC. */
	localTimeAtStart: { of: 'clock', share: FREQUENT },
	/** At the start of a session the clock is days behind: no receiver can know. */
	clockDaysBehind: { of: 'clock', share: RARE },
	/** Times have an offset of two digits. */
	shortOffset: { of: 'times', share: RARE, breaks: WRONG_TIME },
	/** Times have no zone. */
	timesWithoutZone: { of: 'times', share: FREQUENT, breaks: WRONG_TIME },
	/** The register at the start is 0, since it is not read yet. */
	placeholderAtStart: { of: 'energy', only: 'ocpp2.0.1', share: FREQUENT },
	/** The end lists both registers at once, in any order. */
	bothEndsTogether: { of: 'energy', only: 'ocpp2.0.1', share: RARE },
	/** Registers are only reported at the end. */
	measuredOnlyAtEnd: { of: 'energy', only: 'ocpp2.0.1', share: COMMON },
	/** The stop has the register -1, and the right one among its meter values. */
	noMeterStop: { of: 'energy', only: 'ocpp1.6', share: RARE },
	/** Start and stop have the register 0; the meter values count from there. */
	zeroMeters: { of: 'energy', only: 'ocpp1.6', share: RARE },
	/** After a power cut, a session continues with message number 0. */
	resumedFromZero: {
		of: 'transaction',
		only: 'ocpp2.0.1',
		share: RARE,
		/** `TxResumed` is a reason of OCPP 2.1. */
		breaks: ['enum triggerReason'],
	},
	/** The start is answered, but the station stops with an ID of its own. */
	ownTransactionId: { of: 'transaction', only: 'ocpp1.6', share: FREQUENT },
	/** The same IDs for the sessions of each connector. */
	idsPerConnector: { of: 'transaction', only: 'ocpp1.6', share: RARE },
	/** The IDs begin again with each boot. */
	idsFromOne: { of: 'transaction', only: 'ocpp2.0.1', share: RARE },
	/** A station that boots while it charges never sends the stop. */
	stopNeverSent: { of: 'transaction', share: FREQUENT },
	/** The stop is sent again after a boot, with the time of then. */
	stopAgain: { of: 'transaction', share: RARE },
} as const satisfies Readonly<Record<string, Habit>>;

export type HabitName = keyof typeof LIST;
export const HABITS: Readonly<Record<HabitName, Habit>> = LIST;
/** The keys are those of the list. */
export const HABIT_NAMES = Object.keys(LIST) as readonly HabitName[];

/** Each by its share, some of these, or none: a station that keeps to the standard. */
export type HabitChoice = 'mixed' | readonly HabitName[];

/** Whether stations of this version can have it. */
export const fits = (name: HabitName, protocol: Protocol): boolean =>
	(HABITS[name].only ?? protocol) === protocol;
