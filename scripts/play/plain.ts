/**
 * What a log says by plain computation, to compare the product with: start and stop joined by the transaction ID, the energy as
 * the difference of their registers, faults and statuses as runs of equal reports. No repetition, loss or clock is cared for.
 */
import { isRecord, textOf } from '../../lib/shared/values';
import type { Frame, Line } from './log';

export interface Session {
	readonly station: string;
	readonly connector: string | null;
	readonly transaction: string | null;
	readonly startedAt: number | null;
	readonly stoppedAt: number | null;
	readonly energyKwh: number | null;
}

/** Of one status of a connector. */
export interface Run {
	readonly station: string;
	readonly connector: string;
	readonly status: string;
	readonly from: number;
	/** Infinity if it lasts. */
	readonly to: number;
}

/** Those that ended. */
export function plainSessions(lines: readonly Line[]): Session[] {
	const started = new Map<string, Partial<Session> & { readonly wh?: number | undefined }>();
	const calls = new Map<string, Line>();
	return lines.flatMap(({ at, station, frame }): Session[] => {
		const { messageType, messageId, action, payload } = frame;
		const call = `${station} ${messageId}`;
		const keyOf = (transaction: unknown) => `${station} ${textOf(transaction) ?? ''}`;
		if (messageType === 'CALL') calls.set(call, { at, station, frame });
		const asked = calls.get(call);
		if (messageType === 'CALL_RESULT' && asked?.frame.action === 'StartTransaction') {
			const { connectorId, meterStart } = asked.frame.payload;
			started.set(keyOf(payload['transactionId']), {
				connector: textOf(connectorId) ?? null,
				...{ startedAt: stationTime(asked), wh: numberOf(meterStart) },
			});
		}
		const stoppedAt = stationTime({ at, station, frame });
		const ended = (transaction: unknown, wh: number | undefined): Session => {
			const key = keyOf(transaction);
			const start = started.get(key);
			started.delete(key);
			return {
				...{
					station,
					connector: start?.connector ?? null,
					transaction: textOf(transaction) ?? null,
				},
				...{ startedAt: start?.startedAt ?? null, stoppedAt },
				energyKwh: wh === undefined || start?.wh === undefined ? null : (wh - start.wh) / 1000,
			};
		};
		if (action === 'StopTransaction') {
			return [ended(payload['transactionId'], numberOf(payload['meterStop']))];
		}
		if (action !== 'TransactionEvent') return [];
		const { eventType, transactionInfo, evse } = payload;
		const transaction = isRecord(transactionInfo) ? transactionInfo['transactionId'] : undefined;
		const registers = registersOf(frame);
		if (eventType === 'Ended') return [ended(transaction, registers.at(-1))];
		const before = started.get(keyOf(transaction));
		started.set(keyOf(transaction), {
			startedAt: stoppedAt,
			wh: registers[0],
			...before,
			...(isRecord(evse) && { connector: evseName(evse['id'], evse['connectorId']) }),
		});
		return [];
	});
}

/** Of the imported energy, in Wh. */
function registersOf({ payload }: Frame): number[] {
	const { meterValue } = payload;
	const samples = (Array.isArray(meterValue) ? meterValue : []).flatMap((one: unknown) => {
		const sampled = isRecord(one) ? one['sampledValue'] : undefined;
		return Array.isArray(sampled) ? sampled.filter(isRecord) : [];
	});
	return samples.flatMap(({ measurand = 'Energy.Active.Import.Register', value, ...more }) => {
		if (measurand !== 'Energy.Active.Import.Register' || more['phase'] !== undefined) return [];
		const of = isRecord(more['unitOfMeasure']) ? more['unitOfMeasure'] : {};
		const number = numberOf(value);
		if (number === undefined) return [];
		const factor = 10 ** (numberOf(of['multiplier']) ?? 0) * (of['unit'] === 'kWh' ? 1000 : 1);
		return [number * factor];
	});
}

/** Of each status of each connector, in the order in which they begin. */
export function plainRuns(lines: readonly Line[]): Run[] {
	const runs: { -readonly [key in keyof Run]: Run[key] }[] = [];
	const last = new Map<string, (typeof runs)[number]>();
	for (const { at, station, frame } of lines) {
		for (const { connector, status } of statusesOf(frame)) {
			const key = `${station} ${connector}`;
			const before = last.get(key);
			if (before?.status === status) continue;
			if (before) before.to = at;
			const run = { station, connector, status, from: at, to: Infinity };
			last.set(key, run);
			runs.push(run);
		}
	}
	return runs;
}

function statusesOf({ action, payload }: Frame): { connector: string; status: string }[] {
	if (action === 'StatusNotification') {
		const { evseId, connectorId, connectorStatus, status } = payload;
		const text = textOf(connectorStatus) ?? textOf(status);
		if (text === undefined) return [];
		if (evseId !== undefined) return [{ connector: evseName(evseId, connectorId), status: text }];
		return [{ connector: textOf(connectorId) ?? '', status: text }];
	}
	const { eventData } = payload;
	if (action !== 'NotifyEvent' || !Array.isArray(eventData)) return [];
	return eventData.filter(isRecord).flatMap(({ component, variable, actualValue }) => {
		const [of, name] = [isRecord(component) ? component : {}, isRecord(variable) ? variable : {}];
		const { evse } = of;
		const isState = name['name'] === 'AvailabilityState' && of['name'] === 'Connector';
		const status = textOf(actualValue);
		if (!isState || !isRecord(evse) || status === undefined) return [];
		return [{ connector: evseName(evse['id'], evse['connectorId']), status }];
	});
}

const evseName = (evse: unknown, connector: unknown): string =>
	[evse, connector].flatMap((part) => textOf(part) ?? []).join('/');

function numberOf(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** By the station's clock, if it says a time. */
function stationTime({ at, frame }: Line): number {
	const text = textOf(frame.payload['timestamp']) ?? '';
	const time = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
	return Number.isNaN(time) ? at : time;
}
