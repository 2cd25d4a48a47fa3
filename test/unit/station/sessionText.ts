/**
 * Sessions as text, one message each, with the rows that are to be reported: `09:00 start 1 1000 | 09:00 tx 25 |
 * 09:30 stop 25 6000 => 1 30min 5kWh`.
 *
 * Messages begin with the time at which the service created them, which is also the station's time:
 * - `start CONNECTOR WH`, `tx ID` (the response to the start before it; `-` without an ID), `meter CONNECTOR WH...`, `stop ID WH`; ID `none` and
 *   WH `-` leave the field out. More values of a stop are its `transactionData`.
 * - OCPP 2.0.1: `started ID EVSE/CONNECTOR WH...`, `updated`, `ended`; place and values can be absent. `evse EVSE WH...` are
 *   MeterValues.
 * - A value can have a context and a time of its own: `1000@begin~08:59`; of a phase: `100/L1`.
 * - `at=` the station's time (another one, as it is written, or `-` for none), `tx=` the transaction (of `start`: answered at
 *   once), `to=` and `id=` the ID of the message, `listed=` when the list has it, `json=` further fields of the payload, and
 *   `sample=` of its values.
 *
 * Rows: connector, `30min`, `5kWh`, `#25` (the transaction), `from=` and `to=` (when it began and stopped), `by=` (how the
 * start was found), a reason, `Wh=1000..6000` (registers), `(start to stop)`; `-` is null, and `?` is not checked.
 */
import { message, type StationEvent, time } from './stationWorld';

type Fields = Record<string, unknown>;

export interface SessionCase {
	readonly name: string;
	readonly events: StationEvent[];
	readonly rows: Fields[];
}

/** Paragraphs: the first line is the name. */
export function sessionCases(text: string): SessionCase[] {
	return text
		.trim()
		.split(/\n\s*\n/)
		.map((paragraph) => {
			const [name = '', ...lines] = paragraph.trim().split('\n');
			const [events = '', rows = ''] = lines.join('|').split('=>');
			return { name: name.trim(), events: sessionEvents(events), rows: rowsIn(rows) };
		});
}

const partsOf = (text: string) =>
	text
		.split(/[|\n]/)
		.map((part) => part.trim())
		.filter((part) => part !== '');

/** In the order of the text; they may be created in another one. */
export function sessionEvents(text: string): StationEvent[] {
	let started = '';
	return partsOf(text).flatMap((part) => {
		const said = saidIn(part);
		if (said.kind === 'start') started = said.options['id'] ?? `m ${said.words[0]} ${said.at}`;
		return eventsOf(said, started);
	});
}

interface Said {
	readonly at: string;
	readonly kind: string;
	readonly words: string[];
	readonly options: Readonly<Record<string, string>>;
}

function saidIn(text: string): Said {
	const [, at = '', kind = '', rest = ''] =
		/^((?:\d\d-\d\d )?\d\d:\d\d\S*) (\w+)(.*)$/.exec(text) ?? [];
	if (kind === '') throw new Error(`no message: ${text}`);
	const tokens = rest.split(' ').filter((token) => token !== '');
	const pairs = tokens.flatMap((token) => {
		const [, name = '', value = ''] = /^([a-z]+)=(.*)$/.exec(token) ?? [];
		return name === '' ? [] : [[name, value] as const];
	});
	return {
		...{ at, kind, options: Object.fromEntries(pairs) },
		words: tokens.filter((token) => !/^[a-z]+=/.test(token)),
	};
}

/** The station's time: one of the day, or as it is written. */
function stampOf(text: string): string {
	const clock = text.replace('_', ' ');
	return /^(\d\d-\d\d )?\d\d:\d\d(:\d\d)?(\.\d+)?$/.test(clock)
		? new Date(time(clock)).toISOString()
		: clock;
}

const jsonOf = (text: string | undefined): Fields =>
	text === undefined ? {} : (JSON.parse(text) as Fields);
/** `none` for none. */
const numbered = (id: string) => (/^-?\d+$/.test(id) ? Number(id) : id);
const CONTEXTS: Readonly<Record<string, string>> = {
	begin: 'Transaction.Begin',
	end: 'Transaction.End',
	periodic: 'Sample.Periodic',
};

const VALUE = /^(-?\d+(?:\.\d+)?)(?:@(\w+))?(?:\/(L[\dL-]+))?(?:~(\S+))?$/;

/** Values of one time after the other are in one list. */
function meterValueOf(said: Said, values: readonly string[], valueOf: (wh: string) => unknown) {
	const own = stampOf(said.options['at'] ?? said.at);
	const lists: { timestamp: string; sampledValue: Fields[] }[] = [];
	for (const text of values) {
		const [, wh, context = '', phase, at] = VALUE.exec(text) ?? [];
		if (wh === undefined) throw new Error(`no value: ${text}`);
		const timestamp = at === undefined ? own : stampOf(at);
		const list = lists.at(-1);
		const sample = {
			value: valueOf(wh),
			...(context !== '' && { context: CONTEXTS[context] }),
			...(phase !== undefined && { phase }),
			...jsonOf(said.options['sample']),
		};
		if (list?.timestamp === timestamp) list.sampledValue.push(sample);
		else lists.push({ timestamp, sampledValue: [sample] });
	}
	return lists;
}

const EVENT_TYPES: Readonly<Record<string, string>> = {
	started: 'Started',
	updated: 'Updated',
	ended: 'Ended',
};

