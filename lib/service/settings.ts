/** Checks what a person entered to reach the service, and brings it into one form. */
import { looseObject, minLength, pipe, safeParse, string, transform, trim } from '../vendor/zod';
import { TOKEN_PATH } from './defaults';
import { ApiError, FIELD_LABELS } from './errors/errors';
import type { ApiSettings } from './types';

type Field = keyof ApiSettings;

const text = string().check(trim(), minLength(1));
// Used as typed: white space may belong to it, and the service answers for a wrong one.
const secret = string().check(minLength(1));
const settingsSchema = looseObject({
	baseUrl: pipe(text, transform(serviceUrl)),
	authUrl: pipe(text, transform(authUrl)),
	audience: text,
	clientId: text,
	clientSecret: secret,
});

/**
 * Settings from the stored credential; further fields are left out.
 *
 * Addresses are http or https, plain http for this machine alone, without user name, query or fragment; trailing slashes go,
 * and so does `/oauth/token` after the auth URL.
 * @throws {ApiError} that names the first field that is empty or wrong; it never repeats the value.
 */
export function parseApiSettings(values: unknown): ApiSettings {
	const fields = typeof values === 'object' && values !== null ? values : {};
	const parsed = safeParse(settingsSchema, fields);
	if (!parsed.success) {
		throw emptyField(parsed.error.issues[0]?.path[0]);
	}
	const { baseUrl, audience, clientId, clientSecret } = parsed.data;
	return { baseUrl, authUrl: parsed.data.authUrl, audience, clientId, clientSecret };
}

/** Whether the host of a URL is this machine: the one place where plain http is safe. */
export function isLoopback(hostname: string): boolean {
	return (
		/^127(?:\.\d{1,3}){3}$/.test(hostname) ||
		hostname === '[::1]' ||
		hostname === 'localhost' ||
		hostname.endsWith('.localhost')
	);
}

function emptyField(name: PropertyKey | undefined): ApiError {
	const field = Object.keys(FIELD_LABELS).find((key): key is Field => key === name) ?? 'baseUrl';
	const label = FIELD_LABELS[field];
	return new ApiError(`${label} is empty.`, {
		field,
		hint: `Fill in ${label} in the Asset Service API credential.`,
	});
}

function serviceUrl(value: string): string {
	return normalUrl(value, 'baseUrl');
}

function authUrl(value: string): string {
	const url = normalUrl(value, 'authUrl');
	return url.endsWith(TOKEN_PATH) ? url.slice(0, -TOKEN_PATH.length).replace(/\/+$/, '') : url;
}

function normalUrl(value: string, field: Field): string {
	const label = FIELD_LABELS[field];
	const refuse = (message: string, hint: string) => new ApiError(message, { field, hint });
	if (!URL.canParse(value)) {
		throw refuse(
			`${label} is not an address.`,
			`Enter ${label} in full, such as https://api.example.com.`,
		);
	}
	const url = new URL(value);
	if (url.protocol !== 'https:' && url.protocol !== 'http:') {
		throw refuse(
			`${label} does not start with https://.`,
			`Enter ${label} with https:// in front.`,
		);
	}
	if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
		throw refuse(
			`${label} is a plain http address, which would show the secrets to the network.`,
			`Enter ${label} with https://; plain http is accepted for this machine (localhost) alone.`,
		);
	}
	if (url.username !== '' || url.password !== '') {
		throw refuse(
			`${label} holds a user name or a password.`,
			`Take the part before the @ out of ${label}.`,
		);
	}
	// Asked of the text: URL drops a lone "?" or "#" silently, and later paths would land behind it.
	if (value.includes('?') || value.includes('#')) {
		throw refuse(
			`${label} holds a query or a fragment.`,
			`Take everything from the ? or # on out of ${label}.`,
		);
	}
	return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
