/** The history of a run: one line per step, written as JSON. The checker knows nothing else. */

/** What a history can say: its kinds of steps, and what only some histories say within them. */
export type Fact =
	| Step['what']
	/** Deliveries that the service did not sign. */
	| 'forged'
	/** After `quiet` it lasts until everything that is due has started: hours. */
	| 'settled'
	/** The ledger's clock: only roughly where a test lets time pass for it while events start. */
	| 'clock'
	/** Executions that sleep in a Wait node. */
	| 'asleep'
	/** The field `_replay` of an event that starts. */
	| 'marks'
	/** What the messages of stations say. */
	| 'says';

/** The settings of the workflow's triggers, as far as the promises depend on them. */
export interface Settings {
	readonly acknowledge: 'stored' | 'succeeded';
	/** The most events per execution. */
	readonly batchSize: number;
	/** The workflow wants all events, or only those of the type `ocpp.message`. */
	readonly wants: 'all' | 'messages';
	/** Of its station trigger. */
	readonly station?: StationSettings;
}

export type Kind = 'stationOffline' | 'connectorStatus' | 'connectorFault' | 'sessionEnded';

/** What a station trigger watches, as a user enters it. */
export interface StationSettings {
	readonly kind: Kind;
	readonly forMinutes: number;
	readonly resolveAfterMinutes: number;
	readonly statuses: readonly string[];
	readonly scope: 'code' | 'connector' | 'station';
	readonly times: number;
	readonly withinMinutes: number;
	readonly reportResolved: boolean;
	readonly catchUpHours: number;
}

/** What an event says about its station. */
export type Saying =
	| { readonly about: 'connection'; readonly isConnected: boolean }
	| {
			readonly about: 'status';
			readonly connector: string;
			readonly status: string;
			/** The error code, and that of the vendor, of a fault. */
			readonly code?: string;
			/** Equal for a message that the station repeats. */
			readonly message: string;
	  }
	| {
			readonly about: 'session';
			readonly connector: string;
			readonly transaction: string;
			readonly isEnd: boolean;
			/** The energy of the whole session. */
			readonly energyKwh: number;
	  };

/** What the item of an incident or a session says. Times are in Unix milliseconds. */
export interface Told {
	readonly id: string;
	readonly kind: Kind;
	readonly asset: string;
	readonly connector?: string;
	readonly incident?: string;
	readonly state?: 'opened' | 'resolved';
	readonly since?: number;
	readonly until?: number;
	readonly endedBy?: string;
	readonly status?: string;
	/** The error code, and that of the vendor. */
	readonly code?: string;
	readonly transaction?: string;
	readonly energyKwh?: number;
}

export type Outcome = 'success' | 'error' | 'canceled' | 'waiting';

