/** Error responses of the API, whose form the specification leaves open (section 7), and parsing of requests. */
import { STATUS_CODES } from 'node:http';
import type { ZodError, ZodType } from 'zod/v4';

/** Becomes a response `{ statusCode, error, message }`. */
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

/** @throws {ServiceError} 400 that names the wrong field */
export function parse<T>(schema: ZodType<T>, value: unknown): T {
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	throw new ServiceError(400, whatIsWrong(parsed.error));
}

/** One line that names each field, but no values. */
export function whatIsWrong(error: ZodError): string {
	return error.issues
		.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
		.join('; ');
}
