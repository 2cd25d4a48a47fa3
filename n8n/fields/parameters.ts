/** Schemas of node parameters: a value out of bounds becomes the nearest bound, one of the wrong kind the default. */
import { asNumber } from '../../lib/shared/values';
import { pipe, transform, unknown } from '../../lib/vendor/zod';

export function bounded(fallback: number, least: number, most: number) {
	return pipe(
		unknown(),
		transform((value) => asNumber(value, fallback, least, most)),
	);
}
