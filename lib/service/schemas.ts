/** The fields of answers that the client relies on; everything else passes through unread. */
import { isRecord } from '../shared/values';
import { gt, number, object, pipe, regex, string, transform, union } from '../vendor/zod';
import { ENVELOPE, RECORD_ID, type ServiceInterface } from './defaults';

/** Some services write a number as text. */
const numeral = pipe(string().check(regex(/^\d{1,15}(?:\.\d+)?$/)), transform(Number));

/** Section 2, token response. A token is sent in a header, so it must be fit for one. */
export const tokenAnswer = object({
	access_token: string().check(regex(/^[\x21-\x7e]+$/)),
	token_type: string().check(regex(/^bearer$/i)),
	expires_in: union([number(), numeral]).check(gt(0)),
});

/** The id of a record as text, if it has one. Checked by hand, since a list asks this of every record. */
export function idOf(record: unknown): string | undefined {
	return asId(isRecord(record) ? record[RECORD_ID] : undefined);
}

function asId(id: unknown): string | undefined {
	if (typeof id === 'number') return String(id);
	return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The id and the signing secret in the answer to a creation, each if it has one: in `data`, or beside it. */
export function createdEndpoint(
	answer: unknown,
	{ endpointIdField, endpointSecretField }: ServiceInterface,
): { id?: string; secret?: string } {
	const places = [dataOf(answer), answer];
	const id = places.map((place) => asId(valueAt(place, endpointIdField))).find(isPresent);
	const secret = places.map((place) => valueAt(place, endpointSecretField)).find(isText);
	return { ...(id !== undefined && { id }), ...(secret !== undefined && { secret }) };
}

const isPresent = (id: string | undefined) => id !== undefined;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** What stands at a dot path, among the own fields alone. */
function valueAt(value: unknown, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>(
			(inner, step) => (isRecord(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined),
			value,
		);
}

/** The field `data` of an answer, if it has one. */
export function dataOf(answer: unknown): unknown {
	return isRecord(answer) ? answer[ENVELOPE.data] : undefined;
}
