/** What every signature scheme has in common: it reads headers into signatures to try and bytes to sign. */
import type { Algorithm } from './encoding';
import type { DeliveryHeaders } from './types';

/** Stands for the raw body among the signed parts. */
export const BODY = Symbol('body');

/** Text is signed as UTF-8. */
export type SignedPart = string | typeof BODY;

/** What the headers of one delivery say. */
export interface Reading {
	/** Unix seconds; null where the scheme carries no timestamp. */
	readonly timestamp: number | null;
	/** Every signature to try, each as long as the digest. */
	readonly candidates: readonly Buffer[];
	/** The message's id, where it is among the signed parts. */
	readonly messageId?: string;
	/** What is signed, in order. */
	readonly parts: readonly SignedPart[];
}

export interface Scheme {
	readonly algorithm: Algorithm;
	/** Never throws. */
	read(headers: DeliveryHeaders): Reading | 'signature_missing' | 'signature_malformed';
}
