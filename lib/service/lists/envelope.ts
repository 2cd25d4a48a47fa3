/** Finds the records in a list answer, by its shape (open point: list envelope) or by a path that the user gives. */
import { ENVELOPE } from '../defaults';
import type { Destination } from '../errors/answerFailure';
import { ApiError } from '../errors/errors';
import { isRecord } from '../../shared/values';
import {
	boolean,
	custom,
	object,
	optional,
	orElse,
	parse,
	pipe,
	safeParse,
	transform,
	union,
	type Schema,
} from '../../vendor/zod';
import { quotable } from '../errors/serverText';

export interface Page {
	items: readonly unknown[];
	/** Undefined when the answer does not say. */
	hasMore: boolean | undefined;
}

const { data, items, hasMore } = ENVELOPE;
/** Any list: `array(unknown())` would walk and copy the records of every page. */
const list = custom<readonly unknown[]>(Array.isArray);
const more: Schema<boolean | undefined> = orElse(optional(boolean()), undefined);
const bare = pipe(
	list,
	transform((records) => ({ items: records, hasMore: undefined })),
);
const paged = object({ [items]: list, [hasMore]: more });
const inData = pipe(
	object({ [data]: union([paged, bare]), [hasMore]: more }),
	transform((answer) => ({ ...answer.data, hasMore: answer.data.hasMore ?? answer.hasMore })),
);
const envelope = union([inData, paged, bare]);

/**
 * The records of one page: `{ data: { items, hasMore } }`, a bare array, `{ data: [...] }` or `{ items: [...] }`;
 * with `itemsPath` the array at that dot path, and `hasMore` beside it.
 * @throws {ApiError} that names the keys seen instead.
 */
export function pageOf(
	answer: unknown,
	itemsPath: string | undefined,
	destination: Destination,
): Page {
	const path = itemsPath?.trim() ?? '';
	if (path !== '') return pageAt(answer, path, destination);
	const parsed = safeParse(envelope, answer);
	if (parsed.success) return parsed.data;
	throw oddAnswerError(
		`is ${shape(answer)}, without a list where one is expected`,
		'Set the option Items Path to where the list stands in the answer, such as data.results.',
		destination,
	);
}

function pageAt(answer: unknown, itemsPath: string, destination: Destination): Page {
	let parent: unknown;
	let value = answer;
	const walked: string[] = [];
	for (const step of itemsPath.split('.')) {
		parent = value;
		value = own(value, step);
		if (value === undefined) {
			const where = walked.length === 0 ? '' : ` at “${walked.join('.')}”`;
			throw badPathError(`has no “${step}”${where}: there is ${shape(parent)}`, destination);
		}
		walked.push(step);
	}
	if (!Array.isArray(value)) {
		throw badPathError(`has ${shape(value)} at “${itemsPath}” instead of a list`, destination);
	}
	return { items: value, hasMore: parse(more, own(parent, hasMore)) };
}

function badPathError(what: string, destination: Destination): ApiError {
	return oddAnswerError(what, 'Correct the option Items Path.', destination);
}

/** Keys come from the service, so they are quoted like its other texts. */
function oddAnswerError(what: string, hint: string, { address, redactor }: Destination): ApiError {
	return new ApiError(`The answer of ${address} ${quotable(what, redactor)}.`, { hint });
}

function own(value: unknown, key: string): unknown {
	return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
		? (value as Readonly<Record<string, unknown>>)[key]
		: undefined;
}

/** Names keys and kinds alone, never values. */
function shape(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const keys = Object.keys(value);
	if (keys.length === 0) return 'an empty object';
	const inside = value[data];
	const deeper = isRecord(inside) ? `, and “data” holds ${keyList(Object.keys(inside))}` : '';
	return `an object with ${keyList(keys)}${deeper}`;
}

function keyList(keys: readonly string[]): string {
	const shown = keys.slice(0, 10).map((key) => `“${key}”`);
	return `${shown.join(', ')}${keys.length > shown.length ? ' and more' : ''}` || 'nothing';
}
