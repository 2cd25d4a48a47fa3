/** Conditions, compared with a simple implementation of their meaning. */
import { strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { OPERATORS, readConditions } from '../../lib/event';
import { counter, type Target } from './target';

const words = fc.constantFrom(
	'a',
	'ab',
	'b',
	'1',
	'2',
	'1.5',
	'10',
	'true',
	'',
	'a,b',
	' a ',
	'-3e2',
);
const leaves = fc.oneof(words, fc.integer({ min: -3, max: 12 }), fc.boolean(), fc.constant(null));
const { value: values } = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4 },
		leaves,
		fc.array(tie('value'), { maxLength: 3 }),
		fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'toString'), tie('value'), { maxKeys: 3 }),
	),
}));
const events = fc.dictionary(fc.constantFrom('a', 'b', 'id'), values, { maxKeys: 3 });
const fields = fc
	.array(fc.constantFrom('a', 'b', 'toString', '__proto__', 'length'), {
		minLength: 1,
		maxLength: 3,
	})
	.map((names) => names.join('.'));
const literals = fc.oneof(
	fc.array(words, { minLength: 1, maxLength: 3 }).map((list) => list.join(',')),
	fc.string({ unit: fc.constantFrom(...Array.from('ab,\\ 1.')), maxLength: 6 }),
);
const conditions = fc.record({
	field: fields,
	operator: fc.constantFrom(...Object.keys(OPERATORS)),
	value: literals,
});

/** The values at the path: one for each way through the lists on it, undefined if there is none. */
function reached(value: unknown, names: readonly string[]): unknown[] {
	const [name, ...others] = names;
	if (name === undefined) return [value];
	if (Array.isArray(value)) {
		return value.length === 0 ? [undefined] : value.flatMap((element) => reached(element, names));
	}
	const own: unknown =
		typeof value === 'object' && value !== null
			? Object.getOwnPropertyDescriptor(value, name)?.value
			: undefined;
	return own === undefined ? [undefined] : reached(own, others);
}

function spread(value: unknown): unknown[] {
	if (!Array.isArray(value)) return [value];
	return value.length === 0 ? [undefined] : value.flatMap(spread);
}

const textOf = (value: unknown) =>
	['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;

/** Splits a literal at its commas, character by character. */
function list(literal: string): string[] {
	const parts: string[] = [];
	let part = '';
	for (let n = 0; n < literal.length; n++) {
		if (literal.startsWith('\\,', n)) {
			part += ',';
			n++;
		} else if (literal[n] === ',') {
			parts.push(part);
			part = '';
		} else part += literal.charAt(n);
	}
	return [...parts, part].map((one) => one.trim()).filter(Boolean);
}

function isNumber(text: string): boolean {
	return /^[-+]?[0-9]*\.?[0-9]*(e[-+]?[0-9]+)?$/i.test(text) && /^[-+]?\.?[0-9]/.test(text);
}

/** Undefined if nothing can meet the condition. */
function isMet(
	event: unknown,
	{ field, operator, value }: { field: string; operator: string; value: string },
): boolean | undefined {
	const there = reached(event, field.split('.'));
	if (operator === 'exists') return there.some((one) => one !== undefined && one !== null);
	if (operator === 'notExists') return there.some((one) => one === undefined || one === null);
	const wanted = list(value.trim());
	if (wanted.length === 0) return undefined;
	const texts = there.flatMap(spread).map(textOf);
	switch (operator) {
		case 'equals':
			return texts.some((text) => text !== undefined && wanted.includes(text));
		case 'notEquals':
			return texts.some((text) => text === undefined || !wanted.includes(text));
		case 'contains':
			return texts.some((text) => wanted.some((part) => text?.includes(part)));
		case 'startsWith':
			return texts.some((text) => wanted.some((part) => text?.slice(0, part.length) === part));
	}
	if (!isNumber(value.trim())) return undefined;
	const bound = Number(value);
	return texts.some((text) => {
		if (text === undefined || !isNumber(text.trim())) return false;
		return operator === 'greaterThan' ? Number(text) > bound : Number(text) < bound;
	});
}

const met = counter();

const deciding = fc.property(
	events,
	fc.array(conditions, { minLength: 1, maxLength: 3 }),
	(event, all) => {
		const { problems, unmet } = readConditions({ condition: all });
		const expected = all.map((one) => isMet(event, one));
		strictEqual(problems.length, expected.filter((one) => one === undefined).length);
		if (problems.length > 0) {
			met.count('refused');
			return;
		}
		const isWanted = unmet(event) === undefined;
		met.count(isWanted ? 'met' : 'not met');
		strictEqual(isWanted, expected.every(Boolean));
	},
);

/** For any parameter and any event. */
const surviving = fc.property(fc.anything(), fc.object(), (parameter, event) => {
	readConditions(parameter).unmet(event);
	readConditions({ condition: [parameter, parameter] });
});

export const conditionTargets: readonly Target[] = [
	{ name: 'conditions', property: deciding, reached: met.reached },
	{ name: 'conditions of any kind', property: surviving, reached: {} },
];
