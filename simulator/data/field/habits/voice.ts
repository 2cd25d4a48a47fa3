/** What one station and the service say in a history: messages with the habits that concern their form, and the truth about it. */
import type { DeliveredEvent } from '../../../shared/types';
import type { Asset } from '../../assets';
import { notifyEvent } from '../../ocpp201';
import type { Dialect, Fault, Message, Payload } from '../../ocppDialect';
import { dialectOf } from '../../ocppDialects';
import type { Random } from '../../random';
import type { HabitName } from './habits';
import type { Truth, TrueStatus } from './truth';

const SECOND_MS = 1_000;
/** Of a station with local times. */
const ZONE_MS = 2 * 3_600_000;
/** The connector number of the whole station. */
export const WHOLE_STATION = 0;

export interface Said {
	readonly atMs: number;
	readonly event: DeliveredEvent;
}

const WORDS = {
	standard: { connected: 'CONNECTED', disconnected: 'DISCONNECTED' },
	other: { connected: 'connect', disconnected: 'disconnect' },
} as const;
/** What a service says of a connection that is neither up nor down. */
const NEITHER = ['PENDING', 'CONNECTION_UNSTABLE'] as const;

export class Voice {
	readonly said: Said[] = [];
	readonly speak: Dialect;
	readonly assetId: string;
	/** By connector, as last reported. */
	private readonly statuses = new Map<number, TrueStatus>();
	private readonly prefix: string;

	constructor(
		readonly asset: Asset,
		readonly habits: ReadonlySet<HabitName>,
		readonly random: Random,
		readonly truth: Truth,
	) {
		this.speak = dialectOf(asset);
		this.assetId = asset.id;
		this.prefix = random.text(12);
	}

	has(habit: HabitName): boolean {
		return this.habits.has(habit);
	}

	is16(): boolean {
		return this.speak.protocol === 'ocpp1.6';
	}

	/** Returns the `messageId`, which a response repeats. */
	say(atMs: number, { action, payload }: Message, stationMs: number = atMs): string {
		const said = payload(new Date(stationMs).toISOString());
		return this.ocpp(atMs, 'CALL', { action, payload: this.inStationTime(said) });
	}

	/** A call of the service. */
	command(atMs: number, action: string, payload: Payload): string {
		return this.ocpp(atMs, 'CALL', { action, payload });
	}

	respond(atMs: number, messageId: string, payload: Payload): string {
		return this.ocpp(atMs, 'CALL_RESULT', { payload }, messageId);
	}

	heartbeat(atMs: number): void {
		this.say(atMs, this.speak.heartbeat);
	}

	boot(atMs: number): void {
		const messageId = this.say(atMs, this.speak.boot(this.asset));
		const currentTime = new Date(atMs + 100).toISOString();
		this.respond(atMs + 100, messageId, { currentTime, interval: 900, status: 'Accepted' });
	}

	connection(atMs: number, isConnected: boolean): void {
		const words = this.has('otherWords') ? WORDS.other : WORDS.standard;
		this.connectivity(atMs, isConnected ? words.connected : words.disconnected);
	}

	/** A word for neither state. */
	noise(atMs: number): void {
		this.connectivity(atMs, this.random.pick(NEITHER));
	}

	/** Reports the status of a connector, if this version has such a report, and notes it. */
	status(atMs: number, connector: number, status: string, fault?: Fault): void {
		for (const [n, message] of this.statusMessages(connector, status, fault).entries()) {
			this.say(atMs + n * SECOND_MS, message);
		}
		const name = this.speak.statusName(status);
		const before = this.statuses.get(connector);
		if (before?.status === name) return;
		if (before) before.to = atMs;
		this.statuses.delete(connector);
		if (name === 'Available' || connector === WHOLE_STATION) return;
		const now = { assetId: this.assetId, connector: this.nameOf(connector), status: name };
		const added: TrueStatus = { ...now, from: atMs };
		this.truth.statuses.push(added);
		this.statuses.set(connector, added);
	}

	get connectors(): number[] {
		return this.asset.chargingStation.connectors.map(({ id }) => Number(id));
	}

	nameOf(connector: number): string {
		return connector === WHOLE_STATION ? '0' : this.speak.connectorName(connector);
	}

	private statusMessages(connector: number, status: string, fault?: Fault): Message[] {
		const report = this.speak.status(connector, status, fault);
		if (this.is16()) return report ? [report] : [];
		const actualValue = this.speak.statusName(status);
		const availability = (component: Payload) =>
			notifyEvent({
				trigger: 'Delta',
				actualValue,
				eventNotificationType: 'HardWiredNotification',
				component,
				variable: { name: 'AvailabilityState' },
			});
		if (connector === WHOLE_STATION) return [availability({ name: 'ChargingStation' })];
		const evse = { id: connector };
		if (this.has('statusOfEvse')) return [availability({ name: 'EVSE', evse })];
		if (!this.has('statusTwice')) return report ? [report] : [];
		return [
			{
				action: 'StatusNotification',
				payload: (timestamp) => {
					return { timestamp, connectorStatus: actualValue, evseId: connector, connectorId: 1 };
				},
			},
			availability({ name: 'Connector', evse }),
		];
	}

	private connectivity(atMs: number, status: string): void {
		this.add(atMs, 'asset.connectivity', { status, timestamp: new Date(atMs).toISOString() });
	}

	private ocpp(
		atMs: number,
		messageType: string,
		rest: Payload,
		messageId = `${this.prefix}-${this.said.length}`,
	): string {
		const { protocol } = this.speak;
		this.add(atMs, 'ocpp.message', { messageId, protocol, messageType, ...rest });
		return messageId;
	}

	private add(atMs: number, type: string, data: Payload): void {
		const id = `whevt_field_${this.prefix}_${this.said.length}`;
		const iso = new Date(atMs).toISOString();
		const createdAt = this.has('createdWithoutZone') ? iso.slice(0, -1) : iso;
		const event = { id, type, createdAt, data: { asset: { id: this.assetId }, ...data } };
		this.said.push({ atMs, event });
	}

	/** With the times as the station writes them. */
	private inStationTime(payload: Payload): Payload {
		const write = this.has('shortOffset')
			? (ms: number) => `${new Date(ms + ZONE_MS).toISOString().slice(0, 19)}+02`
			: (ms: number) => new Date(ms).toISOString().slice(0, 19);
		if (!this.has('shortOffset') && !this.has('timesWithoutZone')) return payload;
		return JSON.parse(JSON.stringify(payload), (key, value: unknown) =>
			['timestamp', 'generatedAt'].includes(key) ? write(Date.parse(String(value))) : value,
		) as Payload;
	}
}
