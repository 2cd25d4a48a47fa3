/**
 * The access token that n8n stores in the credential for its HTTP Request node.
 *
 * n8n asks for a new one when none is stored and after a 401, but heeds no expiry, and keeps the token when the credential is
 * edited. So the token is stored with its expiry and a digest of the settings it came from, and a token that is over or from
 * other settings is refused here with what n8n takes for a 401: n8n then asks for a new one before anything is sent.
 */
import { createHash } from 'node:crypto';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import {
	ApiError,
	helperTransport,
	parseApiSettings,
	processAccessTokens,
	type ApiSettings,
} from '../lib/service';
import { throughHttpRequest } from './httpHelper';

/** What n8n looks for in an error to fetch a new token: the shape of a refusal by status. */
class TokenRefusedError extends Error {
	override readonly name = 'TokenRefusedError';
	readonly response = { status: 401 };
}

/**
 * The request with the stored token as bearer.
 * @throws an error that n8n takes for a 401 when there is no token, or the stored one will not do.
 */
export function withBearer(
	credentials: Readonly<Record<string, unknown>>,
	request: IHttpRequestOptions,
	now: number = Date.now(),
): IHttpRequestOptions {
	const { accessToken, expiresAt, accessTokenOrigin } = credentials;
	if (typeof accessToken !== 'string' || accessToken === '') {
		throw new TokenRefusedError('There is no access token yet.');
	}
	if (typeof expiresAt === 'number' && expiresAt <= now) {
		throw new TokenRefusedError('The stored access token has expired.');
	}
	const foreign =
		typeof accessTokenOrigin === 'string' &&
		accessTokenOrigin !== '' &&
		accessTokenOrigin !== originOf(parseApiSettings(credentials));
	if (foreign) {
		throw new TokenRefusedError(
			'The stored access token is from before the credential was edited.',
		);
	}
	return { ...request, headers: { ...request.headers, Authorization: `Bearer ${accessToken}` } };
}

/**
 * A new token with what n8n is to store beside it: `expiresAt` in milliseconds since 1970, and the digest of the settings.
 * Callers at the same time share one request, and the nodes of this package use the new token too.
 * @throws an error whose message says what to correct, without any secret.
 */
export async function withNewToken(
	helpers: { httpRequest: (options: IHttpRequestOptions) => Promise<unknown> },
	credentials: Readonly<Record<string, unknown>>,
): Promise<IDataObject> {
	try {
		const settings = parseApiSettings(credentials);
		// n8n's own helper: it honours n8n's protection and the domains that the credential allows.
		const transport = helperTransport(
			throughHttpRequest(async (options) => await helpers.httpRequest(options)),
		);
		const { accessToken, expiresAt } = await processAccessTokens.renew(settings, transport);
		return { accessToken, expiresAt, accessTokenOrigin: originOf(settings) };
	} catch (error) {
		// n8n shows the message alone.
		throw error instanceof ApiError ? new Error(`${error.message} ${error.hint}`) : error;
	}
}

function originOf({ authUrl, audience, clientId, clientSecret }: ApiSettings): string {
	return createHash('sha256')
		.update(JSON.stringify([authUrl, audience, clientId, clientSecret]))
		.digest('base64');
}
