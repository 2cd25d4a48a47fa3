/** Finds the records in a list response, by its shape (open point: list envelope) or by a path from the user. */
import { asText, isRecord, own } from '../../shared/values';
import { ENVELOPE } from '../common/defaults';
import { ApiError } from '../common/errors';
import { errorInSuccess } from '../errors/errorInSuccess';
import type { Destination } from '../errors/responseErrors';
import { quotable } from '../errors/serverText';

export interface Page {
	items: readonly unknown[];
	/** Undefined if the response does not say. */
	hasMore: boolean | undefined;
}

const { data, items, hasMore, has_more } = ENVELOPE;

/**
 * Any list; null counts as an empty one, as some services send it. Checked by hand: a schema would walk and copy the
 * records of every page.
 */
function listOf(value: unknown): readonly unknown[] | undefined {
	if (value === null) return [];
	return Array.isArray(value) ? value : undefined;
}

/** Whether there is more, by the fields of a response: a boolean, or its text. Undefined if they do not say. */
function moreOf(fields: unknown): boolean | undefined {
	for (const name of [hasMore, has_more]) {
		const said = asText(own(fields, name)).toLowerCase();
		if (said === 'true' || said === 'false') return said === 'true';
	}
	return undefined;
}

/** A list, or an object with one as `items`. */
function pageIn(value: unknown): Page | undefined {
	const found = listOf(value) ?? listOf(own(value, items));
	return found && { items: found, hasMore: moreOf(value) };
}

/**
 * The records of one page: `{ data: { items, hasMore } }`, a bare array, `{ data: [...] }` or `{ items: [...] }`, with
 * `hasMore` in `data` or next to it; with `itemsPath` the array at that dot path, and `hasMore` next to it.
 * @throws {ApiError} that names the keys found instead, or the service's error.
 */
export function pageOf(
	json: unknown,
	itemsPath: string | undefined,
	destination: Destination,
): Page {
	const path = itemsPath?.trim() ?? '';
	const failure = errorInSuccess(json, destination);
	try {
		const page = path === '' ? knownPage(json, destination) : pageAt(json, path, destination);
		// Records count, whatever other fields there are.
		if (failure === undefined || page.items.length > 0) return page;
	} catch (error) {
		throw failure ?? error;
	}
	throw failure;
}

function knownPage(json: unknown, destination: Destination): Page {
	const inside = own(json, data);
	const page = pageIn(inside ?? undefined) ?? pageIn(json) ?? pageIn(inside);
	if (page) return { items: page.items, hasMore: page.hasMore ?? moreOf(json) };
	throw oddShapeError(
		`has no list where one is expected: it is ${shape(json)}`,
		"Set the option 'Items Path' to the path of the list in the response, such as data.results.",
		destination,
	);
}

function pageAt(json: unknown, itemsPath: string, destination: Destination): Page {
	let parent: unknown;
	let value = json;
	const walked: string[] = [];
	for (const step of itemsPath.split('.')) {
		parent = value;
		value = own(value, step);
		if (value === undefined) {
			const where = walked.length === 0 ? '' : ` at '${walked.join('.')}'`;
			throw badPathError(`has no '${step}'${where}, only ${shape(parent)}`, destination);
		}
		walked.push(step);
	}
	const found = listOf(value);
	if (found) return { items: found, hasMore: moreOf(parent) };
	throw badPathError(`has ${shape(value)} at '${itemsPath}' instead of a list`, destination);
}

function badPathError(what: string, destination: Destination): ApiError {
	return oddShapeError(what, "Correct the option 'Items Path'.", destination);
}

/** Keys come from the service, so they are quoted like its other texts. */
function oddShapeError(what: string, hint: string, { address, redactor }: Destination): ApiError {
	return new ApiError(`The response of ${address} ${quotable(what, redactor)}`, { hint });
}

/** Names only keys and kinds, never values. */
function shape(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const keys = Object.keys(value);
	if (keys.length === 0) return 'an empty object';
	const inside = value[data];
	const deeper = isRecord(inside) ? `, and 'data' holds ${keyList(Object.keys(inside))}` : '';
	return `an object with ${keyList(keys)}${deeper}`;
}

function keyList(keys: readonly string[]): string {
	const shown = keys.slice(0, 10).map((key) => `'${key}'`);
	return `${shown.join(', ')}${keys.length > shown.length ? ' and more' : ''}` || 'nothing';
}
