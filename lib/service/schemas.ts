/** The fields of answers that the client relies on; everything else passes through unread. */
import { isRecord } from '../shared/values';
import { gt, minLength, number, object, optional, regex, safeParse, string } from '../vendor/zod';
import { ENDPOINT_FIELDS, ENVELOPE } from './defaults';

/** Section 2, token response. A token is sent in a header, so it must be fit for one. */
export const tokenAnswer = object({
	access_token: string().check(regex(/^[\x21-\x7e]+$/)),
	token_type: string().check(regex(/^bearer$/i)),
	expires_in: number().check(gt(0)),
	scope: optional(string()),
});

const withSecret = object({ [ENDPOINT_FIELDS.secret]: string().check(minLength(1)) });

/** The id of a record as text, if it has one. Checked by hand, since a list asks this of every record. */
export function idOf(record: unknown): string | undefined {
	const id = isRecord(record) ? record[ENDPOINT_FIELDS.id] : undefined;
	if (typeof id === 'number') return String(id);
	return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The signing secret in the answer to a creation, if it has one. */
export function secretOf(record: unknown): string | undefined {
	const parsed = safeParse(withSecret, record);
	return parsed.success ? parsed.data[ENDPOINT_FIELDS.secret] : undefined;
}

/** The field `data` of an answer, if it has one. */
export function dataOf(answer: unknown): unknown {
	return isRecord(answer) ? answer[ENVELOPE.data] : undefined;
}
