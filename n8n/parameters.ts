/** Schemas of node parameters: a value out of bounds is taken to the nearest bound, one of the wrong kind to its default. */
import {
	array,
	catch as orElse,
	minLength,
	number,
	pipe,
	string,
	transform,
	trim,
	union,
	unknown,
} from '../lib/vendor/zod';

/** Texts from a list, or from one text with commas as an expression gives it. */
export const texts = orElse(
	union([
		pipe(
			array(unknown()),
			transform((list) => list.filter((entry) => typeof entry === 'string')),
		),
		pipe(
			string(),
			transform((text) => text.split(',')),
		),
	]),
	[],
);

const numeral = pipe(
	string().check(trim(), minLength(1)),
	transform((text) => Number(text)),
);

/** A number, or its digits as an expression gives them. */
export function bounded(fallback: number, least: number, most: number) {
	const clamped = transform((value: number) => Math.min(most, Math.max(least, value)));
	return orElse(pipe(union([number(), pipe(numeral, number())]), clamped), fallback);
}
