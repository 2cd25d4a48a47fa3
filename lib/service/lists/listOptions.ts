/** The options of a list that a person can set. */
import type { ServiceInterface } from '../common/defaults';
import { ApiError } from '../common/errors';
import type { ListOptions } from '../common/types';

/**
 * Checks the options.
 * @throws {ApiError} for a limit that is not a whole number above 0, and for query parameters reserved for paging.
 */
export function checkListOptions(
	options: ListOptions,
	{ limitParameter, cursorParameter }: ServiceInterface,
): void {
	const { limit, query = {} } = options;
	if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
		throw new ApiError("'Limit' is not a whole number above 0", {
			hint: "Enter 1 or more in 'Limit', or turn on 'Return All'.",
		});
	}
	for (const name of Object.keys(query)) {
		if (name === limitParameter || name === cursorParameter) {
			throw new ApiError(`The query parameter '${name}' is reserved for paging`, {
				hint: `Remove '${name}' from 'Query Parameters' and use 'Return All' and 'Limit' instead.`,
			});
		}
		if (name.trim() === '') {
			throw new ApiError('A query parameter has no name', {
				hint: "Enter a name for each of the 'Query Parameters', or remove those without one.",
			});
		}
	}
}
