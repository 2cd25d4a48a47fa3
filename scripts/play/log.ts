/** Reads a recorded log of OCPP messages: CSV, JSON, JSON lines, or text with a message in each line that counts. */
import { basename } from 'node:path';
import { isRecord, textOf } from '../../lib/shared/values';

export interface Line {
	/** When it was recorded, in Unix milliseconds. */
	readonly at: number;
	readonly station: string;
	readonly frame: Frame;
}

export interface Frame {
	readonly messageType: 'CALL' | 'CALL_RESULT' | 'CALL_ERROR';
	readonly messageId: string;
	/** Empty in a response. */
	readonly action: string;
	readonly payload: Readonly<Record<string, unknown>>;
}

export interface Log {
	readonly lines: readonly Line[];
	/** Records without a time or a message. */
	readonly leftOut: number;
}

interface LogOptions {
	/** Of times without one, such as `+05:30`. */
	readonly zone?: string;
	/** Of records that name no station; that of the file by default. */
	readonly station?: string;
}

/** In order of time; lines of the same time stay in the order of the log. */
export function readLog(text: string, file: string, options: LogOptions = {}): Log {
	const { zone = 'Z', station = basename(file).replace(/\.[^.]*$/, '') } = options;
	const records = recordsOf(text.replace(/^\uFEFF/, ''), station);
	const lines = records.flatMap((record) => {
		const at = timeOf(record.time, zone);
		if (Number.isNaN(at)) return [];
		return record.messages.flatMap((message) => {
			const frame = frameOf(message);
			return frame === undefined ? [] : [{ at, station: record.station, frame }];
		});
	});
	const known = new Set(lines.map(({ at }) => at));
	const leftOut = records.filter(({ time }) => !known.has(timeOf(time, zone))).length;
	return { lines: lines.toSorted((a, b) => a.at - b.at), leftOut };
}

interface LogRecord {
	readonly time: unknown;
	readonly station: string;
	readonly messages: readonly unknown[];
}

function recordsOf(text: string, station: string): LogRecord[] {
	const whole = parsed(text);
	if (whole !== undefined) return ofJson(whole, station);
	const rows = text.split(/\r?\n/).filter((row) => row.trim() !== '');
	const objects = rows.map(parsed);
	if (objects.filter(isRecord).length > rows.length / 2) {
		return objects.flatMap((one) => ofJson([one], station));
	}
	const table = cells(text);
	const isTable = (table[0]?.length ?? 0) > 1 && table.some((row) => row.some(isFrame));
	return isTable ? ofTable(table, station) : rows.map((row) => ofText(row, station));
}

const NAMES = {
	time: ['timestamp', 'time', 'ts', 'createdat', 'created', 'createdon', 'datetime', 'date', 'at'],
	station: [
		'station',
		'stationid',
		'chargepoint',
		'chargepointid',
		'chargingstation',
		'cpid',
	].concat(['chargerid', 'charger', 'chargeboxid', 'deviceid', 'evseid', 'identity', 'id']),
	message: ['message', 'msg', 'frame', 'raw', 'data', 'request', 'response', 'ocpp', 'payload'],
} as const;

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** By the order of the names, and not of the fields. */
function named(fields: ReadonlyMap<string, unknown>, names: readonly string[]): unknown {
	const found = names.find((name) => fields.has(name) && fields.get(name) !== '');
	return found === undefined ? undefined : fields.get(found);
}

function ofJson(whole: unknown, station: string): LogRecord[] {
	if (isRecord(whole)) {
		const { metadata } = whole;
		const own = isRecord(metadata) ? textOf(metadata['stationId']) : undefined;
		const list = Object.values(whole).find((value) => Array.isArray(value) && !isFrame(value));
		if (Array.isArray(list)) return ofJson(list, own ?? station);
		return ofJson([whole], station);
	}
	if (!Array.isArray(whole)) return [];
	return whole.filter(isRecord).map((record) => {
		const fields = new Map(Object.entries(record).map(([name, value]) => [plain(name), value]));
		const messages = NAMES.message.map((name) => fields.get(name)).filter(isFrame);
		return {
			time: named(fields, NAMES.time),
			station: textOf(named(fields, NAMES.station)) ?? station,
			messages: messages.length > 0 ? messages : [...fields.values()].filter(isFrame),
		};
	});
}

