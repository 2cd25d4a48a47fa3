import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ApiError, type ApiSettings, undiciTransport, type Transport } from '../../../lib/service';
import { createAccessTokens } from '../../../lib/service/tokens';
import type { Runtime } from '../../../lib/service/transport';
import type { Answer } from '../../support/httpService';
import { selfSigned } from '../../support/selfSigned';
import { fakeRuntime, rejection, SECRET, startWorld, stopWorlds } from './world';

afterEach(stopWorlds);

const direct = undiciTransport({ env: {} });
const newToken = (settings: ApiSettings, transport = direct, runtime: Runtime = fakeRuntime()) =>
	createAccessTokens({ runtime }).renew(settings, transport);

const ask = async (...answers: Answer[]) => {
	let asked = 0;
	const world = await startWorld({
		token: () => answers[Math.min(asked++, answers.length - 1)],
	});
	const runtime = fakeRuntime();
	return { world, runtime, token: newToken(world.settings, direct, runtime) };
};
const errorFor = async (...answers: Answer[]): Promise<ApiError> => {
	const error = await rejection((await ask(...answers)).token);
	if (!(error instanceof ApiError)) throw error;
	expect(`${error.message} ${error.hint} ${error.stack ?? ''}`).not.toContain(SECRET);
	return error;
};
const good = { access_token: 'abc', token_type: 'Bearer', expires_in: 3600, scope: 'a' };

describe('a token request', () => {
	it('returns the token, its expiry and when to renew it', async () => {
		const { token, runtime } = await ask({ body: good });
		expect(await token).toEqual({
			accessToken: 'abc',
			scope: 'a',
			expiresAt: runtime.now() + 3_600_000,
			renewAt: runtime.now() + 3_540_000,
		});
	});

	it.each([
		['a type in other case', { ...good, token_type: 'bEARER' }],
		['no scope', { ...good, scope: undefined }],
		['null as scope', { ...good, scope: null }],
		['a list as scope', { ...good, scope: ['a'] }],
		['expires_in as text', { ...good, expires_in: '3600' }],
		['further fields', { ...good, more: true }],
	])('accepts a response with %s', async (_name, body) => {
		const { token, runtime } = await ask({ body });
		expect(await token).toMatchObject({
			accessToken: 'abc',
			expiresAt: runtime.now() + 3_600_000,
		});
	});

	it.each([
		['access_token', { ...good, access_token: undefined }],
		['access_token', { ...good, access_token: '' }],
		['access_token', { ...good, access_token: 'a\nb' }],
		['token_type', { ...good, token_type: 'mac' }],
		['token_type', { ...good, token_type: undefined }],
		['expires_in', { ...good, expires_in: 0 }],
		['expires_in', { ...good, expires_in: -1 }],
		['expires_in', { ...good, expires_in: '0' }],
		['expires_in', { ...good, expires_in: 'soon' }],
		['expires_in', { ...good, expires_in: '' }],
		['expires_in', { ...good, expires_in: '0x10' }],
		['expires_in', { ...good, expires_in: true }],
		['expires_in', { ...good, expires_in: undefined }],
	])('rejects a response with a wrong %s: %j', async (field, body) => {
		const error = await errorFor({ body });
		expect(error).toMatchObject({ field: 'authUrl', status: 200 });
		expect(error.message).toContain(field);
		expect(error.message).not.toContain('abc');
	});

	it('tells the transport whether any certificate will do', async () => {
		const { settings } = await startWorld();
		const told: unknown[] = [];
		const recorded: Transport = async ({ allowUnauthorizedCerts }) => {
			told.push(allowUnauthorizedCerts);
			return { status: 200, headers: {}, body: JSON.stringify(good) };
		};
		await newToken({ ...settings, allowUnauthorizedCerts: true }, recorded);
		await newToken(settings, recorded);
		expect(told).toEqual([true, undefined]);
	});

	it('is tried again like a safe request', async () => {
		const { token, world, runtime } = await ask({ status: 503 }, { status: 429 }, { body: good });
		expect(await token).toMatchObject({ accessToken: 'abc' });
		expect(world.tokensAskedFor()).toBe(3);
		expect(runtime.slept).toHaveLength(2);
	});
});

