/**
 * The types of a resource and its operations; how an operation reads its parameters, whose type an expression or an AI agent may
 * have changed; and the fields that several operations have.
 */
import { NodeOperationError, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import { OTHER_EVENT_TYPES } from '../../../lib/event';
import type { ApiClient, ApiRecord } from '../../../lib/service';
import { DAY_MS, enteredTime } from '../../../lib/shared/time';
import { asText } from '../../../lib/shared/values';
import {
	pipe,
	transform,
	unknown,
	boolean,
	number,
	type output,
	parse,
	record,
	safeParse,
	string,
	stringbool,
	union,
	type Schema,
	array,
} from '../../../lib/vendor/zod';

export interface OperationRun {
	context: IExecuteFunctions;
	/** Index of the input item whose parameters are read. */
	itemIndex: number;
	client: ApiClient;
	/** Shows a warning although nothing failed; also in the log, unless it reveals something about an event. */
	warn: (message: string, options?: { readonly inLog: boolean }) => void;
}

interface Texts {
	name: string;
	description: string;
	/** Its name in n8n's list of a node's actions. */
	action: string;
	/** Its parameters, in the order of the editor, which shows them only for this operation. */
	fields: readonly INodeProperties[];
}

export interface Fetching extends Texts {
	/** The records for one input item, each of which becomes an item. */
	run(run: OperationRun): Promise<ApiRecord[]>;
	prepare?: never;
	runLocally?: never;
}

/** An operation that changes something: the parameters of all input items are checked before the first request. */
export interface Changing extends Texts {
	/** Throws for invalid parameters; the returned function sends the request. */
	prepare(item: Omit<OperationRun, 'client'>): (client: ApiClient) => Promise<ApiRecord[]>;
	runLocally?: never;
}

/** An operation that sends no request, so it needs no credential. */
interface Local extends Texts {
	/** Like `run` of an operation that reads. */
	runLocally(item: Omit<OperationRun, 'client'>): Promise<ApiRecord[]>;
	prepare?: never;
}

export type Operation = Fetching | Changing | Local;

export interface Resource {
	name: string;
	description: string;
	/** By value of the parameter; the first one is the default. */
	operations: Readonly<Record<string, Operation>>;
}

/** An input item whose parameters are read. */
export type InputItem = Pick<OperationRun, 'context' | 'itemIndex'>;

/** Any value as trimmed text; empty if it cannot be text. */
export const text = pipe(unknown(), transform(asText));

/** A trimmed text, a number or a boolean as text; rejects everything else. */
export const plainText = pipe(
	union([string(), number(), boolean()]),
	transform((value: string | number | boolean) => asText(value)),
);

/** The parameter, parsed by the schema, which must accept every value. */
export function parameter<T>(
	{ context, itemIndex }: InputItem,
	name: string,
	schema: Schema<T>,
	fallback: unknown = '',
): T {
	return parse(schema, context.getNodeParameter(name, itemIndex, fallback));
}

/** The same for a schema that rejects some values; the error names the field by its label. */
export function checked<T>(
	item: InputItem,
	name: string,
	label: string,
	schema: Schema<T>,
	fallback: unknown = '',
): T {
	const given = parameter(item, name, unknown(), fallback);
	const parsed = safeParse(schema, given);
	if (parsed.success) return parsed.data;
	throw wrongKindError(item, label, given);
}

/** A switch, or its text, as an expression or an AI agent may return it. The error names the field by its label. */
export function flag(item: InputItem, name: string, label: string, fallback: boolean): boolean {
	const parsed = safeParse(stringbool(), parameter(item, name, text, fallback));
	if (parsed.success) return parsed.data;
	throw parameterError(
		item,
		`'${label}' is neither true nor false`,
		`Turn '${label}' on or off, or use an expression that returns true or false.`,
	);
}

/**
 * The given fields of a collection, by their schemas; the errors name both by their labels. A value that a schema
 * rejects is an error, and so is an unknown field: without it, a filter would match everything.
 */
export function collection<S extends Record<string, Schema>>(
	item: InputItem,
	{ name, displayName, options = [] }: INodeProperties,
	schemas: S,
): { [K in keyof S]?: output<S[K]> } {
	const value = parameter(item, name, unknown(), {});
	const given = safeParse(record(string(), unknown()), value);
	if (!given.success) throw wrongKindError(item, displayName, value);
	const read: Record<string, unknown> = {};
	for (const [field, value] of Object.entries(given.data)) {
		const schema = Object.hasOwn(schemas, field) ? schemas[field] : undefined;
		if (schema === undefined) {
			const known = Object.keys(schemas).join(', ');
			throw parameterError(item, `'${displayName}' has no '${field}'`, `Use one of ${known}.`);
		}
		const parsed = safeParse(schema, value);
		const named = options.find((option) => option.name === field);
		const label = named && 'displayName' in named ? named.displayName : field;
		if (!parsed.success) throw wrongKindError(item, label, value);
		read[field] = parsed.data;
	}
	return read as { [K in keyof S]?: output<S[K]> };
}

/** The error for a value of a wrong kind, such as an object that an expression returns in place of a text. */
export function wrongKindError(item: InputItem, label: string, value: unknown): NodeOperationError {
	const kinds = { object: 'an object', undefined: 'empty' } as Readonly<Record<string, string>>;
	const other = kinds[typeof value] ?? `a ${typeof value}`;
	const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : other;
	return parameterError(
		item,
		`'${label}' cannot be ${kind}`,
		`Check the expression in '${label}'.`,
	);
}

/** The error for a parameter that a user has to correct. */
export function parameterError(
	{ context, itemIndex }: InputItem,
	message: string,
	description: string,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), message, { itemIndex, description });
}

