/** Checks and normalizes the settings that a person entered to reach the service. */
import { isRecord, withoutSlashes } from '../../shared/values';
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
} from '../../vendor/zod';
import { TOKEN_PATH } from '../common/defaults';
import { ApiError, FIELD_LABELS, IN_CREDENTIAL } from '../common/errors';
import type { ApiSettings, CredentialField } from '../common/types';
import { isListed, isLoopback, isPrivate } from './hosts';
import { parseServiceInterface } from './serviceInterface';

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
	if (!parsed.success) throw emptyFieldError(parsed.error.issues[0]?.path[0]);
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
		const risky = protocol === 'http:' && !isLoopback(hostname);
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

function emptyFieldError(name: PropertyKey | undefined): ApiError {
	const field =
		Object.keys(FIELD_LABELS).find((key): key is CredentialField => key === name) ?? 'baseUrl';
	const label = FIELD_LABELS[field];
	return new ApiError(`'${label}' is empty`, {
		field,
		hint: `Fill in '${label}'${IN_CREDENTIAL}.`,
	});
}

function authUrl(value: string): string {
	const url = normalUrl(value, 'authUrl');
	return url.endsWith(TOKEN_PATH) ? withoutSlashes(url.slice(0, -TOKEN_PATH.length)) : url;
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
	if (url.protocol === 'http:' && !isLoopback(url.hostname) && !isPrivate(url.hostname)) {
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
