/** Checks and normalizes the settings that a person entered to reach the service, and judges their hosts. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { isRecord, withoutSlashes, numberOf } from '../shared/values';
import {
	boolean,
	minLength,
	object,
	orElse,
	pipe,
	safeParse,
	string,
	transform,
	trim,
	unknown,
	number,
	refine,
	regex,
} from '../vendor/zod';
import { type ServiceInterface, TOKENS, SERVICE_INTERFACE } from './defaults';
import { ApiError, FIELD_LABELS, IN_CREDENTIAL, IN_INTERFACE } from './errors';

/** The settings that a person enters to reach the service; `parseApiSettings` has the rules. */
export interface ApiSettings {
	/** URL of the API, without a trailing slash, e.g. `https://api.example.com`. */
	readonly baseUrl: string;
	/** URL of the token server, without `/oauth/token` (specification section 4). */
	readonly authUrl: string;
	/** The API audience value of the token request. */
	readonly audience: string;
	readonly clientId: string;
	readonly clientSecret: string;
	/** Whether the service's TLS certificates are not checked. */
	readonly allowUnauthorizedCerts?: boolean;
	/** Settings that the specification does not define. */
	readonly serviceInterface: ServiceInterface;
}

const MAX_PAGE_SIZE = 10_000;

const wholeNumber = pipe(
	transform(numberOf),
	number().check(
		refine((value) => Number.isInteger(value) && value >= 0 && value <= MAX_PAGE_SIZE),
	),
);
/** A name for a query or for JSON. */
const name = string().check(trim(), regex(/^[^\s\p{C}?&=#/]{1,100}$/u));

/** Dot paths separated by commas; an empty text where the shape decides. */
const paths = string().check(trim(), regex(/^[^\p{C}?&=#/]{0,300}$/u));
const somePath = paths.check(regex(/[^\s,]/));

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
const different = (first: keyof ServiceInterface, second: keyof ServiceInterface) =>
	refine<ServiceInterface>((given) => given[first] !== given[second], { path: [second] });

const schema = object({
	pageSize: wholeNumber,
	limitParameter: name,
	cursorParameter: name,
	itemsPath: paths,
	hasMorePath: paths,
	nextCursorPath: paths,
	eventIdPath: somePath,
	eventTypePath: somePath,
	eventTimePath: somePath,
	eventPayloadPath: somePath,
	eventAssetIdPath: somePath,
	succeededWords: words,
	failedWords: words,
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
	different('succeededWords', 'failedWords'),
);

const NAME_HINT =
	'It must be a name without white space and without any of ? & = # /, and differ from the other fields';
const WORDS_HINT =
	'Enter words separated by commas, such as online, connected, and not the same in both fields';
const PATHS_HINT =
	'Enter the names of the fields on the way, with dots between them, such as result.rows; several paths are separated by commas';
/** For the fields that are not a name. */
const HINTS: Readonly<Partial<Record<keyof typeof FIELD_LABELS, string>>> = {
	pageSize: `It must be a whole number from 1 to ${MAX_PAGE_SIZE}, or 0 to send no limit`,
	endpointsPath: `It must be a path below 'Base URL', such as ${SERVICE_INTERFACE.endpointsPath}`,
	resendPath: `It must be a path below 'Base URL' with {deliveryId} in it, such as ${SERVICE_INTERFACE.resendPath}`,
	itemsPath: PATHS_HINT,
	hasMorePath: PATHS_HINT,
	nextCursorPath: PATHS_HINT,
	eventIdPath: PATHS_HINT,
	eventTypePath: PATHS_HINT,
	eventTimePath: PATHS_HINT,
	eventPayloadPath: PATHS_HINT,
	eventAssetIdPath: PATHS_HINT,
	succeededWords: WORDS_HINT,
	failedWords: WORDS_HINT,
	connectedWords: WORDS_HINT,
	disconnectedWords: WORDS_HINT,
};

/** The field of the first problem. */
function fieldOf({ issues }: { readonly issues: readonly { path: PropertyKey[] }[] }) {
	const named = issues[0]?.path[0];
	const fields = Object.keys(FIELD_LABELS) as (keyof typeof FIELD_LABELS)[];
	return fields.find((field) => field === named) ?? 'baseUrl';
}

/**
 * The entered values, and the defaults for empty ones.
 * @throws {ApiError} that names the first field with a wrong value.
 */
function parseServiceInterface(values: unknown): ServiceInterface {
	const { eventPaths, ...flat } = isRecord(values) ? values : {};
	const given = { ...flat, ...(isRecord(eventPaths) && flatEventPaths(eventPaths)) };
	const entered = Object.entries(given).filter(([, value]) => !isEmpty(value));
	const parsed = safeParse(schema, { ...SERVICE_INTERFACE, ...Object.fromEntries(entered) });
	if (parsed.success) return parsed.data;
	const field = fieldOf(parsed.error);
	throw new ApiError(`'${FIELD_LABELS[field]}' is not valid`, {
		field,
		hint: `Correct '${FIELD_LABELS[field]}'${IN_INTERFACE}, or clear it to use the default. ${HINTS[field] ?? NAME_HINT}.`,
	});
}

/** A program may set the paths of an event as one object. */
const EVENT_PATH_NAMES = {
	id: 'eventIdPath',
	type: 'eventTypePath',
	time: 'eventTimePath',
	payload: 'eventPayloadPath',
	assetId: 'eventAssetIdPath',
} as const;

const flatEventPaths = (given: Readonly<Record<string, unknown>>) =>
	Object.fromEntries(
		Object.entries(EVENT_PATH_NAMES).flatMap(([name, field]) =>
			isEmpty(given[name]) ? [] : [[field, given[name]]],
		),
	);

function isEmpty(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

const text = string().check(trim(), minLength(1));
// Used as typed: white space may be part of it, and the service rejects a wrong secret.
const secret = string().check(minLength(1));
const settingsSchema = object({
	baseUrl: pipe(
		text,
		transform((url) => normalUrl(url, 'baseUrl')),
	),
	authUrl: pipe(text, transform(authUrl)),
	audience: text,
	clientId: text,
	clientSecret: secret,
	allowUnauthorizedCerts: orElse(boolean(), false),
	// n8n's own fields.
	allowedHttpRequestDomains: orElse(string(), 'all'),
	allowedDomains: orElse(string(), ''),
	serviceInterface: pipe(unknown(), transform(parseServiceInterface)),
});

/**
 * The settings from the stored credential, without its other fields.
 *
 * URLs are https, or plain http for this machine and private networks, without user name, query or fragment. They must
 * be on n8n's list of allowed domains if the credential has one. Trailing slashes are removed, and so is `/oauth/token`
 * at the end of the auth URL.
 * @throws {ApiError} that names the first field that is empty or wrong; it never repeats the value.
 */
export function parseApiSettings(values: unknown): ApiSettings {
	const parsed = safeParse(settingsSchema, withInterface(values));
	if (!parsed.success) {
		const field = fieldOf(parsed.error);
		const label = FIELD_LABELS[field];
		throw new ApiError(`'${label}' is empty`, {
			field,
			hint: `Fill in '${label}'${IN_CREDENTIAL}.`,
		});
	}
	const { allowUnauthorizedCerts, allowedHttpRequestDomains, allowedDomains, ...settings } =
		parsed.data;
	if (allowedHttpRequestDomains === 'domains') checkDomains(settings, allowedDomains);
	return { ...settings, ...(allowUnauthorizedCerts && { allowUnauthorizedCerts }) };
}

/** Settings of the service's interface are stored next to the other fields, and count only if the switch is on. */
function withInterface(values: unknown): unknown {
	if (!isRecord(values) || values['changeServiceInterface'] !== true) return values;
	const kept = values['serviceInterface'];
	return { ...values, serviceInterface: { ...(isRecord(kept) && kept), ...values } };
}

/**
 * The warning about URLs with plain http to other machines; undefined if there are none.
 * It names only the origins.
 */
export function plainHttpWarning({ baseUrl, authUrl }: ApiSettings): string | undefined {
	const plain = Object.entries({ baseUrl, authUrl }).flatMap(([field, address]) => {
		const { protocol, hostname, origin } = new URL(address);
		const risky = protocol === 'http:' && networkOf(hostname) !== 'loopback';
		return risky ? [`'${FIELD_LABELS[field as 'baseUrl' | 'authUrl']}' (${origin})`] : [];
	});
	if (plain.length === 0) return undefined;
	const are = plain.length === 1 ? 'is' : 'are';
	return `${plain.join(' and ')} ${are} plain http: anyone on the network between n8n and the service can read the secrets and the data. Use https if the service offers it.`;
}

/** n8n enforces this for its HTTP Request node; our own requests follow it too. "None" applies only to that node. */
function checkDomains(settings: ApiSettings, allowedDomains: string): void {
	for (const field of ['baseUrl', 'authUrl'] as const) {
		const { hostname } = new URL(settings[field]);
		if (isListed(hostname, allowedDomains)) continue;
		throw new ApiError(
			`'${FIELD_LABELS[field]}' is not allowed: ${hostname} is not in 'Allowed Domains' of the credential`,
			{
				field,
				hint: `Add ${hostname} to 'Allowed Domains'${IN_CREDENTIAL}, or correct '${FIELD_LABELS[field]}'.`,
			},
		);
	}
}

function authUrl(value: string): string {
	const url = normalUrl(value, 'authUrl');
	return url.endsWith(TOKENS.path) ? withoutSlashes(url.slice(0, -TOKENS.path.length)) : url;
}

function normalUrl(value: string, field: 'baseUrl' | 'authUrl'): string {
	const label = `'${FIELD_LABELS[field]}'`;
	const problem = (message: string, hint: string) => new ApiError(message, { field, hint });
	if (!URL.canParse(value)) {
		throw problem(
			`${label} is not a URL`,
			`Enter the full URL in ${label}, such as https://api.example.com.`,
		);
	}
	const url = new URL(value);
	if (url.protocol !== 'https:' && url.protocol !== 'http:') {
		throw problem(
			`${label} does not start with https://`,
			`Enter ${label} with https:// at the start.`,
		);
	}
	if (url.protocol === 'http:' && networkOf(url.hostname) === 'public') {
		throw problem(
			`${label} is a plain http URL, which would expose the secrets to the network`,
			`Enter ${label} with https://. Plain http is only accepted for this machine (localhost) and for hosts in a private network.`,
		);
	}
	if (url.username !== '' || url.password !== '') {
		throw problem(
			`${label} contains a user name or a password`,
			`Remove the part before the @ from ${label}.`,
		);
	}
	// The text itself is checked: URL silently drops a "?" or "#" without text after it, and later paths would be added after it.
	if (value.includes('?') || value.includes('#')) {
		throw problem(
			`${label} contains a query or a fragment`,
			`Remove the ? or # and everything after it from ${label}.`,
		);
	}
	return withoutSlashes(url.origin + url.pathname);
}

/** "This network", RFC 1918, link-local and unique local addresses. */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('0.0.0.0', 8);
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('169.254.0.0', 16);
PRIVATE.addSubnet('fe80::', 10, 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

/** Names that only a private network resolves (RFC 6761, 6762, 8375; `.internal` by ICANN), and names without a dot. */
const PRIVATE_NAME = /^[^.]+$|\.(?:local|internal|lan|home\.arpa|test)$/;

/** This machine. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:.*\.)?localhost)$/;

/** Where the host of a URL is, as far as its name shows. */
export function networkOf(hostname: string): 'loopback' | 'private' | 'public' {
	if (LOOPBACK.test(hostname)) return 'loopback';
	return isPrivate(hostname) ? 'private' : 'public';
}

function isPrivate(hostname: string): boolean {
	const host = hostname.replace(/^\[|\]$|\.$/g, '');
	if (isIPv4(host)) return PRIVATE.check(host);
	return isIPv6(host) ? PRIVATE.check(host, 'ipv6') : PRIVATE_NAME.test(host);
}

/** Whether a list in n8n's format (`example.com, *.example.org`) contains the host of a URL; `*.` matches only subdomains. */
function isListed(hostname: string, list: string): boolean {
	const host = hostname.replace(/\.$/, '');
	return list
		.split(',')
		.map((entry) => entry.trim().toLowerCase().replace(/\.$/, ''))
		.some((entry) =>
			/^\*\../.test(entry) ? host.endsWith(entry.slice(1)) : entry !== '' && host === entry,
		);
}
