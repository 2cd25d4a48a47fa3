/** Odd records of a list, as texts that no JSON.stringify would write. */

interface Poison {
	/** The record with these fields of an event, or what stands in its place. */
	readonly text: (fields: Readonly<Record<string, unknown>>) => string;
	/** Why it is left out; undefined for one that can be used. */
	readonly problem?: string;
	/** Whether it has an ID that a list can continue after. */
	readonly hasId: boolean;
}

const withField = (fields: Readonly<Record<string, unknown>>, name: string, text: string) =>
	`${JSON.stringify(fields).slice(0, -1)},${JSON.stringify(name)}:${text}}`;
const withId = (text: string, problem: string): Poison => ({
	text: ({ id: _, ...fields }) => withField(fields, 'id', text),
	problem,
	hasId: false,
});
const instead = (text: string): Poison => ({
	...{ text: () => text, problem: 'it is not an object', hasId: false },
});

const DEEP = `${'['.repeat(600)}${']'.repeat(600)}`;

/** By what is odd. */
export const POISONS: Readonly<Record<string, Poison>> = {
	'601 levels': {
		text: (fields) => withField(fields, 'payload', DEEP),
		problem: 'it is nested more than 500 levels deep',
		hasId: true,
	},
	'4.5 million values': {
		text: (fields) => withField(fields, 'payload', `[${'0,'.repeat(4_500_000)}0]`),
		problem: 'it has more than 40,000 values',
		hasId: true,
	},
	'17 MB of text': {
		text: (fields) => withField(fields, 'payload', `"${'x'.repeat(17 * 1024 * 1024)}"`),
		problem: 'it is larger than 16 MB',
		hasId: true,
	},
	'no ID': {
		text: ({ id: _, ...fields }) => JSON.stringify(fields),
		problem: "it has no 'id'",
		hasId: false,
	},
	'an object as ID': withId(
		'{"id":"x"}',
		"its 'id' is neither a text nor a whole number up to 9007199254740991",
	),
	'an ID of 2 MB': withId(
		`"${'x'.repeat(2 * 1024 * 1024)}"`,
		"its 'id' is longer than 1024 characters",
	),
	'half a surrogate pair as ID': withId('"\\ud800"', "its 'id' is not valid Unicode"),
	null: instead('null'),
	'a text': instead('"[[[{{{"'),
	'a list': instead(DEEP.slice(500, 700)),
	'a number as time': {
		text: ({ createdAt: _, ...fields }) => withField(fields, 'createdAt', '-1e300'),
		hasId: true,
	},
	'half a surrogate pair': {
		text: (fields) => withField(fields, 'more', '{"\\udc00":"\\ud800"}'),
		hasId: true,
	},
	// Otherwise it would be the prototype of this object.
	['__proto__']: {
		text: (fields) => withField(fields, '__proto__', '{"id":"x","toString":null}'),
		hasId: true,
	},
};

/** A record as the service writes it. */
export interface ListedText {
	/** Of a record that a list can continue after. */
	readonly id?: string;
	readonly text: string;
}

export const listedText = (record: Readonly<Record<string, unknown>>): ListedText => ({
	...{ id: String(record['id']), text: JSON.stringify(record) },
});

export const poisoned = (
	{ text, hasId }: Poison,
	fields: Readonly<Record<string, unknown>>,
): ListedText => ({ text: text(fields), ...(hasId && { id: String(fields['id']) }) });
