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

/** Error codes are words, and names of components: they are compared without case. */
export const sameError = (error: string): string => error.toLowerCase();

/** What the reports of a fault have named so far, in that order. */
export class NamedCodes {
	readonly #errors = new Map<string, string>();
	readonly vendors = new Set<string>();

	/** As they were written first. */
	get errors(): string[] {
		return [...this.#errors.values()];
	}

	/** Returns the codes that are new. A station that names ever more codes names them in vain. */
	add(detail: Detail | undefined): Codes {
		const { error, vendors } = codesOf(detail);
		const isFull = () => this.#errors.size + this.vendors.size >= MOST_CODES;
		const isNewError = error !== undefined && !this.#errors.has(sameError(error)) && !isFull();
		if (isNewError) this.#errors.set(sameError(error), error);
		const isNew = (code: string) => {
			const isMore = !this.vendors.has(code) && !isFull();
			if (isMore) this.vendors.add(code);
			return isMore;
		};
		return { error: isNewError ? error : undefined, vendors: vendors.filter(isNew) };
	}
}

export const isNone = ({ error, vendors }: Codes): boolean =>
	error === undefined && vendors.length === 0;
