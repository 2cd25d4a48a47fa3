/**
 * A true history of charging sessions: what each one was, and the messages that tell it. A message can be lost, sent late, listed
 * late, or sent again; the truth stays. `eventsOf` writes it as events, `textOf` as lines that people read.
 */
import { message, MINUTE, type StationEvent } from '../../unit/station/stationWorld';

export type Version = '1.6' | '2.0.1';
export type PartKind = 'start' | 'response' | 'reading' | 'stop';

/** A message of a session. */
export interface Part {
	readonly kind: PartKind;
	/** When what it tells was, in Unix milliseconds. */
	readonly at: number;
	/** The register. */
	readonly wh: number;
	/** Whether a reading names the transaction. */
	readonly isNamed: boolean;
	readonly context?: 'Transaction.Begin' | 'Transaction.End';
	readonly isLost?: boolean;
	/** How much later it is sent. */
	readonly waitsMs?: number;
	/** How much later than it was created it is listed. */
	readonly lateMs?: number;
	/** How much later it is sent again, as another event. */
	readonly againMs?: number;
	/** With which ID the service answers a start that is sent again. */
	readonly againId?: string;
}

export interface Session {
	readonly station: string;
	readonly connector: number;
	/** As the service or the station names it. */
	readonly transaction: string;
	readonly startedAt: number;
	readonly endedAt: number;
	/** If the station boots meanwhile, it may never send a stop. */
	readonly isForgotten: boolean;
	readonly fromWh: number;
	readonly toWh: number;
	readonly parts: readonly Part[];
	/** How far the station's clock is ahead at its start, and afterwards. */
	readonly clockMs: readonly [start: number, later: number];
}

/** What is no part of a session: it changes nothing that is said of one. */
export interface Noise {
	readonly station: string;
	readonly at: number;
	readonly what: 'boot' | 'heartbeat' | 'status' | 'idle reading';
	readonly connector: number;
	/** The status, or the register. */
	readonly value: string;
}

export interface History {
	readonly version: Version;
	readonly sessions: readonly Session[];
	readonly noise: readonly Noise[];
	/** 2.0.1: whether each message has the EVSE, or only the first one. */
	readonly isEvseRepeated: boolean;
	/** 2.0.1: whether registers come only in the last message, which has those of begin and end. */
	readonly isMeasuredAtEnd: boolean;
}

export const FROM = Date.UTC(2026, 10, 23, 6);
/** A clock that was not set yet. */
const UNSET = Date.UTC(2023, 0, 1);

/** What the station's clock shows: NaN as the offset is a clock that was not set. */
export const shownAt = (at: number, clockMs: number): number =>
	Number.isNaN(clockMs) ? UNSET + (at % (20 * MINUTE)) : at + clockMs;

export const createdAt = ({ at, waitsMs = 0 }: Part): number => at + waitsMs;

export const connectorName = (version: Version, connector: number): string =>
	version === '1.6' ? String(connector) : `${connector}/1`;

interface Sent {
	readonly at: number;
	readonly text: string;
	readonly lost?: boolean;
	readonly event?: StationEvent;
}

/** In the order of their creation. */
export function eventsOf(history: History): StationEvent[] {
	return sent(history).flatMap(({ event }) => event ?? []);
}

/** One line per message; those that were lost begin with a minus. */
export function textOf(history: History): string {
	return sent(history)
		.map(({ text, lost = false }) => `${lost ? '- ' : '  '}${text}`)
		.join('\n');
}

function sent(history: History): Sent[] {
	return [
		...history.sessions.flatMap((session, n) =>
			session.parts.flatMap((part, m) => ofPart(history, session, part, `${n}-${m}`)),
		),
		...history.noise.flatMap((noise, n) => ofNoise(history.version, noise, n)),
	].sort((a, b) => a.at - b.at);
}

const clock = (at: number) => new Date(at).toISOString().slice(11, 19).replace(/:00$/, '');
const iso = (at: number) => new Date(at).toISOString();

function ofPart(history: History, session: Session, part: Part, id: string): Sent[] {
	const { station, clockMs } = session;
	const at = createdAt(part);
	const stamp = shownAt(part.at, clockMs[part.kind === 'start' ? 0 : 1]);
	const late = part.lateMs ? `, listed ${clock(at + part.lateMs)}` : '';
	const shown = stamp === at ? '' : `, its time ${iso(stamp).slice(0, 19)}`;
	const text = `${clock(at)} ${wordsOf(history, session, part)}${shown}${late}`;
	if (part.isLost) return [{ at, text, lost: true }];
	const [action, payload] = payloadOf(history, session, part, iso(stamp));
	const isResponse = part.kind === 'response';
	/** A response repeats the ID of the call. */
	const call = isResponse ? `${id.split('-')[0] ?? ''}-0` : id;
	const event = message(at, station, [action, payload], {
		...{ id: `whevt_${id}`, messageId: call, messageType: isResponse ? 'CALL_RESULT' : 'CALL' },
	});
	const first = { at, text, event: { ...event, listedAt: at + (part.lateMs ?? 0) } };
	if (part.againMs === undefined) return [first];
	const { againMs, againId = session.transaction } = part;
	const content = isResponse ? { ...payload, transactionId: Number(againId) } : payload;
	const again = message(at + againMs, station, [action, content], {
		...{ id: `whevt_${id}-again`, messageId: `${call}-again` },
		messageType: isResponse ? 'CALL_RESULT' : 'CALL',
	});
	const words = isResponse ? `${station} answer ${againId}` : `again: ${text}`;
	return [first, { at: at + againMs, text: `${clock(at + againMs)} ${words}`, event: again }];
}

