/** The error codes that a fault names, report by report. */
import { MOST_CODES } from '../common/settings';
import type { Detail } from '../common/state';

interface Codes {
	readonly error: string | undefined;
	readonly vendors: readonly string[];
}

/** NoError names no code, wherever and however it is written. */
export const isNoError = (code: string): boolean =>
	code.toLowerCase().replace(/[\s_-]+/g, '') === 'noerror';

/** Stations send several vendor codes in one text, separated by commas. */
export function codesOf(detail: Detail | undefined): Codes {
	const { error, vendor } = detail ?? {};
	// As of most, in each poll.
	if (vendor === undefined) return { error, vendors: [] };
	const vendors = vendor.split(',').map((code) => code.trim());
	return { error, vendors: vendors.filter((code) => code !== '' && !isNoError(code)) };
}

/** What the reports of a fault have named so far, in that order. */
export class NamedCodes {
	readonly errors = new Set<string>();
	readonly vendors = new Set<string>();

	/** Returns the codes that are new. A station that names ever more codes names them in vain. */
	add(detail: Detail | undefined): Codes {
		const { error, vendors } = codesOf(detail);
		const isNew = (known: Set<string>, code: string) => {
			const isMore = !known.has(code) && this.errors.size + this.vendors.size < MOST_CODES;
			if (isMore) known.add(code);
			return isMore;
		};
		return {
			error: error !== undefined && isNew(this.errors, error) ? error : undefined,
			vendors: vendors.filter((code) => isNew(this.vendors, code)),
		};
	}
}

export const isNone = ({ error, vendors }: Codes): boolean =>
	error === undefined && vendors.length === 0;
