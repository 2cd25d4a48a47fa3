/** The schema parser, in its small functional form and by name so that the bundle holds only what is used. */
export {
	array,
	boolean,
	custom,
	gt,
	literal,
	minLength,
	number,
	object,
	optional,
	parse,
	pipe,
	refine,
	regex,
	safeParse,
	string,
	stringbool,
	transform,
	trim,
	union,
	unknown,
	url,
	// What a value that does not fit becomes instead.
	catch as orElse,
} from 'zod/v4-mini';
export type { ZodMiniType as Schema } from 'zod/v4-mini';
