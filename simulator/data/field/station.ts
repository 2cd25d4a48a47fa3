/** A charging station in the field: the messages it sends, and when it is free for the next story. */
import type { Asset } from '../assets';
import type { EventContent } from '../events';
import type { Random } from '../random';

type Data = Record<string, unknown>;

/** Builds the content when the message is sent, with that time. */
export type Message = (now: string) => EventContent;

/** Connector number of the whole station (OCPP 1.6). */
export const WHOLE_STATION = 0;

export class Station {
	readonly id: string;
	readonly connectors: readonly number[];
	private readonly busyUntil = new Map<number, number>();
	private readonly meters = new Map<number, number>();

	constructor(
		readonly asset: Asset,
		private readonly random: Random,
	) {
		this.id = asset.id;
		this.connectors = asset.chargingStation.connectors.map(({ id }) => Number(id));
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
		const value = (this.meters.get(connector) ?? this.random.int(2_000_000)) + Math.round(addWh);
		this.meters.set(connector, value);
		return value;
	}

	call(action: string, payload: (now: string) => Data): Message {
		const messageId = this.random.text(24);
		return (now) => ({
			type: 'ocpp.message',
			data: {
				asset: { id: this.id },
				messageId,
				protocol: 'ocpp1.6',
				messageType: 'CALL',
				action,
				payload: payload(now),
			},
		});
	}

	heartbeat(): Message {
		return this.call('Heartbeat', () => ({}));
	}

	status(connector: number, status: string, fault: Data = { errorCode: 'NoError' }): Message {
		return this.call('StatusNotification', (timestamp) => ({
			connectorId: connector,
			...fault,
			status,
			timestamp,
		}));
	}

	boot(): Message {
		const { serialNumber, manufacturingInfo } = this.asset.chargingStation;
		return this.call('BootNotification', () => ({
			...manufacturingInfo,
			chargePointSerialNumber: serialNumber,
		}));
	}

	connectivity(status: 'CONNECTED' | 'DISCONNECTED'): Message {
		return (timestamp) => ({
			type: 'asset.connectivity',
			data: { asset: { id: this.id }, status, timestamp },
		});
	}
}
