/** A response that contains an error although its status is a success. */
import { isRecord } from '../../shared/values';
import { ERROR_LIST_FIELD } from '../common/defaults';
import { ApiError, COMPARE } from '../common/errors';
import type { Destination } from './responseErrors';
import { reasonIn } from './serverText';

/** The error in the fields of the response; undefined if there is none. `hint` says what to do about it. */
export function errorInSuccess(
	json: unknown,
	{ address, redactor }: Destination,
	hint = COMPARE,
): ApiError | undefined {
	if (!isRecord(json)) return undefined;
	const errors = [json['error'], json[ERROR_LIST_FIELD]];
	const reason = errors.some(isNotEmpty) ? reasonIn(json, redactor) : '';
	if (reason === '') return undefined;
	const message = `${address} reported an error with status 200: ${reason}`;
	return new ApiError(message, { status: 200, hint });
}

const isNotEmpty = (error: unknown) =>
	Boolean(error) && !(Array.isArray(error) && error.length === 0);
