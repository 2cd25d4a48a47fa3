/** Whether what is said of sessions is true: by the contract of the docs, from the truth, whatever way it was found out. */
import { textOf } from '../../../lib/shared/values';
import { MINUTE } from '../../unit/station/stationWorld';
import {
	connectorName,
	createdAt,
	type History,
	type Part,
	type PartKind,
	type Session,
	shownAt,
} from './history';

export type Row = Readonly<Record<string, unknown>>;

/** A station's time counts if it is so far ahead of the service's at most, or so far behind. */
const AHEAD_MS = 10 * MINUTE;
const BEHIND_MS = 30 * 1440 * MINUTE;
/** A session without a stop is told so long after the next one of its connector began. */
const NOT_REPORTED_MS = 20 * MINUTE;
/** What a connector of unknown kind can give. */
const MOST_WATTS = 1_000_000;

interface Judged {
	readonly rows: readonly Row[];
	/** Whether all messages were in the list when it was asked. Otherwise what is late may be missing. */
	readonly isAllListed: boolean;
	/** Up to when everything is known, in Unix milliseconds. */
	readonly until: number;
}

/** What is wrong, as sentences. */
export function wrongIn(history: History, { rows, isAllListed, until }: Judged): string[] {
	const wrong: string[] = [];
	const told = new Map<Session, Row[]>();
	for (const row of rows) {
		const session = sessionOf(history, row, told);
		if (session === undefined) {
			const isOfAny = history.sessions.some(
				(one) =>
					isDoubtful(history, one) && idsOf(one).includes(textOf(row['transactionId']) ?? ''),
			);
			if (!isOfAny) wrong.push(`a row of no session: ${rowText(row)}`);
			continue;
		}
		told.set(session, [...(told.get(session) ?? []), row]);
		if (!isUnsure(history, session) && !isLikely(history, session, row))
			wrong.push(...fieldsOf(history, session, row));
	}
	for (const session of history.sessions) {
		const own = told.get(session) ?? [];
		const isOpen = isLeftOpen(history, session) || isDoubtful(history, session);
		if (own.length > 1 && !isOpen)
			wrong.push(`told ${own.length} times: ${nameOf(history, session)}`);
		if (!isAllListed && session.parts.some(isLate)) continue;
		if (isWhole(history, session)) {
			wrong.push(...wholeOf(history, session, own, isAllListed));
		} else if (
			own.length === 0 &&
			isNotReported(history, session, until) &&
			!isDoubtful(history, session)
		) {
			wrong.push(`not told, though another session began: ${nameOf(history, session)}`);
		}
	}
	return wrong;
}

/** Later than the trigger surely sees it, or than what it belongs to. */
const isLate = ({ lateMs = 0, waitsMs = 0 }: Part) => lateMs > MINUTE || waitsMs > MINUTE;

function partOf({ parts }: Session, kind: PartKind): Part | undefined {
	return parts.find((part) => part.kind === kind && !part.isLost);
}

/** Whether its messages are all there, and its stop in time: readings are more than is needed. */
function isWhole(history: History, session: Session): boolean {
	const { version } = history;
	const needed: PartKind[] = version === '1.6' ? ['start', 'response', 'stop'] : ['start', 'stop'];
	if (needed.some((kind) => partOf(session, kind) === undefined)) return false;
	return stopOf(session) < Math.min(...nextsOf(history, session)) + NOT_REPORTED_MS - 2 * MINUTE;
}

/** When its stop was created. */
function stopOf(session: Session): number {
	const stop = partOf(session, 'stop');
	return stop === undefined ? Infinity : createdAt(stop);
}

/** When its connector began other ones, later by their own time. */
function nextsOf({ sessions }: History, session: Session): number[] {
	const start = partOf(session, 'start');
	return sessions.flatMap((other) => {
		const next = partOf(other, 'start');
		const isSame = other.station === session.station && other.connector === session.connector;
		if (!isSame || start === undefined || next === undefined || other === session) return [];
		return timeOf(other, next) > timeOf(session, start) ? [createdAt(next)] : [];
	});
}

/** It has no stop in time, and its connector begins another session. */
function isNotReported(history: History, session: Session, until: number): boolean {
	const { version, sessions } = history;
	const isAnswered = (one: Session) => version === '2.0.1' || partOf(one, 'response') !== undefined;
	if (!isAnswered(session)) return false;
	const answered = { ...history, sessions: sessions.filter(isAnswered) };
	const next = Math.min(...nextsOf(answered, session));
	return next + NOT_REPORTED_MS + 3 * MINUTE < Math.min(until, stopOf(session));
}

/** Nobody knows its ID, and its stop comes when it has been told without one: that stop is told by itself. */
function isLeftOpen(history: History, session: Session): boolean {
	const isAnswered = history.version === '2.0.1' || partOf(session, 'response') !== undefined;
	const over = Math.min(...nextsOf(history, session)) + NOT_REPORTED_MS - 2 * MINUTE;
	return !isAnswered && stopOf(session) > over;
}