function eventsOf(said: Said, started: string): StationEvent[] {
	const { at, kind, words, options } = said;
	const { id, listed: listedAt } = options;
	const more = {
		...(id !== undefined && { messageId: id }),
		...(listedAt !== undefined && { listedAt }),
	};
	const of = (action: string, payload: Fields, others: Fields = {}) =>
		message(at, 's1', [action, { ...payload, ...jsonOf(options['json']) }], {
			...more,
			...others,
		});
	const stamp = options['at'] === '-' ? {} : { timestamp: stampOf(options['at'] ?? at) };
	const [first = '', second, ...rest] = words;
	const tx = options['tx'];
	const named = tx === undefined ? {} : { transactionId: numbered(tx) };
	switch (kind) {
		case 'start': {
			const payload = { connectorId: numbered(first), idTag: 'TAG', ...whOf('meterStart', second) };
			const start = of('StartTransaction', { ...payload, ...stamp }, { messageId: started });
			return tx === undefined ? [start] : [start, answer(at, named, started)];
		}
		case 'tx': {
			const status = second === undefined ? {} : { idTagInfo: { status: second } };
			const whose = first === '-' ? {} : { transactionId: numbered(first) };
			return [answer(at, { ...whose, ...status }, options['to'] ?? started)];
		}
		case 'stop': {
			const whose = first === 'none' ? {} : { transactionId: numbered(first) };
			const data = meterValueOf(said, rest, String);
			const values = data.length > 0 && { transactionData: data };
			return [
				of('StopTransaction', { ...whose, ...whOf('meterStop', second), ...stamp, ...values }),
			];
		}
		case 'meter': {
			const meterValue = meterValueOf(said, words.slice(1), String);
			const other = { value: '7', measurand: 'Power.Active.Import' };
			for (const { sampledValue } of meterValue) sampledValue.unshift(other);
			return [of('MeterValues', { connectorId: numbered(first), meterValue, ...named })];
		}
		case 'evse': {
			const meterValue = meterValueOf(said, words.slice(1), Number);
			return [of('MeterValues', { evseId: numbered(first), meterValue })];
		}
		default: {
			const eventType = EVENT_TYPES[kind];
			if (eventType === undefined) throw new Error(`no message: ${kind}`);
			const [place] = words.slice(1).filter((word) => !VALUE.test(word));
			const values = words.slice(1).filter((word) => VALUE.test(word));
			const meterValue = meterValueOf(said, values, Number);
			return [
				of('TransactionEvent', {
					...{ eventType, seqNo: seqOf(kind, at), ...stamp },
					transactionInfo: { transactionId: first },
					...(place !== undefined && { evse: evseIn(place) }),
					...(meterValue.length > 0 && { meterValue }),
				}),
			];
		}
	}
}

/** In the order of the day, unless the payload says otherwise. */
const seqOf = (kind: string, at: string) => (kind === 'started' ? 0 : Math.floor(time(at) / 1_000));

const answer = (at: string, payload: Fields, messageId: string) =>
	message(at, 's1', ['', payload], { messageType: 'CALL_RESULT', messageId });

const whOf = (name: string, wh = '-') => (wh === '-' ? {} : { [name]: Number(wh) });

/** `1/2`, or `1/` for the EVSE. */
function evseIn(place: string): Fields {
	const [evse, connector = ''] = place.split('/');
	return { id: Number(evse), ...(connector !== '' && { connectorId: Number(connector) }) };
}

const FOUND_BY: Readonly<Record<string, string>> = {
	meter: 'meter values',
	id: 'transaction ID',
	nothing: 'not found',
};

const rowsIn = (text: string): Fields[] =>
	partsOf(text)
		.filter((row) => row !== 'none')
		.map((row) => {
			const [, from] = /\((.*)\)/.exec(row) ?? [];
			const [connector = '', ...tokens] = row
				.replace(/\(.*\)/, '')
				.trim()
				.split(/ +/);
			return {
				...(connector !== '?' && { connector: nullable(connector) }),
				...(from !== undefined && { energyFrom: nullable(from) }),
				...Object.fromEntries(tokens.flatMap((token) => Object.entries(expectedOf(token)))),
			};
		});

const nullable = (text: string) => (text === '-' ? null : text);

function expectedOf(token: string): Fields {
	const [, number = '', unit] = /^(-?[\d.]*)(min|kWh)$/.exec(token) ?? [];
	const value = number === '-' ? null : Number(number);
	if (unit !== undefined) return { [unit === 'min' ? 'minutes' : 'energyKwh']: value };
	if (token.startsWith('#')) return { transactionId: token === '#null' ? null : token.slice(1) };
	const [name = '', text = ''] = token.split('=');
	const whole = text === '-' ? null : stampOf(text);
	switch (name) {
		case 'from':
			return { startedAt: whole };
		case 'to':
			return { stoppedAt: whole };
		case 'by':
			return { startFoundBy: FOUND_BY[text] ?? nullable(text) };
		case 'received':
			return { receivedAt: whole };
		case 'Wh': {
			const [start = '?', stop = '?'] = text.split('..');
			const wh = (of: string) => (of === '-' ? null : Number(of));
			return {
				...(start !== '?' && { meterStartWh: wh(start) }),
				...(stop !== '?' && { meterStopWh: wh(stop) }),
			};
		}
		default:
			if (!/^[A-Z][A-Za-z]+$/.test(token)) throw new Error(`no part of a row: ${token}`);
			return { reason: token };
	}
}
