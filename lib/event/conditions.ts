/**
 * Decides whether an event meets the conditions of a trigger, and how each operator compares. They contain only literals
 * and are read by hand, since this runs for every delivery.
 */
import { printable } from '../shared/text';
import { asRecord, asText, own, textOf, numberIn } from '../shared/values';

/** The fields that the editor always offers, the most used ones first, then those of OCPP 2.0.1: path and name, with the OCPP version if only one of them has the field. */
export const CONDITION_FIELDS: Readonly<Record<string, string>> = {
	'data.action': 'OCPP Action',
	'data.payload.status': 'Status',
	'data.payload.connectorId': 'Connector',
	'data.payload.errorCode': 'Error Code (OCPP 1.6)',
	'data.payload.vendorErrorCode': 'Vendor Error Code (OCPP 1.6)',
	'data.status': 'Connectivity State',
	'data.asset.id': 'Asset ID',
	type: 'Event Type',
	'data.protocol': 'OCPP Version',
	'data.payload.type': 'Security Event Type',
	'data.payload.connectorStatus': 'Connector Status (OCPP 2.0.1)',
	'data.payload.evseId': 'EVSE (OCPP 2.0.1)',
	'data.payload.eventType': 'Transaction Event (OCPP 2.0.1)',
	'data.payload.transactionInfo.chargingState': 'Charging State (OCPP 2.0.1)',
};

/** The value of 'Field' for a field that is not offered; its path is in `path`. */
export const OTHER_FIELD = 'other';

interface Conditions {
	/** Problems that a person has to fix; while there are any, it is unknown which events are wanted. */
	readonly problems: readonly string[];
	/** The conditions without a problem. */
	readonly all: readonly Condition[];
	/** The first condition that the event does not meet, in words; undefined when it meets them all. */
	readonly unmet: (event: RowFields) => string | undefined;
}

export interface Condition {
	/** The condition as the editor shows it, such as `Status equals Faulted`. */
	readonly text: string;
	/** The path of the field. */
	readonly field: string;
	readonly operator: Operator;
	readonly isMet: (event: RowFields) => boolean;
	/** Whether this value of the field would meet the condition if case did not matter. */
	readonly differsInCase: (value: unknown) => boolean;
	/** The values of the field, one for each element of the lists on its path; undefined if there is none. */
	readonly valuesIn: (event: RowFields) => unknown[];
}

type RowFields = Readonly<Record<string, unknown>>;

/** Compiled once per distinct parameter value: n8n passes the parameter again with every delivery. */
const compiled = new Map<string, Conditions>();
const MOST_COMPILED = 200;

/** Reads the parameter `conditions`: `{ condition: [{ field, operator, value }] }`. */
export function readConditions(parameter: unknown): Conditions {
	const given = asRecord(parameter)['condition'];
	const rows = (Array.isArray(given) ? given : []).map(rowOf);
	const key = JSON.stringify(rows);
	const known = compiled.get(key);
	if (known !== undefined) return known;
	const conditions = compile(rows);
	if (compiled.size >= MOST_COMPILED) compiled.clear();
	compiled.set(key, conditions);
	return conditions;
}

type ConditionRow = readonly [field: string, operator: string, literal: string];

function rowOf(given: unknown): ConditionRow {
	const { field, path, operator, value } = asRecord(given);
	const chosen = asText(field);
	return [chosen === OTHER_FIELD ? asText(path) : chosen, asText(operator), asText(value)];
}

function compile(rows: readonly ConditionRow[]): Conditions {
	const read = rows.map(conditionOf);
	const all = read.filter((one) => typeof one !== 'string');
	return {
		all,
		problems: read.flatMap((one, n) =>
			typeof one === 'string' ? [`Condition ${n + 1}: ${one}`] : [],
		),
		unmet: (event) => all.find(({ isMet }) => !isMet(event))?.text,
	};
}

