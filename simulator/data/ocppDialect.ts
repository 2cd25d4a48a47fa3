/** What a charging station can say, whatever its OCPP version. `ocpp16.ts` and `ocpp201.ts` put it into messages. */
import type { Asset } from './assets';

export type Payload = Record<string, unknown>;
export type Protocol = 'ocpp1.6' | 'ocpp2.0.1';

/** A call whose station has its clock at this time, in ISO 8601. */
export type Call = (now: string) => Payload;
export interface Message {
	readonly action: string;
	readonly payload: Call;
}

export interface Fault {
	readonly errorCode: string;
	readonly vendorErrorCode: string;
}

export interface Session {
	/** From 1, as in the asset list. */
	readonly connector: number;
	readonly transactionId: number;
	readonly idTag: string;
	readonly meterStartWh: number;
}

export interface Sample {
	readonly registerWh: number;
	readonly kilowatts: number;
}

export interface Dialect {
	readonly protocol: Protocol;
	readonly heartbeat: Message;
	boot(asset: Asset): Message;
	/** The transaction ID in this version, and in an incident. */
	transactionId(session: Session): number | string;
	/** How an incident names a connector. */
	connectorName(connector: number): string;
	/** The name of the status in this version. */
	statusName(status: string): string;
	/** A report of the status of a connector; 0 is the whole station, which has none in OCPP 2.0.1. */
	status(connector: number, status: string, fault?: Fault): Message | undefined;
	/** The cause of a fault, or its end, in versions where the status does not carry it. */
	problem(connector: number, fault: Fault, isOver: boolean): Message | undefined;
	/** A security event; the same in both versions, in OCPP 1.6 by its security extension. */
	security(type: string): Message;
	/** The messages of one session, in the order of their calls. */
	session(session: Session): SessionWords;
}

export function securityEvent(type: string): Message {
	return {
		action: 'SecurityEventNotification',
		payload: (timestamp) => ({ type, timestamp }),
	};
}

export interface SessionWords {
	started(): Message;
	/** Energy flows; undefined if the status says so already. */
	charging(): Message | undefined;
	measured(sample: Sample): Message;
	ended(meterStopWh: number, reason: string): Message;
}

/** The dialect of each station; OCPP_1_6 if the list does not say otherwise. */
export function protocolOf({ chargingStation: { protocol } }: Asset): Protocol {
	return protocol === 'OCPP_2_0_1' ? 'ocpp2.0.1' : 'ocpp1.6';
}
