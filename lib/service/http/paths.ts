/** Builds the URLs of requests, with IDs that cannot change the path. */
import { ApiError } from '../common/errors';

const LABELS = { endpointId: 'Endpoint ID', deliveryId: 'Delivery ID' } as const;
type IdName = keyof typeof LABELS;

/**
 * The path with its IDs filled in, encoded and trimmed.
 * @throws {ApiError} for an ID that is missing, empty, `.` or `..`, which would change the path itself.
 */
export function pathWith(template: string, ids: Readonly<Partial<Record<IdName, string>>>): string {
	return Object.entries(LABELS).reduce((path, [name, label]) => {
		const placeholder = `{${name}}`;
		if (!path.includes(placeholder)) return path;
		return path.split(placeholder).join(idInPath(ids[name as IdName] ?? '', label));
	}, template);
}

/**
 * The ID as a path segment.
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

/** The URL of a path under the base URL, with these query parameters. */
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