/** By the station's clock, if that time counts. */
function timeOf(session: Session, part: Part): number {
	const shown = shownAt(part.at, session.clockMs[part.kind === 'start' ? 0 : 1]);
	const created = createdAt(part);
	return shown - created <= AHEAD_MS && created - shown <= BEHIND_MS ? shown : created;
}

/** Start and stop: where they contradict each other, the service's time counts. */
function timesOf(session: Session): { start: number[]; stop: number[] } {
	const [start, stop] = [partOf(session, 'start'), partOf(session, 'stop')];
	const [from, to] = [start, stop].map((part) => part && timeOf(session, part));
	const isContrary = from !== undefined && to !== undefined && from > to;
	const of = (part: Part | undefined, time: number | undefined) =>
		part === undefined || time === undefined ? [] : isContrary ? [createdAt(part)] : [time];
	return { start: of(start, from), stop: of(stop, to) };
}

/** Without its start, nothing contradicts its own time. */
function stopsOf(session: Session, { startedAt }: Row): number[] {
	const stop = partOf(session, 'stop');
	const own = startedAt === null && stop !== undefined ? [timeOf(session, stop)] : [];
	return [...timesOf(session).stop, ...own];
}

const msOf = (text: unknown) => (typeof text === 'string' ? Date.parse(text) : undefined);

/** The IDs that it was given: a start that was sent again can be answered with another one. */
function idsOf({ transaction, parts }: Session): string[] {
	return [transaction, ...parts.flatMap(({ againId }) => againId ?? [])];
}

function sessionOf(
	history: History,
	row: Row,
	told: ReadonlyMap<Session, readonly Row[]>,
): Session | undefined {
	const { transactionId, stoppedAt, startedAt } = row;
	const station = (row['station'] as { id?: unknown } | undefined)?.id;
	const found = history.sessions
		.filter((session) => session.station === station)
		.filter(
			(session) => transactionId === null || idsOf(session).includes(textOf(transactionId) ?? ''),
		)
		.filter((session) => {
			const times = timesOf(session);
			const [start, stop] = [msOf(startedAt), msOf(stoppedAt)];
			if (stop !== undefined) return stopsOf(session, row).includes(stop);
			const own = partOf(session, 'start');
			// Without its stop, nothing contradicts its own time.
			const isOwn = own !== undefined && timeOf(session, own) === start;
			return start !== undefined && (times.start.includes(start) || isOwn);
		});
	// Two with the same ID can stop at the same time.
	const isHere = ({ connector }: Session) =>
		connectorName(history.version, connector) === row['connector'];
	const left = found.filter((session) => !told.has(session));
	return left.find(isHere) ?? left[0] ?? found[0];
}

function fieldsOf(history: History, session: Session, row: Row): string[] {
	const { connector, startedAt, stoppedAt, energyKwh } = row;
	const times = timesOf(session);
	const says = (what: string) => `${what} of ${nameOf(history, session)} is wrong: ${rowText(row)}`;
	const isTrue = {
		connector: connector === connectorName(history.version, session.connector),
		start: times.start.includes(msOf(startedAt) ?? NaN) || stoppedAt === null,
		stop: stopsOf(session, row).includes(msOf(stoppedAt) ?? NaN),
		energy: typeof energyKwh === 'number' && isEnergy(history, row, energyKwh, session),
	};
	return [
		...(connector === null || isTrue.connector ? [] : [says('the connector')]),
		...(startedAt === null || isTrue.start ? [] : [says('the start')]),
		...(stoppedAt === null || isTrue.stop ? [] : [says('the stop')]),
		...(energyKwh === null || isTrue.energy ? [] : [says('the energy')]),
	];
}

/** Exact between its own registers: of the begin and the end where they are told, otherwise of the readings. */
function isEnergy({ isMeasuredAtEnd }: History, row: Row, kwh: number, session: Session): boolean {
	const { fromWh, toWh, parts } = session;
	const readings = parts.filter(({ kind, isLost }) => kind === 'reading' && !isLost);
	const left = readings.map(({ wh }) => wh);
	const hasStop = row['stoppedAt'] !== null;
	const hasBegin = partOf(session, 'start') !== undefined && (!isMeasuredAtEnd || hasStop);
	const froms = [fromWh, ...(hasBegin ? [] : left)];
	const tos = [toWh, ...(hasStop ? [] : left)];
	const isOf = (from: number, to: number) => Math.abs(to - from - kwh * 1000) < 0.6 && to >= from;
	return froms.some((from) => tos.some((to) => isOf(from, to)));
}

/** One of those with the same ID lacks a message: another one may get what is left of it. */
function isUnsure(history: History, session: Session): boolean {
	const same = history.sessions.filter((other) => isConfused(session, other));
	return same.length > 0 && [session, ...same].some((one) => !isWhole(history, one));
}

