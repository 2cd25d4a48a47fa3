/** What a list asks of the client, by the parameters of an input item: how many, which, and where the records are. */
import type { ListOptions } from '../../../lib/service';
import { array, number, object, orElse, pipe, transform, union } from '../../../lib/vendor/zod';
import { flag, parameter, parameterError, text, type InputItem } from './parameters';

/** An expression may give the number as text. */
const limit = union([
	number(),
	pipe(
		text,
		transform((value) => Number(value || Number.NaN)),
	),
]);

const queryParameters = pipe(
	object({
		parameter: array(orElse(object({ name: text, value: text }), { name: '', value: '' })),
	}),
	transform((given) => given.parameter.filter(({ name, value }) => name !== '' || value !== '')),
);
const collection = orElse(
	object({ itemsPath: text, queryParameters: orElse(queryParameters, []) }),
	{ itemsPath: '', queryParameters: [] },
);

/** The options of a list; `filters` are query parameters with fields of their own. */
export function listOptionsOf(
	item: InputItem,
	filters: Readonly<Record<string, string>> = {},
): ListOptions {
	const options = parameter(item, 'options', collection);
	const query = { ...filters };
	for (const { name, value } of options.queryParameters) {
		if (Object.hasOwn(query, name)) {
			throw parameterError(
				item,
				`The query parameter “${name}” is given twice.`,
				'Give each query parameter once; a filter counts as one.',
			);
		}
		query[name] = value;
	}
	return {
		query,
		itemsPath: options.itemsPath,
		...(!flag(item, 'returnAll', 'Return All', false) && {
			limit: parameter(item, 'limit', limit, 50),
		}),
	};
}
