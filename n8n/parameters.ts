/** Schemas of node parameters: a value out of bounds is taken to the nearest bound, one of the wrong kind to its default. */
import {
	catch as orElse,
	minLength,
	number,
	pipe,
	string,
	transform,
	trim,
	union,
} from '../lib/vendor/zod';

const numeral = pipe(
	string().check(trim(), minLength(1)),
	transform((text) => Number(text)),
);

/** A number, or its digits as an expression gives them. */
export function bounded(fallback: number, least: number, most: number) {
	const clamped = transform((value: number) => Math.min(most, Math.max(least, value)));
	return orElse(pipe(union([number(), pipe(numeral, number())]), clamped), fallback);
}
