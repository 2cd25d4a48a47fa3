/** The schema parser, in its small functional form and by name so that the bundle holds only what is used. */
export {
	array,
	boolean,
	gt,
	looseObject,
	minLength,
	number,
	optional,
	pipe,
	regex,
	safeParse,
	string,
	transform,
	trim,
	union,
	unknown,
} from 'zod/v4-mini';
