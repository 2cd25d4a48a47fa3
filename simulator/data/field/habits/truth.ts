/** What truly happened at the stations of a history. Times are in Unix milliseconds; what has no end lasts at the end of the history. */

export interface Truth {
	/** When stations were not connected: from the time at which the service noticed it. */
	readonly outages: Outage[];
	readonly faults: TrueFault[];
	/** Of connectors, as reported; `Available` is left out. */
	readonly statuses: TrueStatus[];
	/** Sessions that the service can know to be over. */
	readonly sessions: TrueSession[];
}

export interface Outage {
	readonly assetId: string;
	readonly from: number;
	to?: number;
}

export interface TrueStatus {
	readonly assetId: string;
	/** `1`, or `1/1` in OCPP 2.0.1 (EVSE and connector); 0 is the whole station. */
	readonly connector: string;
	readonly status: string;
	readonly from: number;
	to?: number;
}

export interface TrueFault {
	readonly assetId: string;
	readonly connector: string;
	readonly from: number;
	to?: number;
	/** Each report of it, with the codes that it names. */
	readonly reports: { readonly at: number; readonly codes: readonly string[] }[];
}

export interface TrueSession {
	readonly assetId: string;
	readonly connector: string;
	/** By the right clock. */
	readonly startedAt: number;
	/** Missing if the station never reports the end. */
	stoppedAt?: number;
	/** The messages that show that it is over were created then; no time if the history has none. */
	readonly endShownAt: number[];
	/** Up to its last reading if the end is never reported. */
	energyWh: number;
	/** Whether the messages are enough to know the energy, the length and the start. */
	readonly known: { readonly energy: boolean; readonly length: boolean; readonly start: boolean };
	/** IDs of its events, for tests that list some of them late. */
	readonly events: string[];
}
