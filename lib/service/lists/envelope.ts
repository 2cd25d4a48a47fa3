/** Finds the records in a list answer, by its shape (open point: list envelope) or by a path that the user gives. */
import { ENVELOPE } from '../defaults';
import type { Place } from '../errors/answerFailure';
import { ApiError } from '../errors/errors';
import { isRecord } from '../../shared/values';
import { quotable } from '../errors/serverText';

export interface Page {
	items: readonly unknown[];
	/** Undefined when the answer does not say. */
	hasMore: boolean | undefined;
}

/**
 * The records of one page: `{ data: { items, hasMore } }`, a bare array, `{ data: [...] }` or `{ items: [...] }`;
 * with `itemsPath` the array at that dot path, and `hasMore` beside it.
 * @throws {ApiError} that names the keys seen instead.
 */
export function pageOf(answer: unknown, itemsPath: string | undefined, place: Place): Page {
	const path = itemsPath?.trim() ?? '';
	if (path !== '') return pageAt(answer, path, place);
	if (Array.isArray(answer)) return page(answer);
	if (isRecord(answer)) {
		const data = answer[ENVELOPE.data];
		const items = isRecord(data) ? data[ENVELOPE.items] : undefined;
		if (Array.isArray(items)) return page(items, data, answer);
		for (const list of [data, answer[ENVELOPE.items]]) {
			if (Array.isArray(list)) return page(list, answer);
		}
	}
	throw oddAnswer(
		`is ${shape(answer)}, without a list where one is expected`,
		'Set the option Items Path to where the list stands in the answer, such as data.results.',
		place,
	);
}

function pageAt(answer: unknown, itemsPath: string, place: Place): Page {
	let parent: unknown;
	let value = answer;
	const walked: string[] = [];
	for (const step of itemsPath.split('.')) {
		parent = value;
		value = own(value, step);
		if (value === undefined) {
			const where = walked.length === 0 ? '' : ` at “${walked.join('.')}”`;
			throw badPath(`has no “${step}”${where}: there is ${shape(parent)}`, place);
		}
		walked.push(step);
	}
	if (!Array.isArray(value)) {
		throw badPath(`has ${shape(value)} at “${itemsPath}” instead of a list`, place);
	}
	return page(value, parent);
}

function badPath(what: string, place: Place): ApiError {
	return oddAnswer(what, 'Correct the option Items Path.', place);
}

/** Keys come from the service, so they are quoted like any other text of its. */
function oddAnswer(what: string, hint: string, { address, redactor }: Place): ApiError {
	return new ApiError(`The answer of ${address} ${quotable(what, redactor)}.`, { hint });
}

function page(items: readonly unknown[], ...beside: readonly unknown[]): Page {
	const answers = beside.map((place) => own(place, ENVELOPE.hasMore));
	return { items, hasMore: answers.find((hasMore) => typeof hasMore === 'boolean') };
}

function own(value: unknown, key: string): unknown {
	return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
		? (value as Readonly<Record<string, unknown>>)[key]
		: undefined;
}

/** Keys and kinds alone, never values. */
function shape(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const keys = Object.keys(value);
	if (keys.length === 0) return 'an empty object';
	const inside = value[ENVELOPE.data];
	const deeper = isRecord(inside) ? `, and “data” holds ${keyList(Object.keys(inside))}` : '';
	return `an object with ${keyList(keys)}${deeper}`;
}

function keyList(keys: readonly string[]): string {
	const shown = keys.slice(0, 10).map((key) => `“${key}”`);
	return `${shown.join(', ')}${keys.length > shown.length ? ' and more' : ''}` || 'nothing';
}
