/** Builds the addresses of requests, with ids that cannot lead elsewhere. */
import { ApiError } from '../common/errors';

const LABELS = { endpointId: 'Endpoint ID', deliveryId: 'Delivery ID' } as const;
type IdName = keyof typeof LABELS;

/**
 * The path with its ids in place, encoded and without white space around them.
 * @throws {ApiError} for an id that is missing, empty, `.` or `..`, which would change the path itself.
 */
export function pathWith(template: string, ids: Readonly<Partial<Record<IdName, string>>>): string {
	return Object.entries(LABELS).reduce((path, [name, label]) => {
		const placeholder = `{${name}}`;
		if (!path.includes(placeholder)) return path;
		return path.split(placeholder).join(idInPath(ids[name as IdName] ?? '', label));
	}, template);
}

/**
 * The id as a part of a path.
 * @throws {ApiError} for one that is empty, `.` or `..`, which would change the path itself.
 */
export function idInPath(given: string, label: string): string {
	const id = encoded(given.trim());
	if (id === undefined || id === '' || id === '.' || id === '..') {
		throw new ApiError(id === '' ? `'${label}' is empty` : `'${label}' is not an ID`, {
			hint: `Enter the ID as the service shows it.`,
		});
	}
	return id;
}

/** Address of a path under the base URL, with these query parameters. */
export function urlOf(
	baseUrl: string,
	path: string,
	query: Readonly<Record<string, string>>,
): string {
	const search = new URLSearchParams(query).toString();
	return `${baseUrl}${path}${search === '' ? '' : `?${search}`}`;
}

/** Undefined for a text that cannot be encoded, such as half a surrogate pair. */
function encoded(id: string): string | undefined {
	try {
		return encodeURIComponent(id);
	} catch {
		return undefined;
	}
}
