/** The template of the signed bytes of a `custom` scheme: text with `{body}` and `{timestamp}` in it. */
import { printable } from '../shared/text';

/** Represents the raw body among the signed parts. */
export const BODY = Symbol('body');

/** Text is signed as UTF-8. */
export type SignedPart = string | typeof BODY;

export interface Template {
	readonly namesTimestamp: boolean;
	/** The signed parts, with this timestamp filled in. */
	fill(timestamp: string): readonly SignedPart[];
}

type TemplateResult =
	| { readonly ok: true; readonly template: Template }
	/** Each problem continues a sentence that begins with the field's name. */
	| { readonly ok: false; readonly problems: readonly string[] };

const PLACEHOLDER = /(\{[^{}]*\})/;

/** A brace outside a `{name}` is plain text, so that JSON can be written around the placeholders. */
export function compileTemplate(text: string): TemplateResult {
	// Splitting by a captured pattern puts the placeholders at the odd indexes.
	const pieces = text.split(PLACEHOLDER);
	const named = pieces.filter((_, index) => index % 2 === 1);
	const unknown = named.filter((name) => name !== '{body}' && name !== '{timestamp}');
	const problems = [...new Set(unknown)].map(
		(name) => `contains ${printable(name, 60)}, which is unknown. Use only {timestamp} and {body}.`,
	);
	if (!named.includes('{body}')) {
		problems.push('does not contain {body}, so the event itself would not be signed. Add {body}.');
	}
	if (problems.length > 0) return { ok: false, problems };
	return {
		ok: true,
		template: {
			namesTimestamp: named.includes('{timestamp}'),
			fill: (timestamp) => fill(pieces, timestamp),
		},
	};
}

function fill(pieces: readonly string[], timestamp: string): SignedPart[] {
	const parts: SignedPart[] = [];
	let text = '';
	for (const piece of pieces) {
		if (piece === '{body}') {
			if (text !== '') parts.push(text);
			parts.push(BODY);
			text = '';
		} else {
			text += piece === '{timestamp}' ? timestamp : piece;
		}
	}
	if (text !== '') parts.push(text);
	return parts;
}
