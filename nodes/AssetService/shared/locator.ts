/** Reads a field in which a person chooses in several ways: from a list, by ID or by URL. */
import { object, pipe, transform, union } from '../../../lib/vendor/zod';
import { text } from './parameters';

/** What it holds, or a plain text, as an expression or an import may give it. */
export const located = union([
	pipe(
		object({ value: text }),
		transform(({ value }) => value),
	),
	text,
]);
