/** What a message says about a station. Times of the station are in Unix milliseconds, energy is in Wh. */

export interface Connection {
	readonly about: 'connection';
	readonly isConnected: boolean;
	/** As the service reports it, such as `DISCONNECTED`. */
	readonly status: string;
}

/** That somebody sent a message: one of the station shows that it is connected. */
export interface Sent {
	readonly about: 'sent';
	/** Undefined for a response: it is the station's if the service sent the call. */
	readonly by: 'station' | 'service' | undefined;
	readonly isResponse: boolean;
	/** Equal for a call and the response to it; the calls of the other side may have equal ones. */
	readonly messageId: string | undefined;
}

export interface ConnectorStatus {
	readonly about: 'status';
	/** The address of a component, as in `common/places`. */
	readonly connector: string;
	/** Of the station itself, whose address is the same in both versions of OCPP: whether it says so in 2.0.1. */
	readonly is201?: boolean | undefined;
	readonly status: string;
	readonly errorCode?: string | undefined;
	readonly vendorErrorCode?: string | undefined;
	readonly info?: string | undefined;
	/** By the station's clock: distinguishes a repeated message from a new one. */
	readonly stationTime?: number | undefined;
}

/** Whether a component of a connector, an EVSE or the station has a problem. */
export interface Problem {
	readonly about: 'problem';
	readonly connector: string;
	/** Names of components ignore case: this is in lower case. */
	readonly component: string;
	/** As the station writes it. */
	readonly name: string;
	readonly isActive: boolean;
	/** Absent: that the component has none ends all of its problems. */
	readonly techCode?: string | undefined;
	readonly errorCode: string;
	readonly info?: string | undefined;
	/** A monitor reports it: no boot ends it. */
	readonly isMonitored?: boolean;
	readonly stationTime?: number | undefined;
}

/** A station has started. */
interface BootFact {
	readonly about: 'boot';
	readonly messageId: string | undefined;
	/** It says why, and that the service has not asked for this message. */
	readonly hasReason?: boolean;
}

/** The service asked a station for a BootNotification. */
interface BootAsked {
	readonly about: 'bootAsked';
}

/** The service did not accept the station that booted. */
interface BootRefused {
	readonly about: 'bootRefused';
	readonly messageId: string;
}

/** What a message about a transaction of OCPP 2.0.1 says of the use of a connector. */
interface UseFact {
	readonly about: 'use';
	readonly transaction: string;
	readonly connector?: string | undefined;
	/** Absent if it does not say. */
	readonly isCharging?: boolean | undefined;
}

/** A value of the imported energy register. */
export interface MeterReading {
	readonly wh: number;
	/** Of its last digit, in Wh, if that is more than 1. */
	readonly step?: number | undefined;
	readonly stationTime?: number | undefined;
	/** Absent for one that is neither the first nor the last of a transaction. */
	readonly context?: 'begin' | 'end' | undefined;
	/** Where it was measured, with the phases if not all are; absent for all phases at the outlet. */
	readonly location?: string | undefined;
}

interface StartFact {
	readonly about: 'start';
	readonly connector: string;
	readonly messageId?: string | undefined;
	readonly meterWh?: number | undefined;
	readonly stationTime?: number | undefined;
	readonly idTag?: string | undefined;
}

/** The response to a start has the transaction's ID, but names neither the start nor the connector. */
interface StartResponse {
	readonly about: 'startResponse';
	readonly messageId: string;
	/** Empty if it has none: then it may be the response to another request. */
	readonly transaction: string;
	/** The service did not accept the session. */
	readonly isRefused?: boolean;
}

/** Meter values of a connector, or of an EVSE of OCPP 2.0.1. */
export interface Metered {
	readonly about: 'metered';
	/** Absent if they name none, or only that the station knows none. */
	readonly transaction?: string | undefined;
	readonly connector: string;
	readonly stationTime?: number | undefined;
	readonly readings: readonly MeterReading[];
}

interface Stop {
	readonly about: 'stop';
	/** Empty if the message has none. */
	readonly transaction: string;
	readonly meterWh?: number | undefined;
	readonly reason: string;
	readonly stationTime?: number | undefined;
	readonly readings: readonly MeterReading[];
}

/** A message about a transaction of OCPP 2.0.1. */
export interface Transaction {
	readonly about: 'transaction';
	readonly transaction: string;
	readonly phase: 'started' | 'updated' | 'ended';
	/** Orders messages of the same time; it can begin again within a transaction. */
	readonly seqNo?: number | undefined;
	readonly connector?: string | undefined;
	readonly readings: readonly MeterReading[];
	readonly reason?: string | undefined;
	readonly stationTime?: number | undefined;
	readonly idTag?: string | undefined;
}

export type Fact =
	| Connection
	| Sent
	| ConnectorStatus
	| Problem
	| BootFact
	| BootAsked
	| BootRefused
	| UseFact
	| StartFact
	| StartResponse
	| Metered
	| Stop
	| Transaction;

/** The payload and the ID of an OCPP message. */
interface Message {
	readonly payload: Readonly<Record<string, unknown>>;
	readonly messageId: string | undefined;
}

/** Undefined if the message cannot be read; an empty list if it says nothing about a station. */
export type MessageReader = (message: Message) => readonly Fact[] | undefined;

/** A word for a connection that is in neither list: it changes nothing, and is to be reported. */
export interface UnknownWord {
	readonly unknownWord: string;
}

/** What an event says about one station. */
export interface EventFacts {
	readonly assetId: string;
	/** When the service created the event, in Unix milliseconds. */
	readonly at: number;
	readonly eventId: string;
	readonly facts: readonly Fact[];
	/** It shows that the station is connected, but what it says lacks a field. */
	readonly isUnreadable?: true;
}

/**
 * `unreadable`: it should say something about a station, but lacks a field. `undated`: it has no time, or one of the future.
 * A word for a connection that is in no list says nothing, but is to be reported.
 */
export type Reading = EventFacts | UnknownWord | 'unreadable' | 'undated' | undefined;
