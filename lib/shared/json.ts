/**
 * The bounds of JSON from outside, checked in its text before it is parsed: a few kilobytes of brackets exhaust the stack of
 * code that walks the values, and a few megabytes of them the memory. Every function reads the text once.
 */
import { jsonIn } from './values';

/** Of an event or a record of a list. */
export const RECORD_BOUNDS = {
	/** Levels of lists and objects. Some thousands exhaust the stack, also in n8n's own code. */
	levels: 500,
	/** A page of 100 such records has as many values as fit in memory: an empty object takes twenty times its bytes. */
	values: 40_000,
	/** The most that n8n takes of a webhook by default. */
	characters: 16 * 1024 * 1024,
} as const;

/** A list or an object in a text, and where it ends. */
interface Measured {
	readonly end: number;
	readonly levels: number;
	readonly values: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LIST = 0x5b;
/** Of brackets and braces, which differ in one bit. */
const OPEN = 0x7b;
const CLOSE = 0x7d;
const EITHER = 0x20;

/** The place of the quote that ends the string which begins at `start`: one with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
	let at = start;
	let first: number;
	do {
		at = text.indexOf('"', at + 1);
		if (at < 0) return text.length;
		first = at;
		while (text.charCodeAt(first - 1) === BACKSLASH) first--;
	} while ((at - first) % 2 === 1);
	return at;
}

/** Measures the first list or object at `start` or after it. By hand, since this runs for every response and delivery. */
function measured(text: string, start: number): Measured {
	let [level, levels, values] = [0, 0, 0];
	let at = start;
	for (; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) at = endOfString(text, at);
		else if (code === COMMA) values++;
		else if ((code | EITHER) === OPEN) {
			values++;
			if (++level > levels) levels = level;
		} else if ((code | EITHER) === CLOSE && --level <= 0) return { end: at + 1, levels, values };
	}
	return { end: at, levels, values };
}

const tooDeep = `it is nested more than ${RECORD_BOUNDS.levels} levels deep`;
const tooMany = (values: number) => `it has more than ${values.toLocaleString('en')} values`;

/** How a record breaks a bound, such as `it is nested more than 500 levels deep`; undefined if it breaks none. */
function brokenBound({ levels, values }: Measured, characters: number): string | undefined {
	if (levels > RECORD_BOUNDS.levels) return tooDeep;
	if (values > RECORD_BOUNDS.values) return tooMany(RECORD_BOUNDS.values);
	const most = RECORD_BOUNDS.characters;
	return characters > most ? `it is larger than ${most / 1024 / 1024} MB` : undefined;
}

/** How a JSON text breaks a bound of a record; undefined if it breaks none. A text that is not JSON is left to the parser. */
export function brokenBoundOf(text: string): string | undefined {
	// Each level and each value takes at least two characters.
	if (text.length < 2 * RECORD_BOUNDS.levels) return undefined;
	return brokenBound(measured(text, 0), text.length);
}

/** A record that breaks a bound. */
export interface BrokenRecord {
	/** Its place in the text. */
	readonly start: number;
	readonly end: number;
	readonly problem: string;
}

/**
 * The records in the text of a response that break a bound: the elements of its outermost list, or of the outermost one that is
 * inside so many lists. `problem` is how the rest breaks one: it may have `mostValues` values.
 */
export function brokenRecords(text: string, mostValues: number, insideLists = 0) {
	const broken: BrokenRecord[] = [];
	let [values, level, lists] = [0, 0, 0];
	let levelOfRecords = Infinity;
	for (let at = 0; at < text.length && level <= RECORD_BOUNDS.levels; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) at = endOfString(text, at);
		else if (code === COMMA) values++;
		else if ((code | EITHER) === OPEN && level === levelOfRecords) {
			const record = measured(text, at);
			const problem = brokenBound(record, record.end - at);
			if (problem === undefined) values += record.values;
			else broken.push({ start: at, end: record.end, problem });
			at = record.end - 1;
		} else if ((code | EITHER) === OPEN) {
			values++;
			level++;
			if (code === LIST && lists++ === insideLists) levelOfRecords = level;
		} else if ((code | EITHER) === CLOSE) {
			if (level-- === levelOfRecords) levelOfRecords = Infinity;
			if (code !== CLOSE) lists--;
		}
	}
	const isTooLarge = values > mostValues ? tooMany(mostValues) : undefined;
	return { broken, problem: level > RECORD_BOUNDS.levels ? tooDeep : isTooLarge };
}

const SPACE = 0x20;
const COLON = 0x3a;

/** The first character from `at` on that is not white space. */
function afterSpace(text: string, at: number): number {
	while (text.charCodeAt(at) <= SPACE) at++;
	return at;
}

/** Where the value that begins at `start` ends. */
function endOfValue(text: string, start: number): number {
	const code = text.charCodeAt(start);
	if (code === QUOTE) return endOfString(text, start) + 1;
	if ((code | EITHER) === OPEN) return measured(text, start).end;
	let at = start;
	for (let next; (next = text.charCodeAt(at)) > SPACE && next !== COMMA; at++) {
		if ((next | EITHER) === CLOSE) break;
	}
	return at;
}

/** In characters, with its quotes. Each character of an ID may be an escape. */
const LONGEST_SCALAR = 6_200;

type TextRange = readonly [start: number, end: number];

/**
 * The text or number at a dot path of fields in a record that breaks a bound and so is not parsed. Undefined for none, for any
 * other value and for one that is longer than an ID may be. A number beyond the safe integers is text, digit by digit.
 */
export function scalarIn(
	text: string,
	record: BrokenRecord,
	path: string,
): string | number | undefined {
	let place: TextRange | undefined = [record.start, record.end];
	for (const name of path.split('.')) place &&= fieldIn(text, place, name);
	const source = place && place[1] - place[0] <= LONGEST_SCALAR ? text.slice(...place) : '';
	const value = jsonIn(source);
	if (typeof value === 'number') return Number.isSafeInteger(value) ? value : source;
	return typeof value === 'string' ? value : undefined;
}

/** The value of a field; of several with the same name the last one, as for the parser. */
function fieldIn(text: string, [start, end]: TextRange, name: string): TextRange | undefined {
	if (!text.startsWith('{', start)) return undefined;
	const quoted = JSON.stringify(name);
	let found: TextRange | undefined;
	for (let at = afterSpace(text, start + 1); at < end && text.startsWith('"', at);) {
		const nameEnd = endOfValue(text, at);
		const raw = text.slice(at, nameEnd);
		const isEscaped = raw.length <= LONGEST_SCALAR && raw.includes('\\');
		const isNamed = raw === quoted || (isEscaped && jsonIn(raw) === name);
		const colon = afterSpace(text, nameEnd);
		if (text.charCodeAt(colon) !== COLON) break;
		const valueStart = afterSpace(text, colon + 1);
		const valueEnd = endOfValue(text, valueStart);
		if (isNamed) found = [valueStart, valueEnd];
		at = afterSpace(text, afterSpace(text, valueEnd) + 1);
	}
	return found;
}
