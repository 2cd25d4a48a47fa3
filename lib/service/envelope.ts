/** Finds the page of a list in a response: its records, and where the list continues (open points: list envelope, paging). */
import { isRecord, own, valueAt } from '../shared/values';
import { parse, safeParse } from '../vendor/zod';
import { FIELDS, type ServiceInterface } from './defaults';
import { ApiError, IN_INTERFACE, type Destination } from './errors';
import { firstAt, pathsIn } from './paths';
import { listJsonOf } from './response';
import { collection, cursor, hasMore, list, moreIn } from './schemas';
import type { Reply } from './sender';

/** A page as the service sent it. */
export interface ServedPage {
	readonly items: readonly unknown[];
	/** Undefined if the response does not say. */
	readonly hasMore: boolean | undefined;
	/** Where the next page begins, for a service with cursors of its own: null if it names none. */
	readonly cursor?: string | null | undefined;
	/** The record that breaks a bound, if the item is in its place. */
	readonly brokenAt?: (
		item: unknown,
	) => { readonly id: unknown; readonly problem: string; readonly text: string } | undefined;
}

type Page = Omit<ServedPage, 'brokenAt'>;

/** Each may have several paths, separated by commas. Empty: by the shape of the response. */
export type EnvelopePaths = Pick<ServiceInterface, 'itemsPath' | 'hasMorePath' | 'nextCursorPath'>;

/** A step of a path through a list. */
const INDEX = /^\d+$/;

/**
 * The page in a response. `idPath`: where a record has its ID; several paths are separated by commas.
 * @throws {ApiError} if the response cannot be read.
 */
export function pageIn(reply: Reply, paths: EnvelopePaths, idPath: string): ServedPage {
	const { destination } = reply;
	const [itemsPath = ''] = pathsIn(paths.itemsPath);
	const insideLists = itemsPath.split('.').filter((step) => INDEX.test(step)).length;
	const { json, problem, brokenAt } = listJsonOf(reply, insideLists);
	if (problem !== undefined) throw destination.unusable(problem);
	if (json === undefined) throw destination.unreadable(reply);
	return {
		...pageOf(json, paths, destination),
		brokenAt: (item) => brokenAt(item, pathsIn(idPath)),
	};
}

/**
 * The records of one page, by the shape of the response (`collection`) or at the path of the settings, with `hasMore` next to them.
 * @throws {ApiError} that names the keys found instead, or the service's error.
 */
export function pageOf(json: unknown, paths: EnvelopePaths, destination: Destination): Page {
	const failure = destination.errorIn(json);
	try {
		const { items, hasMore } = listIn(json, paths.itemsPath, destination);
		// Records count, whatever other fields there are.
		if (failure !== undefined && items.length === 0) throw failure;
		return { items, ...continued(json, hasMore, paths) };
	} catch (error) {
		throw failure ?? error;
	}
}

/** Whether there is more, and where: by the paths of the settings, otherwise as the shape of the response says. */
function continued(
	json: unknown,
	said: boolean | undefined,
	{ hasMorePath, nextCursorPath }: EnvelopePaths,
): Omit<Page, 'items'> {
	const more =
		hasMorePath === '' ? said : safeParse(hasMore, firstAt(json, pathsIn(hasMorePath))).data;
	if (nextCursorPath === '') return { hasMore: more };
	const next = safeParse(cursor, firstAt(json, pathsIn(nextCursorPath))).data ?? null;
	return { hasMore: more ?? next !== null, cursor: next };
}

function listIn(json: unknown, itemsPath: string, destination: Destination) {
	const paths = pathsIn(itemsPath);
	if (paths.length === 0) {
		const page = safeParse(collection, json);
		if (page.success) return page.data;
		const what = `has no list where one is expected: it is ${shape(json)}`;
		const hint = `Set 'Items Path'${IN_INTERFACE} to the path of the list in the response, such as data.results.`;
		throw oddShapeError(what, hint, destination);
	}
	for (const path of paths) {
		const items = safeParse(list, valueAt(json, path));
		if (items.success)
			return { items: items.data, hasMore: parse(moreIn, valueAt(json, above(path))) };
	}
	const hint = `Correct 'Items Path'${IN_INTERFACE}, or in the options of the node.`;
	throw oddShapeError(notAt(json, paths[0] ?? ''), hint, destination);
}

/** The path without its last step; empty for the response itself. */
const above = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('.')));

/** Why there is no list at the path. */
function notAt(json: unknown, path: string): string {
	let value = json;
	let walked = '';
	for (const step of path.split('.')) {
		const where = walked === '' ? '' : ` at '${walked}'`;
		const inside = own(value, step);
		if (inside === undefined) return `has no '${step}'${where}, only ${shape(value)}`;
		value = inside;
		walked += walked === '' ? step : `.${step}`;
	}
	return `has ${shape(value)} at '${path}' instead of a list`;
}

/** Keys come from the service, so they are quoted like its other texts. */
function oddShapeError(what: string, hint: string, { address, redactor }: Destination): ApiError {
	return new ApiError(`The response of ${address} ${redactor.quote(what)}`, { hint });
}

/** Names only keys and kinds, never values. */
function shape(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const keys = Object.keys(value);
	if (keys.length === 0) return 'an empty object';
	const inside = value[FIELDS.data];
	const deeper = isRecord(inside) ? `, and 'data' holds ${keyList(Object.keys(inside))}` : '';
	return `an object with ${keyList(keys)}${deeper}`;
}

function keyList(keys: readonly string[]): string {
	const shown = keys.slice(0, 10).map((key) => `'${key}'`);
	return `${shown.join(', ')}${keys.length > shown.length ? ' and more' : ''}` || 'nothing';
}