/** The condition, or the problem with it. */
function conditionOf([field, name, literal]: ConditionRow): Condition | string {
	const path = field.split('.');
	if (path.includes(''))
		return "'Field' is not the path of a field: enter one in dot notation, such as data.asset.id.";
	if (!isOperator(name)) {
		return `select an operator: ${Object.values(OPERATORS).join(', ')}.`;
	}
	const test = testOf(name, literal);
	if (typeof test === 'string') return test;
	const caseless = testOf(name, literal.toLowerCase());
	const label = asText(own(CONDITION_FIELDS, field)) || field;
	return {
		text: printable([label, OPERATORS[name].toLowerCase(), literal].join(' ').trim()),
		field,
		operator: name,
		isMet: (event) => holds(event, path, test),
		differsInCase: (value) =>
			typeof caseless !== 'string' && caseless(textOf(value)?.toLowerCase()),
		valuesIn: (event) => {
			const values: unknown[] = [];
			const collect = inLists((value) => {
				values.push(value);
				return false;
			});
			holds(event, path, collect);
			return values;
		},
	};
}

/** A path through a list matches if it matches for any of the elements. */
function holds(value: unknown, path: readonly string[], test: Test): boolean {
	for (const [n, name] of path.entries()) {
		if (Array.isArray(value)) {
			const rest = path.slice(n);
			return inLists((element) => holds(element, rest, test))(value);
		}
		value = own(value, name);
	}
	return test(value);
}

/** The operators with their names in the editor, in its order. */
export const OPERATORS = {
	contains: 'Contains',
	notEquals: 'Does Not Equal',
	notExists: 'Does Not Exist',
	equals: 'Equals',
	exists: 'Exists',
	greaterThan: 'Greater Than',
	lessThan: 'Less Than',
	startsWith: 'Starts With',
};
type Operator = keyof typeof OPERATORS;

/** The value is undefined for a missing field. */
type Test = (value: unknown) => boolean;

/** The deepest nesting of lists; events of the service have no nested lists. */
const MOST_NESTED = 20;

function isOperator(name: string): name is Operator {
	return Object.hasOwn(OPERATORS, name);
}

/** What the operator does with this literal, or the problem with it. */
function testOf(operator: Operator, literal: string): Test | string {
	if (operator === 'exists') return isThere;
	if (operator === 'notExists') return (value) => !isThere(value);
	const wanted = valuesIn(literal);
	if (wanted.length === 0)
		return "'Value' is empty: enter one, or select 'Exists' or 'Does Not Exist'.";
	if (operator === 'greaterThan' || operator === 'lessThan') {
		const bound = numberIn(literal);
		if (bound === undefined)
			return `'${printable(literal, 50)}' is not a number: enter one, such as 12.5.`;
		return inLists((value) => {
			const number = numberIn(asText(value)) ?? NaN;
			return operator === 'lessThan' ? number < bound : number > bound;
		});
	}
	const known = new Set<string | undefined>(wanted);
	const fits: Readonly<Record<typeof operator, (text: string | undefined) => boolean>> = {
		equals: (text) => known.has(text),
		notEquals: (text) => !known.has(text),
		contains: (text) => text !== undefined && wanted.some((part) => text.includes(part)),
		startsWith: (text) => text !== undefined && wanted.some((part) => text.startsWith(part)),
	};
	const test = fits[operator];
	return inLists((value) => test(textOf(value)));
}

/** A list passes if any of its elements does; an empty one is treated like a missing field. */
function inLists(test: Test, depth = MOST_NESTED): Test {
	return (value) => {
		if (!Array.isArray(value)) return test(value);
		if (value.length === 0 || depth === 0) return test(undefined);
		const inside = inLists(test, depth - 1);
		return value.some((element) => inside(element));
	};
}

/** As in n8n's own conditions, null counts as missing. */
function isThere(value: unknown): boolean {
	return value !== undefined && value !== null;
}

/** Several values are separated by commas; a backslash before a comma keeps it. */
function valuesIn(literal: string): string[] {
	const parts = literal.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ',').trim());
	return parts.filter((part) => part !== '');
}