/** Columns by their names, if the first row has any; the messages by what they are. */
function ofTable([first = [], ...rest]: readonly string[][], station: string): LogRecord[] {
	const hasNames = !first.some(isFrame);
	const at = (names: readonly string[]) =>
		names.map((name) => first.findIndex((cell) => plain(cell) === name)).find((n) => n >= 0);
	const rows = hasNames ? rest : [first, ...rest];
	const timeAt =
		(hasNames ? at(NAMES.time) : undefined) ??
		rows[0]?.findIndex((cell) => !Number.isNaN(timeOf(cell, 'Z'))) ??
		0;
	const stationAt = hasNames
		? at(NAMES.station)
		: rows[0]?.findIndex((cell, n) => n !== timeAt && !isFrame(cell));
	return rows.map((row) => ({
		time: row[timeAt],
		station: (stationAt === undefined ? '' : row[stationAt]) || station,
		messages: row.filter(isFrame),
	}));
}

function ofText(row: string, station: string): LogRecord {
	const begin = row.search(/\[\s*[234]\s*,\s*"/);
	const [time] =
		/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/.exec(row) ?? [];
	const message = begin < 0 ? undefined : arrayAt(row, begin);
	return { time, station, messages: message === undefined ? [] : [message] };
}

/** The JSON array that begins there, whatever follows it. */
function arrayAt(row: string, begin: number): string | undefined {
	for (let end = row.lastIndexOf(']'); end > begin; end = row.lastIndexOf(']', end - 1)) {
		const text = row.slice(begin, end + 1);
		if (parsed(text) !== undefined) return text;
	}
	return undefined;
}

const isFrame = (value: unknown) => frameOf(value) !== undefined;

function frameOf(value: unknown): Frame | undefined {
	const [type, messageId, ...rest] = listOf(typeof value === 'string' ? parsed(value) : value);
	if (typeof messageId !== 'string') return undefined;
	const [first, second] = rest;
	if (type === 2 && typeof first === 'string') {
		return { messageType: 'CALL', messageId, action: first, payload: recordOf(second) };
	}
	if (type === 3) {
		return { messageType: 'CALL_RESULT', messageId, action: '', payload: recordOf(first) };
	}
	return type === 4 ? { messageType: 'CALL_ERROR', messageId, action: '', payload: {} } : undefined;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const recordOf = (value: unknown) => (isRecord(value) ? value : {});

function parsed(text: string): unknown {
	const first = text.trimStart()[0];
	if (first !== '{' && first !== '[') return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** ISO 8601, month/day/year, or Unix time in seconds or milliseconds; NaN otherwise. */
function timeOf(value: unknown, zone: string): number {
	const text = textOf(value)?.trim() ?? '';
	if (/^\d{9,}(\.\d+)?$/.test(text)) return Number(text) * (Number(text) < 1e11 ? 1000 : 1);
	const [, month, day, year, clock] = /^(\d\d)\/(\d\d)\/(\d{4})[ T]([\d:.]+)$/.exec(text) ?? [];
	const iso = year ? `${year}-${month ?? ''}-${day ?? ''}T${clock ?? ''}` : text.replace(' ', 'T');
	if (!/^\d{4}-\d\d-\d\dT/.test(iso)) return NaN;
	const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(iso);
	return Date.parse(`${iso.replace(',', '.')}${hasZone ? '' : zone}`);
}

/** A table of CSV, with quotes doubled in quoted cells, and cells that have more than one line. */
function cells(text: string): string[][] {
	const [head = ''] = text.split(/["\n]/, 1);
	const separator = [',', ';', '\t'].find((one) => head.includes(one)) ?? ',';
	const rows: string[][] = [];
	let [row, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
	const endCell = () => {
		row.push(cell);
		cell = '';
	};
	for (let n = 0; n < text.length; n++) {
		const sign = text[n] ?? '';
		if (isQuoted) {
			if (sign !== '"') cell += sign;
			else if (text[n + 1] === '"') cell += text[++n] ?? '';
			else isQuoted = false;
		} else if (sign === '"' && cell === '') isQuoted = true;
		else if (sign === separator) endCell();
		else if (sign === '\n') {
			endCell();
			rows.push(row);
			row = [];
		} else if (sign !== '\r') cell += sign;
	}
	endCell();
	return [...rows, row].filter((one) => one.some((each) => each !== ''));
}