describe('the error of a token request', () => {
	const CLIENT = ['clientSecret', /Client ID.*Client Secret/, /Client ID.*Client Secret/] as const;
	const AUDIENCE = ['audience', /Audience/, /Audience/] as const;
	const AUTH_URL = ['authUrl', /(?=.*Auth URL).*\/oauth\/token/, /Auth URL/] as const;
	const NO_FIELD = [undefined, /^(?!.*Auth URL)/, /^(?!.*(?:Auth URL|abc))/] as const;
	it.each<[string, Answer, readonly [string | undefined, message: RegExp, hint: RegExp]]>([
		['401', { status: 401, body: { error: 'access_denied', message: 'Unauthorized' } }, CLIENT],
		['401 without a body', { status: 401 }, CLIENT],
		['invalid_client', { status: 400, body: { error: 'invalid_client' } }, CLIENT],
		[
			'invalid_client, whatever it says',
			{ status: 400, body: { error: 'invalid_client', message: 'audience' } },
			CLIENT,
		],
		['unauthorized_client', { status: 403, body: { error: 'unauthorized_client' } }, CLIENT],
		[
			'words about the secret',
			{ status: 400, body: { message: 'client_secret is wrong' } },
			CLIENT,
		],
		['words about the ID', { status: 400, body: { message: 'no such ClientId' } }, CLIENT],
		[
			'words about both',
			{ status: 400, body: { message: 'check your client credentials' } },
			CLIENT,
		],
		['words about the client', { status: 400, body: { message: 'Invalid client' } }, CLIENT],
		['text about the client', { status: 400, body: 'Invalid client' }, CLIENT],
		[
			'an unknown one',
			{ status: 403, body: { error_description: 'Service not found: x' } },
			AUDIENCE,
		],
		['a client that may not', { status: 403, body: { error: 'access_denied' } }, AUDIENCE],
		[
			'words about it',
			{ status: 400, body: { error: 'invalid_request', message: 'bad audience' } },
			AUDIENCE,
		],
		[
			'words about a resource',
			{ status: 400, body: { message: 'Resource server unknown' } },
			AUDIENCE,
		],
		['403 without a body', { status: 403 }, AUDIENCE],
		['a client that may not, as 400', { status: 400, body: { error: 'access_denied' } }, AUDIENCE],
		['words about it with 401', { status: 401, body: { message: 'Audience unknown' } }, AUDIENCE],
		['invalid_target', { status: 400, body: { error: 'invalid_target' } }, AUDIENCE],
		['404', { status: 404, body: { message: 'nothing here' } }, AUTH_URL],
		['405', { status: 405 }, AUTH_URL],
		['410', { status: 410, body: { error: 'invalid_client' } }, AUTH_URL],
		['a page that finds a fault', { status: 400, body: '<html>' }, AUTH_URL],
		['a page', { body: '<html>', headers: { 'content-type': 'text/html' } }, AUTH_URL],
		['a page that refuses', { status: 403, body: '<html>' }, AUTH_URL],
		[
			'a redirect',
			{ status: 302, headers: { location: 'https://login.example.com/?x=1' } },
			AUTH_URL,
		],
		['several choices', { status: 300 }, AUTH_URL],
		['something else in JSON', { body: [1] }, AUTH_URL],
		['400 without a body', { status: 400, body: ' ' }, NO_FIELD],
		[
			'400 without a word about the credential',
			{ status: 400, body: { message: 'busy' } },
			NO_FIELD,
		],
		['500', { status: 500, body: { error: 'invalid_client' } }, NO_FIELD],
		['nothing', { body: '' }, NO_FIELD],
		['JSON that is truncated', { body: '{"access_token":"abc' }, NO_FIELD],
	])('names the field to correct for %s', async (_name, answer, [field, message, hint]) => {
		const error = await errorFor(answer);
		expect(error.field).toBe(field);
		expect(error.message).toMatch(message);
		expect(error.hint).toMatch(hint);
	});

	it('hides a secret before it cuts a long text', async () => {
		const error = await errorFor({ status: 400, body: { message: `${'x'.repeat(290)}${SECRET}` } });
		expect(error.message).not.toContain(SECRET.slice(0, 10));
		expect(error.message.length).toBeLessThan(500);
	});

	it.each([
		['a long one', 'Xk3_vQ9mZ7pL2wR8tY5uB1nC4'],
		['a word of the error itself', 'client'],
	])('names no client ID, even if the service repeats the request: %s', async (_name, clientId) => {
		const world = await startWorld({
			token: ({ body }) => ({ status: 401, body: { message: `invalid client ${body}` } }),
		});
		const settings = { ...world.settings, clientId };
		const error = (await rejection(newToken(settings))) as ApiError;
		expect(error.field).toBe('clientSecret');
		expect(error.message).toContain('(401 Unauthorized: invalid');
		expect(error.message).toContain('"client_id":"[redacted]","client_secret":"[redacted]"');
		expect(`${error.message} ${error.hint}`).not.toContain(`"${clientId}"`);
	});

	it.each([
		['hush ', true],
		['hush', false],
	])('mentions stray white space around the secret %j: %p', async (clientSecret, stray) => {
		const world = await startWorld({ token: () => ({ status: 401 }) });
		const settings = { ...world.settings, clientSecret };
		const error = (await rejection(newToken(settings))) as ApiError;
		expect(error.message).toContain('(401 Unauthorized)');
		// The likely cause comes first.
		expect(error.hint.startsWith("'Client Secret' starts or ends with white space. ")).toBe(stray);
	});

	it('blames the proxy that does not respond, not Auth URL', async () => {
		const world = await startWorld();
		const dead = undiciTransport({ env: { HTTP_PROXY: 'http://user:hunter2@127.0.0.1:1' } });
		const error = (await rejection(newToken(world.settings, dead))) as ApiError;
		expect(error.field).toBeUndefined();
		expect(error.message).toContain('the proxy 127.0.0.1:1 failed');
		expect(error.hint).toContain('HTTP_PROXY');
		expect(error.message + error.hint).not.toMatch(/Auth URL|hunter2/);
	});

	it('names NODE_EXTRA_CA_CERTS for a certificate of an unknown authority', async () => {
		const server = createServer(selfSigned, (_request, response) => response.end());
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		try {
			const world = await startWorld();
			const authUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
			const asked = newToken({ ...world.settings, authUrl });
			const error = (await rejection(asked)) as ApiError;
			expect(error.message).toContain('its TLS certificate is self-signed');
			expect(error.hint).toContain('NODE_EXTRA_CA_CERTS');
			expect(error.hint).toContain('Ignore SSL Issues (Insecure)');
			expect(error.message + error.hint).not.toContain('Auth URL');
		} finally {
			await new Promise((resolve) => server.close(resolve));
		}
	});

	it('names Auth URL if nothing responds there', async () => {
		const world = await startWorld();
		// Not the port of a service that was stopped: somebody else may be given it.
		const settings = { ...world.settings, authUrl: 'http://127.0.0.1:1' };
		const error = await rejection(newToken(settings));
		expect(error).toMatchObject({
			field: 'authUrl',
			message: `Could not reach ${settings.authUrl}/oauth/token ('Auth URL'): the connection was refused`,
			hint: expect.stringContaining('(ECONNREFUSED)') as string,
		});
	});
});
