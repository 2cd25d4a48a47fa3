/** The shapes of the answers that the client relies on; everything else passes through unread. */
import { isRecord } from '../shared/values';
import {
	gt,
	looseObject,
	minLength,
	number,
	optional,
	pipe,
	regex,
	safeParse,
	string,
	transform,
	union,
} from '../vendor/zod';
import { ENDPOINT_FIELDS, ENVELOPE } from './defaults';

/** Section 2, token response. A token is sent in a header, so it must be fit for one. */
export const tokenAnswer = looseObject({
	access_token: string().check(regex(/^[\x21-\x7e]+$/)),
	token_type: string().check(regex(/^bearer$/i)),
	expires_in: number().check(gt(0)),
	scope: optional(string()),
});

const recordId = union([
	string().check(minLength(1)),
	pipe(
		number(),
		transform((id) => String(id)),
	),
]);
const identified = looseObject({ [ENDPOINT_FIELDS.id]: recordId });
const secretive = looseObject({ [ENDPOINT_FIELDS.secret]: string().check(minLength(1)) });

/** The id of a record as text, where it has one. */
export function idOf(record: unknown): string | undefined {
	const parsed = safeParse(identified, record);
	return parsed.success ? parsed.data[ENDPOINT_FIELDS.id] : undefined;
}

/** The signing secret in the answer to a creation, where there is one. */
export function secretOf(record: unknown): string | undefined {
	const parsed = safeParse(secretive, record);
	return parsed.success ? parsed.data[ENDPOINT_FIELDS.secret] : undefined;
}

/** The field `data` of an answer, where the answer has one. */
export function dataOf(answer: unknown): unknown {
	return isRecord(answer) ? answer[ENVELOPE.data] : undefined;
}