function wordsOf({ version, isMeasuredAtEnd }: History, session: Session, part: Part): string {
	const { station, connector, transaction, fromWh } = session;
	const place = `${station} ${connectorName(version, connector)}`;
	if (part.kind === 'response') return `${station} answer ${transaction}`;
	if (part.kind === 'start' && version === '1.6') return `${place} start ${part.wh}`;
	if (part.kind === 'start') {
		return `${place} start ${transaction}${isMeasuredAtEnd ? '' : ` ${part.wh}`}`;
	}
	if (part.kind === 'stop') {
		const begin = version === '2.0.1' && isMeasuredAtEnd ? ` from ${fromWh} to` : '';
		return `${station} stop ${transaction}${begin} ${part.wh}`;
	}
	const context = part.context === undefined ? '' : ` ${part.context}`;
	return `${place} reading ${part.wh}${part.isNamed ? ` of ${transaction}` : ''}${context}`;
}

type Payload = Record<string, unknown>;

function payloadOf(
	{ version, isEvseRepeated, isMeasuredAtEnd }: History,
	session: Session,
	part: Part,
	timestamp: string,
): [string, Payload] {
	const { connector, transaction, fromWh } = session;
	const { kind, wh, context, isNamed } = part;
	if (version === '1.6') {
		const transactionId = Number(transaction);
		if (kind === 'start') {
			const connectorId = connector;
			return ['StartTransaction', { connectorId, idTag: 'T', meterStart: wh, timestamp }];
		}
		if (kind === 'response') return ['', { transactionId, idTagInfo: { status: 'Accepted' } }];
		if (kind === 'stop') return ['StopTransaction', { transactionId, meterStop: wh, timestamp }];
		const sampledValue = [{ value: String(wh), ...(context && { context }) }];
		return [
			'MeterValues',
			{
				...{ connectorId: connector, ...(isNamed && { transactionId }) },
				meterValue: [{ timestamp, sampledValue }],
			},
		];
	}
	const sample = (value: number, of?: string) => ({ value, ...(of && { context: of }) });
	const meterValue = (...sampledValue: object[]) => [{ timestamp, sampledValue }];
	if (kind === 'reading' && !isNamed) {
		return ['MeterValues', { evseId: connector, meterValue: meterValue(sample(wh, context)) }];
	}
	const eventType = kind === 'start' ? 'Started' : kind === 'stop' ? 'Ended' : 'Updated';
	const values =
		kind === 'start'
			? !isMeasuredAtEnd && [sample(wh, 'Transaction.Begin')]
			: kind === 'stop'
				? [
						...(isMeasuredAtEnd ? [sample(fromWh, 'Transaction.Begin')] : []),
						sample(wh, 'Transaction.End'),
					]
				: [sample(wh, context)];
	return [
		'TransactionEvent',
		{
			...{ eventType, timestamp, triggerReason: 'Trigger' },
			seqNo: session.parts.filter(({ kind: of }) => of !== 'response').indexOf(part),
			transactionInfo: { transactionId: transaction },
			...((isEvseRepeated || kind === 'start') && { evse: { id: connector, connectorId: 1 } }),
			...(values && { meterValue: meterValue(...values) }),
		},
	];
}

function ofNoise(
	version: Version,
	{ station, at, what, connector, value }: Noise,
	n: number,
): Sent[] {
	const timestamp = iso(at);
	const messageId = `noise-${n}`;
	const say = (action: string, payload: Payload, more = {}) =>
		message(at, station, [action, payload], { id: `whevt_noise-${n}`, messageId, ...more });
	const place = `${station} ${connectorName(version, connector)}`;
	if (what === 'heartbeat') {
		return [{ at, text: `${clock(at)} ${station} heartbeat`, event: say('Heartbeat', {}) }];
	}
	if (what === 'boot') {
		const payload =
			version === '1.6'
				? { chargePointModel: 'M', chargePointVendor: 'V' }
				: { reason: 'PowerUp', chargingStation: { model: 'M', vendorName: 'V' } };
		const response = { currentTime: timestamp, interval: 300, status: 'Accepted' };
		const answer = message(at + 50, station, ['', response], {
			...{ id: `whevt_noise-${n}-answer`, messageId, messageType: 'CALL_RESULT' },
		});
		return [
			{ at, text: `${clock(at)} ${station} boot`, event: say('BootNotification', payload) },
			{ at: at + 50, text: `${clock(at)} ${station} answer Accepted`, event: answer },
		];
	}
	if (what === 'status') {
		const payload =
			version === '1.6'
				? { connectorId: connector, status: value, errorCode: 'NoError', timestamp }
				: { evseId: connector, connectorId: 1, connectorStatus: value, timestamp };
		return [
			{ at, text: `${clock(at)} ${place} ${value}`, event: say('StatusNotification', payload) },
		];
	}
	const meterValue = (sampled: unknown) => [{ timestamp, sampledValue: [{ value: sampled }] }];
	const payload =
		version === '1.6'
			? { connectorId: connector, meterValue: meterValue(value) }
			: { evseId: connector, meterValue: meterValue(Number(value)) };
	return [
		{ at, text: `${clock(at)} ${place} reading ${value}`, event: say('MeterValues', payload) },
	];
}
