/** Error answers of the API, and reading what callers send. The specification leaves their form open (section 7). */
import { STATUS_CODES } from 'node:http';
import type { ZodError, ZodType } from 'zod/v4';

/** Becomes an answer `{ statusCode, error, message }`. */
export class ServiceError extends Error {
	constructor(
		readonly statusCode: number,
		message: string,
	) {
		super(message);
	}
}

export function errorBody(statusCode: number, message: string) {
	return { statusCode, error: STATUS_CODES[statusCode] ?? 'Error', message };
}

/** @throws {ServiceError} 400 that says which field is wrong */
export function parse<T>(schema: ZodType<T>, value: unknown): T {
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	throw new ServiceError(400, whatIsWrong(parsed.error));
}

/** One line that names each field; never a value. */
export function whatIsWrong(error: ZodError): string {
	return error.issues
		.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
		.join('; ');
}
