/** The operators of conditions: their names, and how each compares. */
import { printable } from '../shared/text';
import { asText, numberIn, textOf } from '../shared/values';

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
export type Operator = keyof typeof OPERATORS;

/** The value is undefined for a missing field. */
export type Test = (value: unknown) => boolean;

/** The deepest nesting of lists; events of the service have no nested lists. */
const MOST_NESTED = 20;

export function isOperator(name: string): name is Operator {
	return Object.hasOwn(OPERATORS, name);
}

/** What the operator does with this literal, or the problem with it. */
export function testOf(operator: Operator, literal: string): Test | string {
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
export function inLists(test: Test, depth = MOST_NESTED): Test {
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
