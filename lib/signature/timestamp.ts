/** The form and the age of a delivery's timestamp, the same in every scheme. */
import type { VerifyOptions } from './types';

const FORM = /^[0-9]{1,12}$/;

/** 1 to 12 decimal digits: unix seconds, well inside the safe integers. */
export function isTimestamp(text: string): boolean {
	return FORM.test(text);
}

/** True up to and including the tolerance, in both directions (specification section 6.3). */
export function isWithinTolerance(timestamp: number, options: VerifyOptions): boolean {
	// Written so that a NaN on any side is outside.
	return Math.abs(options.nowSeconds - timestamp) <= options.toleranceSeconds;
}
