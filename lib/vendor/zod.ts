/** The schema parser, in its small functional form and imported by name, so that the bundle contains only what is used. */
export {
	array,
	boolean,
	catch,
	enum,
	gt,
	literal,
	minLength,
	number,
	object,
	optional,
	type output,
	parse,
	pipe,
	record,
	refine,
	regex,
	safeParse,
	string,
	stringbool,
	transform,
	trim,
	union,
	unknown,
	// The replacement for a value that does not match.
	catch as orElse,
} from 'zod/v4-mini';
export type { ZodMiniType as Schema } from 'zod/v4-mini';
