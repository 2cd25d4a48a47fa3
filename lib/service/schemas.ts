/**
 * What the service may send, in the order of its specification, with the sources of `defaults.ts`. Fields that are not here pass.
 * The schemas check; what is handed on is what the service has sent, with its fields in their order. Where a setting of the
 * credential says where a field is, the value at that path is checked.
 */
import { idOf, LONGEST_ID, numberOf } from '../shared/values';
import {
	array,
	boolean,
	gt,
	literal,
	minLength,
	nullable,
	number,
	object,
	optional,
	orElse,
	pipe,
	refine,
	regex,
	string,
	transform,
	union,
	unknown,
} from '../vendor/zod';

/** Section 2, token response. A token is sent in a header, so it must be valid there. */
export const tokenResponse = object({
	access_token: string().check(regex(/^[\x21-\x7e]+$/)),
	token_type: string().check(regex(/^bearer$/i)),
	/** Seconds. Some services send the number as text. */
	expires_in: pipe(transform(numberOf), number().check(gt(0))),
	/** A token works without it, and some services leave it out. */
	scope: orElse(optional(string()), undefined),
});

/** Section 2: unique per event. Published for all records: `id`. As text. */
const identifier = pipe(transform(idOf), string());

/** Any value, or none. */
const any = optional(unknown());

/** Section 2: not specified. Published: the other fields. */
const asset = object({ id: identifier, name: any, type: any, chargingStation: any });

/** Section 2: an identifier in the field `id`. Published: the other fields, as listed or as delivered. */
const event = object({
	id: identifier,
	createdAt: any,
	eventType: any,
	payload: any,
	type: any,
	data: any,
});

/** Section 2: not specified. Published: the other fields. */
const delivery = object({
	id: identifier,
	eventId: any,
	eventType: any,
	payload: any,
	status: any,
	attempts: any,
	createdAt: any,
});

/** Section 4: the records of the lists. */
export const RECORDS = { asset, event, delivery } as const;

/** Section 4: a collection. Null counts as an empty one, as some services send it. */
export const list = pipe(
	nullable(array(unknown())),
	transform((records) => records ?? []),
);

/** Published: a boolean. Some services send its text. */
const flag = pipe(
	transform((said) => (typeof said === 'string' ? said.trim().toLowerCase() : said)),
	union([
		boolean(),
		pipe(
			string().check(regex(/^(?:true|false)$/)),
			transform((said) => said === 'true'),
		),
	]),
);

/** Whether there is more; undefined if the response does not say. */
export const hasMore = orElse(optional(flag), undefined);

/** Next to a list. Convention: the other spelling. */
const more = { hasMore, has_more: hasMore };
type More = { readonly [name in keyof typeof more]?: boolean | undefined };
const saidIn = ({ hasMore, has_more }: More) => hasMore ?? has_more;

/** Whether there is more, by the object with the list. */
export const moreIn = orElse(pipe(object(more), transform(saidIn)), undefined);

const page = (items: readonly unknown[], ...said: readonly More[]) => ({
	items,
	hasMore: said.map(saidIn).find((is) => is !== undefined),
});

/**
 * Section 5: the body of a list is not specified. Published for assets: `{ data: { items, hasMore } }`. Also accepted are a bare
 * list, `{ data: [...] }` and `{ items: [...] }`, with `hasMore` in `data` or next to it.
 */
export const collection = union([
	pipe(
		object({ data: object({ items: list, ...more }), ...more }),
		transform(({ data, ...others }) => page(data.items, data, others)),
	),
	pipe(
		object({ data: array(unknown()), ...more }),
		transform(({ data, ...others }) => page(data, others)),
	),
	pipe(
		list,
		transform((items) => page(items)),
	),
	pipe(
		object({ items: list, ...more }),
		transform(({ items, ...others }) => page(items, others)),
	),
	pipe(
		object({ data: literal(null), ...more }),
		transform(({ data: _, ...others }) => page([], others)),
	),
]);

/** In characters: it is sent in a URL. */
const LONGEST_CURSOR = 4 * LONGEST_ID;

/** Section 5: not specified. Where the service has cursors of its own, a text or a number; nothing on the last page. */
export const cursor = pipe(
	transform((given) => (given === '' ? null : typeof given === 'number' ? String(given) : given)),
	nullable(
		optional(
			string().check(refine((text) => text.length <= LONGEST_CURSOR && text.isWellFormed())),
		),
	),
);

/** Section 4: not specified. Published (validating signatures): the ID and the secret of a created endpoint, which is shown once. */
export const createdEndpoint = object({
	id: orElse(
		optional(union([string().check(minLength(1)), pipe(number(), transform(String))])),
		undefined,
	),
	secret: orElse(optional(string().check(minLength(1))), undefined),
});

/** Published (delivery and retries): a resent delivery is in `data`. Inferred for other responses about one thing: in it, or all of it. */
export const inData = object({ data: object({}) });
