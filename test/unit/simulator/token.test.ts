import type { Scope } from '../../../simulator';
import { SCOPES } from '../../../simulator/shared/types';
import { expectedLists } from '../../support/lists';
import { ASSETS, ENDPOINTS, type Sent, setUp, START } from './world';

const OTHER = 'https://other.example';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the token route', () => {
	it('returns a bearer token with its lifetime and scopes', async () => {
		const headers = { 'content-type': 'application/json; charset=utf-8' };
		const { body } = await (await setUp()).askToken({}, { headers });
		expect(body).toEqual({
			access_token: expect.stringMatching(/^\S{20,}$/) as string,
			token_type: 'Bearer',
			expires_in: 3600,
			scope: SCOPES.join(' '),
		});
	});

	it.each<[string, object, Sent, number, string]>([
		['a wrong secret', { client_secret: 'wrong' }, {}, 401, 'access_denied'],
		['a wrong client', { client_id: 'wrong' }, {}, 401, 'access_denied'],
		['a wrong audience', { audience: OTHER }, {}, 403, 'access_denied'],
		['a wrong grant type', { grant_type: 'password' }, {}, 403, 'unsupported_grant_type'],
		['a missing audience', { audience: undefined }, {}, 400, 'invalid_request'],
		['a missing client ID', { client_id: undefined }, {}, 400, 'invalid_request'],
		['a number as secret', { client_secret: 5 }, {}, 400, 'invalid_request'],
		['a further field', { scope: 'assets:read' }, {}, 400, 'invalid_request'],
		['basic credentials', {}, { headers: { authorization: 'Basic e' } }, 400, 'invalid_request'],
		['a form', {}, { headers: FORM }, 415, 'invalid_request'],
		['a body that is not JSON', {}, { body: '{"client_id":' }, 400, 'invalid_request'],
		['an empty body', {}, { body: '' }, 400, 'invalid_request'],
		['GET', {}, { method: 'GET', body: undefined }, 405, 'invalid_request'],
		['DELETE', {}, { method: 'DELETE' }, 405, 'invalid_request'],
	])('refuses %s', async (what, fields, request, status, error) => {
		const { simulator, askToken } = await setUp();
		const answer = await askToken(fields, request);
		expect([answer.status, answer.body['error']]).toEqual([status, error]);
		expect(answer.headers.get('allow')).toBe(status === 405 ? 'POST' : null);
		const text = JSON.stringify(answer.body);
		// It names the audience that it does not know, and never a secret.
		expect(text.includes(OTHER)).toBe(what === 'a wrong audience');
		expect(text).not.toContain(simulator.clientSecret);
	});
});

describe('an access token', () => {
	it.each(['', 'Bearer made-up', 'Basic eDp5'])('is needed, and not %j', async (value) => {
		const answer = await (await setUp()).call(ASSETS, { headers: { authorization: value } });
		expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
	});

	it('works until it expires or is revoked, and then a new one does', async () => {
		let time = START;
		const { simulator, authorize, call } = await setUp({ now: () => time });
		const expectStatus = async (status: number, headers: Record<string, string>) => {
			expect((await call(ASSETS, { headers })).status).toBe(status);
		};
		const first = await authorize();
		time += 3_599_999;
		const second = await authorize();
		await expectStatus(200, first);
		time += 1;
		await expectStatus(401, first);
		await expectStatus(200, second);
		simulator.revokeTokens();
		await expectStatus(401, second);
		await expectStatus(200, await authorize());
	});

	it.each<[Scope, string, string]>([
		...expectedLists.map(([, { scope, path }]): [Scope, string, string] => [scope, 'GET', path]),
		['webhooks:write', 'POST', ENDPOINTS],
		['webhooks:write', 'DELETE', `${ENDPOINTS}/we_none`],
		['webhooks:write', 'POST', `${ENDPOINTS}/we_none/deliveries/whdel_none/resend`],
		['write:ocpp', 'POST', '/ocpp/v2/raw-request'],
	])('needs the scope %s for %s %s, and no other', async (scope, method, path) => {
		const { simulator, authorize, call } = await setUp();
		const callAs = async (...scopes: Scope[]) =>
			await call(path, { method, headers: await authorize(simulator.addClient({ scopes })) });
		const refused = await callAs(...SCOPES.filter((each) => each !== scope));
		expect(refused.status).toBe(403);
		expect(refused.body['message']).toContain(scope);
		expect([200, 400, 404]).toContain((await callAs(scope)).status);
	});
});
