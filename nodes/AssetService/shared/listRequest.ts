/** What a list asks of the client, by the parameters of an input item: how many, which, and where the records are. */
import type { ListOptions } from '../../../lib/service';
import {
	array,
	number,
	object,
	optional,
	pipe,
	transform,
	union,
	unknown,
} from '../../../lib/vendor/zod';
import { listOptions } from './listFields';
import {
	collection,
	flag,
	parameter,
	parameterError,
	plainText,
	text,
	type InputItem,
} from './parameters';

/** An expression may give the number as text. */
const limit = union([
	number(),
	pipe(
		text,
		transform((value) => Number(value || Number.NaN)),
	),
]);

const queryParameters = pipe(
	object({ parameter: optional(array(object({ name: plainText, value: plainText }))) }),
	transform(({ parameter: given = [] }) =>
		given.filter(({ name, value }) => name !== '' || value !== ''),
	),
);

/** The options of a list; `filters` are query parameters with fields of their own. */
export function listOptionsOf(
	item: InputItem,
	filters: Readonly<Record<string, string>> = {},
): ListOptions {
	const { itemsPath = '', queryParameters: further = [] } = collection(item, listOptions, {
		itemsPath: plainText,
		parallelItems: unknown(),
		queryParameters,
	});
	const query = { ...filters };
	for (const { name, value } of further) {
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
		itemsPath,
		readAhead: true,
		...(!flag(item, 'returnAll', 'Return All', false) && {
			limit: parameter(item, 'limit', limit, 50),
		}),
	};
}
