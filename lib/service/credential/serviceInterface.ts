/** Reads the settings for the points that the specification does not define. */
import { isRecord, numberOf, withoutSlashes } from '../../shared/values';
import {
	number,
	object,
	pipe,
	refine,
	regex,
	safeParse,
	string,
	transform,
	trim,
} from '../../vendor/zod';
import { SERVICE_INTERFACE, type ServiceInterface } from '../common/defaults';
import { ApiError, FIELD_LABELS, IN_INTERFACE } from '../common/errors';

type Field = keyof ServiceInterface;

const MAX_PAGE_SIZE = 10_000;

const wholeNumber = pipe(
	transform(numberOf),
	number().check(
		refine((value) => Number.isInteger(value) && value >= 0 && value <= MAX_PAGE_SIZE),
	),
);
/** A name for a query or for JSON. */
const name = string().check(trim(), regex(/^[^\s\p{C}?&=#/]{1,100}$/u));

/** Words separated by commas, of which at least one is not empty. */
const words = string().check(trim(), regex(/^[^\p{Cc}]{0,2000}$/u), regex(/[^\s,]/));

const PLACEHOLDERS = /\{(endpointId|deliveryId)\}/g;
const SEGMENT = /^(?!(?:\.|%2e){1,2}$)[\w.~%!$&'()*+,;=:@-]+$/i;
const isPath = (path: string) =>
	path.startsWith('/') &&
	path
		.slice(1)
		.split('/')
		.every((segment) => SEGMENT.test(segment));
const path = pipe(string().check(trim()), transform(withoutSlashes));
const plainPath = path.check(refine(isPath));
/** The specification writes `{endpoint_id}`. */
const pathOfDelivery = pipe(
	path,
	transform((path) => path.replaceAll(/\{(endpoint|delivery)_id\}/g, '{$1Id}')),
).check(
	refine((path) => path.includes('{deliveryId}') && isPath(path.replaceAll(PLACEHOLDERS, 'id'))),
);

/** Fields that are used together must differ; the second is the one to change. */
const different = (first: Field, second: Field) =>
	refine<ServiceInterface>((given) => given[first] !== given[second], { path: [second] });

const schema = object({
	pageSize: wholeNumber,
	limitParameter: name,
	cursorParameter: name,
	endpointsPath: plainPath,
	resendPath: pathOfDelivery,
	endpointUrlField: name,
	endpointEventsField: name,
	endpointIdField: name,
	endpointSecretField: name,
	connectedWords: words,
	disconnectedWords: words,
	connectionPath: name,
}).check(
	different('limitParameter', 'cursorParameter'),
	different('endpointUrlField', 'endpointEventsField'),
	different('endpointIdField', 'endpointSecretField'),
	different('connectedWords', 'disconnectedWords'),
);

const NAME_HINT =
	'It must be a name without white space and without any of ? & = # /, and differ from the other fields';
const WORDS_HINT =
	'Enter words separated by commas, such as online, connected, and not the same in both fields';
const HINTS: Readonly<Record<Field, string>> = {
	pageSize: `It must be a whole number from 1 to ${MAX_PAGE_SIZE}, or 0 to send no limit`,
	limitParameter: NAME_HINT,
	cursorParameter: NAME_HINT,
	endpointsPath: `It must be a path below 'Base URL', such as ${SERVICE_INTERFACE.endpointsPath}`,
	resendPath: `It must be a path below 'Base URL' with {deliveryId} in it, such as ${SERVICE_INTERFACE.resendPath}`,
	endpointUrlField: NAME_HINT,
	endpointEventsField: NAME_HINT,
	endpointIdField: NAME_HINT,
	endpointSecretField: NAME_HINT,
	connectedWords: WORDS_HINT,
	disconnectedWords: WORDS_HINT,
	connectionPath: NAME_HINT,
};

/**
 * The entered values, and the defaults for empty ones.
 * @throws {ApiError} that names the first field with a wrong value.
 */
export function parseServiceInterface(values: unknown): ServiceInterface {
	const entered = Object.entries(isRecord(values) ? values : {}).filter(
		([, value]) => !isEmpty(value),
	);
	const parsed = safeParse(schema, { ...SERVICE_INTERFACE, ...Object.fromEntries(entered) });
	if (parsed.success) return parsed.data;
	const wrong = parsed.error.issues[0]?.path[0];
	const field = Object.keys(HINTS).find((key): key is Field => key === wrong) ?? 'pageSize';
	throw new ApiError(`'${FIELD_LABELS[field]}' is not valid`, {
		field,
		hint: `Correct '${FIELD_LABELS[field]}'${IN_INTERFACE}, or clear it to use the default. ${HINTS[field]}.`,
	});
}

function isEmpty(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}
