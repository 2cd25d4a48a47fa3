/**
 * What n8n asks of the credentials: their tests, and the access token that it stores for its HTTP Request node.
 *
 * n8n requests a new token if none is stored and after a 401, but it ignores the expiry, and keeps the token when the credential
 * is edited. So the token is stored with its expiry and a digest of its settings. A token that has expired or belongs to other
 * settings is refused here with an error that n8n treats as a 401: n8n then first requests a new one.
 */
import { createHash } from 'node:crypto';
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import {
	testCredential,
	ApiError,
	helperTransport,
	parseApiSettings,
	processAccessTokens,
	type ApiSettings,
} from '../../lib/service';
import { checkSigningSettings } from '../../lib/signature';
import { number, object, orElse, parse, string } from '../../lib/vendor/zod';
import { throughHelper, transportOf } from './apiClient';

export async function assetServiceApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const result = await testCredential(credential.data, transportOf(throughHelper(this.helpers)));
	if (!result.ok) return { status: 'Error', message: result.message };
	const warning = result.warning === undefined ? '' : ` Warning: ${result.warning}`;
	return {
		status: 'OK',
		message: `Connection successful: a new token works and assets can be listed.${warning}`,
	};
}

/** Returns all problems at once, so that a user can fix them in one go. */
export async function testSigningSecret(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const problems = checkSigningSettings(credential.data ?? {});
	return problems.length === 0
		? {
				status: 'OK',
				message:
					'The format is valid. Only the first delivery shows whether it is the right secret.',
			}
		: { status: 'Error', message: problems.join(' ') };
}

/** The values that n8n stores next to the fields of the credential; a value of another type counts as missing. */
const storedToken = object({
	accessToken: orElse(string(), ''),
	expiresAt: orElse(number(), Infinity),
	accessTokenOrigin: orElse(string(), ''),
});

/** The options of n8n's two helpers; the HTTP Request node uses the older one. */
const IGNORE_CERTIFICATES = { skipSslCertificateValidation: true, rejectUnauthorized: false };

/** n8n fetches a new token for an error of this shape. */
class TokenRefusedError extends Error {
	override readonly name = 'TokenRefusedError';
	readonly response = { status: 401 };
}

/**
 * The request with the stored token as bearer.
 * @throws an error that n8n treats as a 401 if there is no token, or the stored one is no longer valid; an error for
 * people if the request does not go to the origin of the base URL, or the credential is not complete.
 */
export function withBearer(
	credentials: Readonly<Record<string, unknown>>,
	request: IHttpRequestOptions,
	now: number = Date.now(),
): IHttpRequestOptions {
	const settings = parseApiSettings(credentials);
	checkTarget(request, settings);
	const { accessToken, expiresAt, accessTokenOrigin } = parse(storedToken, credentials);
	if (accessToken === '') throw new TokenRefusedError('There is no access token yet');
	if (expiresAt <= now) throw new TokenRefusedError('The stored access token has expired');
	if (accessTokenOrigin !== '' && accessTokenOrigin !== originOf(settings)) {
		throw new TokenRefusedError(
			'The stored access token is older than the last change to the credential',
		);
	}
	return {
		...request,
		headers: { ...request.headers, Authorization: `Bearer ${accessToken}` },
		sendCredentialsOnCrossOriginRedirect: false,
		...(settings.allowUnauthorizedCerts && IGNORE_CERTIFICATES),
	};
}

/** A person who may use the credential in a workflow must not be able to send its token anywhere else. */
function checkTarget(request: IHttpRequestOptions & { uri?: string }, settings: ApiSettings): void {
	const { origin } = new URL(settings.baseUrl);
	// The HTTP Request node uses the older option for its URL.
	const target = URL.parse(request.uri ?? request.url, request.baseURL);
	if (target?.origin === origin) return;
	throw new Error(
		`The Asset Service API credential is only for ${origin}, but this request goes to ${target?.origin ?? 'an incomplete URL'}. Enter a URL that starts with 'Base URL' of the credential`,
	);
}

/**
 * A new token with the values that n8n stores with it: `expiresAt` in Unix milliseconds, and the digest of the settings.
 * Callers at the same time share one request, and the nodes of this package use the new token too.
 * @throws an error whose message says what to correct, without any secret.
 */
export async function withNewToken(
	helpers: { httpRequest: (options: IHttpRequestOptions) => Promise<unknown> },
	credentials: Readonly<Record<string, unknown>>,
): Promise<IDataObject> {
	try {
		const settings = parseApiSettings(credentials);
		// n8n's own helper: it respects n8n's SSRF protection, and the domains that the credential allows.
		const transport = helperTransport(throughHelper(helpers));
		const { accessToken, expiresAt } = await processAccessTokens.renew(settings, transport);
		return { accessToken, expiresAt, accessTokenOrigin: originOf(settings) };
	} catch (error) {
		// n8n shows only the message.
		throw error instanceof ApiError ? new Error(`${error.message}. ${error.hint}`) : error;
	}
}

function originOf({ authUrl, audience, clientId, clientSecret }: ApiSettings): string {
	return createHash('sha256')
		.update(JSON.stringify([authUrl, audience, clientId, clientSecret]))
		.digest('base64');
}