/** A list of texts, or one text with commas, as a user enters it or an expression returns it. */
const eventTypes = union([
	array(plainText),
	pipe(
		plainText,
		transform((list: string) => list.split(',').map((type) => type.trim())),
	),
]);

/** The types of both fields, without duplicates and empty ones. */
export function eventTypesOf(
	item: InputItem,
	name: string,
	otherName = 'otherEventTypes',
): string[] {
	const picked = checked(item, name, 'Event Types', eventTypes);
	const entered = checked(item, otherName, 'Other Event Types', eventTypes);
	const others = entered.filter((type) => type !== '');
	if (picked.includes(OTHER_EVENT_TYPES) && others.length === 0) {
		throw parameterError(
			item,
			"'Other Event Types' is empty",
			"Enter event types there, separated by commas, or remove 'Other (Enter Types)' from 'Event Types'.",
		);
	}
	return [...new Set([...picked, ...others])].filter(
		(type) => type !== '' && type !== OTHER_EVENT_TYPES,
	);
}

const TIMES = { createdAfter: 'Created After', createdBefore: 'Created Before' } as const;

/** When the period of an operation begins or ends. */
export const timeField = (
	name: keyof typeof TIMES,
	words: Pick<INodeProperties, 'description' | 'hint'>,
): INodeProperties => ({
	displayName: TIMES[name],
	name,
	type: 'dateTime',
	default: '',
	...words,
});

/** The time in Unix milliseconds; `days` before `now` if the field is empty. */
export function createdAfterOf(item: InputItem, days: number, now: number): number {
	return periodTimeOf(item, 'createdAfter') ?? now - days * DAY_MS;
}

/** The time in Unix milliseconds; undefined if the field is empty. */
export const createdBeforeOf = (item: InputItem) => periodTimeOf(item, 'createdBefore');

const periodTimeOf = (item: InputItem, name: keyof typeof TIMES) =>
	timeOfField(item, TIMES[name], parameter(item, name, unknown()));

/** The time of a field, in Unix milliseconds; undefined if it is empty. The error names the field by its label. */
export function timeOfField(item: InputItem, label: string, value: unknown): number | undefined {
	if (value === undefined || value === '') return undefined;
	const time = enteredTime(value, item.context.getTimezone());
	if (time !== undefined) return time;
	throw parameterError(
		item,
		`'${label}' is not a date and time`,
		'Select one, or use an expression that returns one, such as 2026-01-31T12:00:00Z.',
	);
}

/** For the options of an operation. Off the screen: a service that cannot take as many at once asks to wait. */
export const parallelItemsOption: INodeProperties = {
	displayName: 'Parallel Items',
	name: 'parallelItems',
	type: 'hidden',
	noDataExpression: true,
	default: '',
};

/** For an operation that has no other options: without it, n8n drops them. */
export const hiddenOptions: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'hidden',
	default: {},
};