/** A line without its time. */
export type Step =
	/** The first line: what the workflow has, and whether n8n reports how executions end. */
	| {
			readonly what: 'world';
			readonly hasWebhook: boolean;
			readonly hasPoll: boolean;
			readonly hasStation?: boolean;
			/** Stations do not keep to the standard: no line says what their messages say, and who plays them knows the truth. */
			readonly isField?: boolean;
			/** n8n's durable scheduler makes a pause after a poll that failed: up to half an hour. */
			readonly isScheduled?: boolean;
			readonly reportsEnd: 'always' | 'if saved' | 'never';
			readonly startFrom: 'now' | 'retained';
			readonly pollMinutes: number;
			/** All that the history can say; everything by default. A rule that needs more does not judge it. */
			readonly holds?: readonly Fact[];
	  }
	/** At the service. */
	| {
			readonly what: 'created';
			readonly event: string;
			readonly type: string;
			/** Unix milliseconds, as the service says; absent if it says none. */
			readonly createdAt?: number;
			readonly isForged?: true;
			/** A record that cannot be used: it starts nothing, and stops nothing. */
			readonly isOdd?: true;
			readonly asset?: string;
			readonly says?: Saying;
	  }
	/** From here on the list also gets events that say nothing, numbered from 0: one each `everyMs`, the first one created at `from`. */
	| {
			readonly what: 'load';
			readonly from: number;
			readonly everyMs: number;
			/** The records on a page, for the station trigger. */
			readonly pageSize: number;
			/** How many pages a poll can read at least, by how long it may take. */
			readonly pagesPerPoll: number;
	  }
	| { readonly what: 'listed'; readonly event: string }
	| {
			readonly what: 'sent';
			readonly delivery: string;
			readonly event: string;
			readonly to: string;
			readonly url: string;
	  }
	| {
			readonly what: 'response';
			readonly delivery: string;
			readonly event: string;
			/** 0: no response. */
			readonly status: number;
			readonly body: string;
	  }
	| {
			readonly what: 'page';
			readonly reader: string;
			readonly by: string;
			/** The number of the poll that reads it, and of the publication that was the last one when it began. */
			readonly poll?: number;
			readonly version?: number;
			readonly events: readonly string[];
			/** The least and the greatest number of the events of the load on it. */
			readonly load?: readonly [least: number, greatest: number];
	  }
	/** In n8n. */
	| {
			readonly what: 'stored';
			readonly execution: string;
			/** The process that stores it. */
			readonly by: string;
			readonly mode: string;
			readonly events: readonly string[];
			readonly acknowledge: Settings['acknowledge'];
			/** n8n reported that it could not store it. */
			readonly isDenied?: true;
			/** n8n has not kept its events: these are likely. */
			readonly isGuess?: true;
	  }
	| { readonly what: 'not stored'; readonly events: readonly string[] }
	/** The nodes after the trigger begin with these events. */
	| {
			readonly what: 'started';
			readonly execution: string;
			readonly by: string;
			readonly mode: string;
			readonly events: readonly string[];
			readonly acknowledge: Settings['acknowledge'];
			/** Those marked as replayed. */
			readonly replayed?: readonly string[];
	  }
	/** The items of the station trigger that n8n gets for an execution. */
	| { readonly what: 'told'; readonly execution: string; readonly items: readonly Told[] }
	/** The station trigger has written that it knows everything up to then, in Unix milliseconds by the service's clock. */
	| { readonly what: 'known'; readonly by: string; readonly upTo: number }
	/** Another publication of the station trigger than before has written the record: a later one has a greater number. */
	| {
			readonly what: 'generation';
			readonly by: string;
			readonly record: string;
			readonly generation: number;
	  }
	/** The trigger itself failed or passed nothing on. */
	| {
			readonly what: 'dropped';
			readonly execution: string;
			readonly events: readonly string[];
			readonly error?: string;
	  }
	/** n8n has saved how it ended. */
	| {
			readonly what: 'ended';
			readonly execution: string;
			readonly by: string;
			readonly outcome: Outcome;
			readonly events: readonly string[];
	  }
	/** n8n could not save how it ended, so nothing after that is told of it. */
	| { readonly what: 'not saved'; readonly execution: string; readonly isCanceled?: true }
	/** n8n will never run it. */
	| { readonly what: 'lost'; readonly execution: string }
	| {
			readonly what: 'process';
			readonly process: string;
			readonly is: 'up' | 'killed' | 'ending' | 'exited' | 'paused' | 'resumed';
	  }
	| {
			readonly what: 'threw';
			readonly by: string;
			readonly where: string;
			readonly message: string;
	  }
	| { readonly what: 'unhandled'; readonly message: string }
	| { readonly what: 'warned'; readonly by: string; readonly message: string }
	/** A poll of the station trigger begins. */
	| {
			readonly what: 'polling';
			readonly by: string;
			readonly trigger: 'station';
			/** The number of the publication that it belongs to, from 1. */
			readonly version: number;
			/** Its number. */
			readonly poll: number;
	  }
	| {
			readonly what: 'polled';
			readonly by: string;
			readonly error?: string;
			/** The poll trigger by default. */
			readonly trigger?: 'station';
			readonly version?: number;
			readonly poll?: number;
	  }
	/** By a user. */
	| { readonly what: 'published'; readonly settings: Settings }
	| { readonly what: 'unpublished' }
	| { readonly what: 'stopped'; readonly execution: string }
	| {
			readonly what: 'retried';
			readonly execution: string;
			readonly of: string;
			readonly events: readonly string[];
	  }
	| { readonly what: 'replay asked'; readonly request: number; readonly events: readonly string[] }
	| {
			readonly what: 'replayed';
			readonly request: number;
			readonly error?: string;
			readonly events: readonly {
				readonly event: string;
				readonly state: string;
				readonly replayed: boolean;
			}[];
	  }
	| {
			readonly what: 'reconciled';
			readonly error?: string;
			readonly events: readonly {
				readonly event: string;
				readonly state: string;
				readonly execution?: string;
			}[];
	  }
	/** The event ledger's entry of an event was replaced; the texts are those of its store. */
	| {
			readonly what: 'entry';
			readonly by: string;
			readonly event: string;
			readonly from: string;
			readonly to: string;
	  }
	/** Faults. `is` says whether it begins or ends. */
	| { readonly what: 'fault'; readonly fault: string; readonly is: 'on' | 'off' | 'once' }
	/** From here on nothing is disturbed any more. */
	| { readonly what: 'quiet' }
	| { readonly what: 'over' };

export type Line = Step & {
	/** Unix milliseconds. */
	readonly at: number;
};

export function textOf(history: readonly Line[]): string {
	return history.map((line) => JSON.stringify(line)).join('\n');
}
