/** A charging station in the field: the messages it sends, and when it is free for the next story. */
import type { Asset } from '../assets';
import type { EventContent } from '../events';
import type { Mark } from '../incidents';
import type { Dialect, Fault, Message as Call, Session, SessionWords } from '../ocppDialect';
import { dialectOf } from '../ocppDialects';
import type { Random } from '../random';

/** Builds the content when the message is sent, with that time. */
export type Message = (now: string) => EventContent;

/** Connector number of the whole station (OCPP 1.6). */
export const WHOLE_STATION = 0;

export class Station {
	readonly id: string;
	readonly connectors: readonly number[];
	private readonly speak: Dialect;
	private readonly busyUntil = new Map<number, number>();
	private readonly meters = new Map<number, number>();
	/** As last reported. */
	private readonly statuses = new Map<number, string>();
	/** Connectors whose EVSE reports a problem, which is the fault until it is over. */
	private readonly problems = new Set<number>();

	/** `meterWh` is where its meters start; a random value by default. */
	constructor(
		readonly asset: Asset,
		private readonly random: Random,
		private readonly meterWh?: number,
	) {
		this.id = asset.id;
		this.connectors = asset.chargingStation.connectors.map(({ id }) => Number(id));
		this.speak = dialectOf(asset);
	}

	isBusy(connector: number, atMs: number): boolean {
		return (this.busyUntil.get(connector) ?? -1) > atMs;
	}

	/** Whether nothing is going on at the station or any of its connectors. */
	isIdle(atMs: number): boolean {
		return [WHOLE_STATION, ...this.connectors].every((each) => !this.isBusy(each, atMs));
	}

	keepBusy(connector: number, untilMs: number): void {
		this.busyUntil.set(connector, untilMs);
	}

	/** Adds to the meter of a connector and returns the new value in Wh. */
	meter(connector: number, addWh: number): number {
		const before = this.meters.get(connector) ?? this.meterWh ?? this.random.int(2_000_000);
		const value = before + Math.round(addWh);
		this.meters.set(connector, value);
		return value;
	}

	heartbeat(): Message {
		return this.call(this.speak.heartbeat);
	}

	boot(): Message {
		return this.call(this.speak.boot(this.asset));
	}

	security(type: string): Message {
		return this.call(this.speak.security(type));
	}

	/** Nothing if this version has no such report, or if the status is the one reported last. */
	status(connector: number, status: string, fault?: Fault): Message | undefined {
		const name = this.speak.statusName(status);
		const before = this.statuses.get(connector);
		const report = this.speak.status(connector, status, fault);
		if (!report || (before === name && status !== 'Available')) return undefined;
		this.statuses.set(connector, name);
		return this.call(report, this.statusMarks(connector, name, fault));
	}

	problem(connector: number, fault: Fault, isOver: boolean): Message | undefined {
		const report = this.speak.problem(connector, fault, isOver);
		if (!report) return undefined;
		if (isOver) this.problems.delete(connector);
		else this.problems.add(connector);
		const begins = {
			...({ kind: 'connectorFault', protocol: this.speak.protocol } as const),
			...{ connector: String(connector), errorCode: fault.vendorErrorCode, vendorErrorCode: null },
		};
		return this.call(report, [{ part: `fault ${connector}`, ...(!isOver && { begins }) }]);
	}

	session(session: Session) {
		const words = this.speak.session(session);
		const { connector, meterStartWh } = session;
		const part = `session ${session.transactionId}`;
		const common = { kind: 'session', protocol: this.speak.protocol } as const;
		const begins = {
			...common,
			connector: this.speak.connectorName(connector),
			transactionId: String(this.speak.transactionId(session)),
			meterStartWh,
		};
		return {
			started: () => this.call(words.started(), [{ part, begins }]),
			charging: () => this.charging(connector, words),
			measured: (...values: Parameters<SessionWords['measured']>) =>
				this.call(words.measured(...values)),
			ended: (meterStopWh: number, reason: string) =>
				this.call(words.ended(meterStopWh, reason), [{ part, ends: { meterStopWh, reason } }]),
		};
	}

	connectivity(status: 'CONNECTED' | 'DISCONNECTED'): Message {
		const { protocol } = this.speak;
		const begins = { kind: 'stationOffline', protocol, connector: null } as const;
		const marks = [{ part: 'connection', ...(status === 'DISCONNECTED' && { begins }) }];
		return (timestamp) => ({
			type: 'asset.connectivity',
			data: { asset: { id: this.id }, status, timestamp },
			marks,
		});
	}

	private charging(connector: number, words: SessionWords): Message | undefined {
		const event = words.charging();
		return event ? this.call(event) : this.status(connector, 'Charging');
	}

	/** The whole station is no connector. */
	private statusMarks(number: number, status: string, fault?: Fault): Mark[] {
		if (number === WHOLE_STATION) return [];
		const { protocol } = this.speak;
		const connector = this.speak.connectorName(number);
		const common = { protocol, connector };
		const codes =
			fault && protocol === 'ocpp1.6' ? fault : { errorCode: null, vendorErrorCode: null };
		const inStatus: Mark = {
			part: `status ${number}`,
			...(status !== 'Available' && { begins: { kind: 'connectorStatus', ...common, status } }),
		};
		if (this.problems.has(number)) return [inStatus];
		return [
			inStatus,
			{
				part: `fault ${number}`,
				...(status === 'Faulted' && { begins: { kind: 'connectorFault', ...common, ...codes } }),
			},
		];
	}

	private call({ action, payload }: Call, marks: readonly Mark[] = []): Message {
		const messageId = this.random.text(24);
		return (now) => ({
			type: 'ocpp.message',
			data: {
				asset: { id: this.id },
				messageId,
				protocol: this.speak.protocol,
				messageType: 'CALL',
				action,
				payload: payload(now),
			},
			marks,
		});
	}
}
