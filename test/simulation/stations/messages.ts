/** What stations say in OCPP 1.6 and 2.0.1, as the list of events has it, and what it means. */
import type { Saying } from '../../history/history';
import type { Random } from '../random';

export type Version = '1.6' | '2.0.1';

export interface Message {
	/** When it is created, in milliseconds after the start. */
	readonly at: number;
	readonly asset: string;
	readonly type: 'ocpp.message' | 'asset.connectivity';
	/** Without the asset. */
	readonly data: Readonly<Record<string, unknown>>;
	readonly says?: Saying;
}

/** The errors of faults. An error always comes with the same code of the vendor. */
const ERRORS: readonly (readonly [error: string, vendor?: string])[] = [
	['GroundFailure', 'E-031'],
	['OverVoltage'],
	['HighTemperature', 'T-17'],
	['OtherError', '210'],
];

/** The station's clock is the simulation's: its times begin on the day of this one. */
const iso = (epoch: number, at: number) => new Date(epoch + at).toISOString();

export class Speaker {
	readonly #random: Random;
	readonly #label: string;
	readonly #epoch: number;
	#messages = 0;

	/** `epoch` is when the history starts, in Unix milliseconds. */
	constructor(random: Random, label: string, epoch: number) {
		this.#random = random;
		this.#label = label;
		this.#epoch = epoch;
	}

	connection(at: number, asset: string, isConnected: boolean, version: Version): Message {
		const says = { about: 'connection', isConnected } as const;
		if (isConnected && this.#random.chance(this.#label, 0.4)) {
			const payload =
				version === '1.6'
					? { chargePointVendor: 'Example', chargePointModel: 'Duo' }
					: { reason: 'PowerUp', chargingStation: { model: 'Duo', vendorName: 'Example' } };
			return { ...this.#call(at, asset, 'BootNotification', payload), says };
		}
		const data = { status: isConnected ? 'CONNECTED' : 'DISCONNECTED' };
		return { at, asset, type: 'asset.connectivity', data, says };
	}

	status(
		at: number,
		asset: string,
		{ connector, status, version }: { connector: number; status: string; version: Version },
	): Message {
		const timestamp = iso(this.#epoch, at);
		const message = `${asset} ${connector} ${at}`;
		if (version === '1.6') {
			const [errorCode, vendorErrorCode] =
				status === 'Faulted'
					? (ERRORS[this.#random.whole(this.#label, 0, ERRORS.length - 1)] ?? ['OtherError'])
					: ['NoError'];
			const vendor = vendorErrorCode !== undefined && { vendorErrorCode };
			const payload = { connectorId: connector, errorCode, status, timestamp, ...vendor };
			const code = [errorCode, ...(vendorErrorCode === undefined ? [] : [vendorErrorCode])].join(
				'/',
			);
			return {
				...this.#call(at, asset, 'StatusNotification', payload),
				says: {
					...{ about: 'status', connector: String(connector), status, message },
					...(status === 'Faulted' && { code }),
				},
			};
		}
		const says = { about: 'status', connector: `${connector}/1`, status, message } as const;
		if (this.#random.chance(this.#label, 0.5)) {
			const payload = { timestamp, connectorStatus: status, evseId: connector, connectorId: 1 };
			return { ...this.#call(at, asset, 'StatusNotification', payload), says };
		}
		const eventData = {
			...{ eventId: ++this.#messages, timestamp, trigger: 'Delta', actualValue: status },
			eventNotificationType: 'HardWiredNotification',
			component: { name: 'Connector', evse: { id: connector, connectorId: 1 } },
			variable: { name: 'AvailabilityState' },
		};
		const payload = { generatedAt: timestamp, seqNo: 0, eventData: [eventData] };
		return { ...this.#call(at, asset, 'NotifyEvent', payload), says };
	}

	/** A whole session: its start, perhaps a meter value, its end. */
	session(
		[from, to]: readonly [number, number],
		asset: string,
		{ connector, version, number }: { connector: number; version: Version; number: number },
	): Message[] {
		const startWh = 100_000 + 50_000 * number;
		const wh = 1_000 + Math.round(((to - from) / 60_000) * 150);
		const middle = Math.round((from + to) / 2);
		const energyKwh = wh / 1_000;
		const transaction =
			version === '1.6' ? String(1_000 + number) : `transaction-${asset}-${number}`;
		const says = (isEnd: boolean): Saying => ({
			...{ about: 'session', transaction, isEnd, energyKwh },
			connector: version === '1.6' ? String(connector) : `${connector}/1`,
		});
		if (version === '1.6') {
			const transactionId = 1_000 + number;
			const started = this.#call(from, asset, 'StartTransaction', {
				...{ connectorId: connector, idTag: 'TAG', meterStart: startWh },
				timestamp: iso(this.#epoch, from),
			});
			const { messageId } = started.data;
			const response = {
				...{ messageType: 'CALL_RESULT', messageId },
				payload: { transactionId, idTagInfo: { status: 'Accepted' } },
			};
			const sample = { value: String(startWh + Math.round(wh / 2)) };
			return [
				{ ...started, says: says(false) },
				{ ...{ at: from + 400, asset, type: 'ocpp.message' }, data: response, says: says(false) },
				{
					...this.#call(middle, asset, 'MeterValues', {
						...{ connectorId: connector, transactionId },
						meterValue: [{ timestamp: iso(this.#epoch, middle), sampledValue: [sample] }],
					}),
					says: says(false),
				},
				{
					...this.#call(to, asset, 'StopTransaction', {
						...{ transactionId, meterStop: startWh + wh, timestamp: iso(this.#epoch, to) },
						reason: 'EVDisconnected',
					}),
					says: says(true),
				},
			];
		}
		const event = (at: number, seqNo: number, eventType: string, value: number): Message => ({
			...this.#call(at, asset, 'TransactionEvent', {
				...{ eventType, timestamp: iso(this.#epoch, at), triggerReason: 'Trigger', seqNo },
				transactionInfo: { transactionId: transaction },
				evse: { id: connector, connectorId: 1 },
				meterValue: [{ timestamp: iso(this.#epoch, at), sampledValue: [{ value }] }],
			}),
			says: says(eventType === 'Ended'),
		});
		return [
			event(from, 0, 'Started', startWh),
			event(middle, 1, 'Updated', startWh + Math.round(wh / 2)),
			event(to, 2, 'Ended', startWh + wh),
		];
	}

	#call(at: number, asset: string, action: string, payload: Record<string, unknown>): Message {
		const messageId = `${asset}-m${++this.#messages}`;
		const data = { messageType: 'CALL', messageId, action, payload };
		return { at, asset, type: 'ocpp.message', data };
	}
}
