/** Builds the addresses of requests, with ids that cannot lead elsewhere. */
import { ApiError } from '../errors/errors';

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
		const id = encoded((ids[name as IdName] ?? '').trim());
		if (id === undefined || id === '' || id === '.' || id === '..') {
			throw new ApiError(id === '' ? `${label} is empty.` : `${label} is not an ID.`, {
				hint: `Enter the ${label} as the service shows it.`,
			});
		}
		return path.split(placeholder).join(id);
	}, template);
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
