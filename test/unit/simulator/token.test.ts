import { SCOPES } from '../../../simulator/types';
import { accessToken, send, simulatorFor, tokenRequest } from './world';

const ASSETS = '/asset-management/v1/assets';

describe('the token route', () => {
	it('answers a bearer token with its life and scopes', async () => {
		const simulator = await simulatorFor();
		const { status, body } = await send(`${simulator.authUrl}/oauth/token`, {
			body: tokenRequest(simulator),
		});
		expect(status).toBe(200);
		expect(body).toEqual({
			access_token: expect.stringMatching(/^\S{20,}$/) as string,
			token_type: 'Bearer',
			expires_in: 3600,
			scope: SCOPES.join(' '),
		});
		expect(simulator.stats.tokenRequests).toBe(1);
	});

	it.each([
		['a wrong secret', { client_secret: 'wrong' }, 401, 'access_denied'],
		['a wrong client', { client_id: 'wrong' }, 401, 'access_denied'],
		['a wrong audience', { audience: 'https://other.example' }, 403, 'access_denied'],
		['a wrong grant type', { grant_type: 'password' }, 403, 'unsupported_grant_type'],
		['a missing audience', { audience: undefined }, 400, 'invalid_request'],
		['a missing client ID', { client_id: undefined }, 400, 'invalid_request'],
		['a number as secret', { client_secret: 5 }, 400, 'invalid_request'],
		['a further field', { scope: 'assets:read' }, 400, 'invalid_request'],
	])('refuses %s', async (_what, change, status, error) => {
		const simulator = await simulatorFor();
		const answer = await send(`${simulator.authUrl}/oauth/token`, {
			body: { ...tokenRequest(simulator), ...change },
		});
		expect(answer.status).toBe(status);
		expect(answer.body['error']).toBe(error);
		expect(JSON.stringify(answer.body)).not.toContain(simulator.clientSecret);
	});

	it('names the audience that it does not know', async () => {
		const simulator = await simulatorFor();
		const { body } = await send(`${simulator.authUrl}/oauth/token`, {
			body: { ...tokenRequest(simulator), audience: 'https://other.example' },
		});
		expect(body['error_description']).toContain('https://other.example');
	});

	it('refuses an Authorization header', async () => {
		const simulator = await simulatorFor();
		const { status, body } = await send(`${simulator.authUrl}/oauth/token`, {
			body: tokenRequest(simulator),
			headers: { authorization: 'Basic eDp5' },
		});
		expect(status).toBe(400);
		expect(body['error']).toBe('invalid_request');
	});

	it('refuses a form, a body that is not JSON and an empty body', async () => {
		const simulator = await simulatorFor();
		const url = `${simulator.authUrl}/oauth/token`;
		const form = await send(url, {
			body: new URLSearchParams(tokenRequest(simulator)).toString(),
			headers: { 'content-type': 'application/x-www-form-urlencoded' },
		});
		expect(form.status).toBe(415);
		expect((await send(url, { body: '{"client_id":' })).status).toBe(400);
		expect((await send(url, { body: '' })).status).toBe(400);
	});

	it('accepts JSON with a character set', async () => {
		const simulator = await simulatorFor();
		const { status } = await send(`${simulator.authUrl}/oauth/token`, {
			body: tokenRequest(simulator),
			headers: { 'content-type': 'application/json; charset=utf-8' },
		});
		expect(status).toBe(200);
	});

	it.each(['GET', 'PUT', 'DELETE'])('refuses %s', async (method) => {
		const simulator = await simulatorFor();
		const { status, headers } = await send(`${simulator.authUrl}/oauth/token`, { method });
		expect(status).toBe(405);
		expect(headers.get('allow')).toBe('POST');
	});
});

describe('an access token', () => {
	const list = async (baseUrl: string, authorization?: string) =>
		await send(`${baseUrl}${ASSETS}`, authorization ? { headers: { authorization } } : {});

	it('is needed, and has to be one that was issued', async () => {
		const { baseUrl } = await simulatorFor();
		const missing = await list(baseUrl);
		expect(missing.status).toBe(401);
		expect(missing.headers.get('www-authenticate')).toBe('Bearer');
		expect((await list(baseUrl, 'Bearer made-up')).status).toBe(401);
		expect((await list(baseUrl, 'Basic eDp5')).status).toBe(401);
	});

	it('works until it expires', async () => {
		let time = Date.now();
		const simulator = await simulatorFor({ tokenLifetimeSeconds: 5, now: () => time });
		const authorization = `Bearer ${await accessToken(simulator)}`;
		time += 4_999;
		expect((await list(simulator.baseUrl, authorization)).status).toBe(200);
		time += 1;
		expect((await list(simulator.baseUrl, authorization)).status).toBe(401);
	});

	it('stops working when tokens are revoked, and a new one works', async () => {
		const simulator = await simulatorFor();
		const revoked = `Bearer ${await accessToken(simulator)}`;
		simulator.revokeTokens();
		expect((await list(simulator.baseUrl, revoked)).status).toBe(401);
		const fresh = `Bearer ${await accessToken(simulator)}`;
		expect((await list(simulator.baseUrl, fresh)).status).toBe(200);
	});

	it('of a client without the webhook scopes reads assets and gets 403 elsewhere', async () => {
		const simulator = await simulatorFor();
		const client = simulator.addClient({ scopes: ['assets:read'] });
		const authorization = `Bearer ${await accessToken(simulator, client)}`;
		expect((await list(simulator.baseUrl, authorization)).status).toBe(200);
		const events = await send(`${simulator.baseUrl}/webhooks/v1/webhook-events`, {
			headers: { authorization },
		});
		expect(events.status).toBe(403);
		expect(events.body['message']).toContain('webhooks:read');
		const created = await send(`${simulator.baseUrl}/webhooks/v1/webhook-endpoints`, {
			body: { url: 'https://receiver.example', events: ['ocpp.message'] },
			headers: { authorization },
		});
		expect(created.status).toBe(403);
		expect(created.body['message']).toContain('webhooks:write');
		expect(simulator.endpoints).toEqual([]);
	});

	it('is asked for with the new secret once the secret of a client was changed', async () => {
		const simulator = await simulatorFor();
		const { clientId } = simulator;
		simulator.addClient({ clientId, clientSecret: 'changed' });
		expect(await accessToken(simulator)).toBe('undefined');
		const changed = await accessToken(simulator, { clientId, clientSecret: 'changed' });
		expect((await list(simulator.baseUrl, `Bearer ${changed}`)).status).toBe(200);
	});
});