/** Without any response of the service, a start that no stop or reading names for sure can be that of whatever ends next. */
function isLikely(history: History, { station }: Session, row: Row): boolean {
	const { version, sessions } = history;
	const here = sessions.filter((one) => one.station === station);
	if (version !== '1.6' || here.some(({ parts }) => parts.some(isResponse))) return false;
	const isTold = (one: Session) => {
		const start = partOf(one, 'start');
		return start !== undefined && [timeOf(one, start), createdAt(start)].includes(startOf(row));
	};
	const names = (part: Part) => ['reading', 'stop'].includes(part.kind) && part.isNamed;
	const isNamed = ({ parts }: Session) => parts.some((part) => names(part) && !part.isLost);
	return here.some((one) => isTold(one) && (!isNamed(one) || isDoubtful(history, one)));
}

const isResponse = ({ kind }: Part) => kind === 'response';

const startOf = ({ startedAt }: Row): number => msOf(startedAt) ?? NaN;

/** Two sessions of a station that last at the same time and have the same ID cannot be told apart for sure, nor what follows. */
function isDoubtful({ sessions }: History, session: Session): boolean {
	const same = sessions.filter((other) => isConfused(session, other) || hasSameId(session, other));
	return (
		sessions.some((other) => isConfused(session, other)) ||
		same.some(
			(one) => one.startedAt < session.startedAt && same.some((other) => isConfused(one, other)),
		)
	);
}

function hasSameId(session: Session, other: Session): boolean {
	const isOther = other !== session && other.station === session.station;
	return isOther && idsOf(other).some((id) => idsOf(session).includes(id));
}

/** Whether they have the same ID and seem to last at the same time, by one clock or the other. */
function isConfused(session: Session, other: Session): boolean {
	const begin = (one: Session) => {
		const start = partOf(one, 'start');
		return start === undefined ? one.startedAt : Math.min(createdAt(start), timeOf(one, start));
	};
	const end = (one: Session) => {
		const stop = partOf(one, 'stop');
		return stop === undefined ? Infinity : Math.max(createdAt(stop), timeOf(one, stop));
	};
	return hasSameId(session, other) && begin(other) < end(session) && begin(session) < end(other);
}

function wholeOf(
	history: History,
	session: Session,
	[row]: readonly Row[],
	isAllListed: boolean,
): string[] {
	const name = nameOf(history, session);
	if (isDoubtful(history, session)) return [];
	if (row === undefined) return [`not told, though its messages are all there: ${name}`];
	// A reading that is late may come when all has been told.
	const isMetered =
		(isAllListed || !session.parts.some(isLate)) &&
		!isTooFast(session) &&
		!isDisturbed(history, session);
	const missing = ['transactionId', 'connector', 'startedAt', 'stoppedAt'].filter(
		(field) => row[field] === null || row[field] === undefined,
	);
	if (isMetered && (row['energyKwh'] ?? null) === null) missing.push('energyKwh');
	return missing.map((field) => `${field} is null, though all is there: ${name}: ${rowText(row)}`);
}

/** A reading of another session of its connector, without a name and a right time, is sent late or again while it lasts: nothing shows whose it is. */
function isDisturbed({ sessions }: History, session: Session): boolean {
	const { station, connector, startedAt, endedAt } = session;
	return sessions
		.filter((other) => other !== session && other.station === station)
		.filter((other) => other.connector === connector && other.clockMs.some((ms) => ms !== 0))
		.flatMap(({ parts }) => parts.filter(({ kind, isNamed }) => kind === 'reading' && !isNamed))
		.flatMap((part) => [createdAt(part), createdAt(part) + (part.againMs ?? 0)])
		.some((at) => startedAt <= at && at <= endedAt);
}

/** By clocks that do not agree, a session can seem to have taken more than a megawatt. */
function isTooFast(session: Session): boolean {
	const { start, stop } = timesOf(session);
	const hours = ((stop[0] ?? NaN) - (start[0] ?? NaN)) / (60 * MINUTE);
	return session.toWh - session.fromWh > hours * MOST_WATTS;
}

const clock = (ms: number | undefined) =>
	ms === undefined || Number.isNaN(ms) ? 'null' : new Date(ms).toISOString().slice(11, 19);

function nameOf({ version }: History, session: Session): string {
	const { station, connector, transaction, fromWh, toWh } = session;
	const { start, stop } = timesOf(session);
	const place = `${station} ${connectorName(version, connector)}`;
	const kwh = ((toWh - fromWh) / 1000).toFixed(3);
	return `session ${transaction} of ${place}, ${clock(start[0])} to ${clock(stop[0])}, ${kwh} kWh`;
}

export function rowText(row: Row): string {
	const { connector, transactionId, energyKwh, reason, startFoundBy, energyFrom } = row;
	const times = [row['startedAt'], row['stoppedAt']].map((text) => clock(msOf(text)));
	const final = row['final'] === false ? ', not final' : '';
	return `{${String(transactionId)} on ${String(connector)}, ${times.join(' to ')}, ${String(energyKwh)} kWh, ${String(reason)}, start by ${String(startFoundBy)}, energy from ${String(energyFrom)}${final}}`;
}
