import { CredentialTestContext } from 'n8n-core';
import type { ICredentialsDecrypted, ICredentialTestFunctions } from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import type { Handler } from '../../support/httpService';
import { freePort } from '../../support/ports';
import { runNode } from '../../support/runNode';
import { SECRET, startWorld, stopWorlds, type World } from '../../unit/service/world';

// n8n reads these once per process, on its first request; this file has its own process.
const ALLOWED = '127.0.0.1/32';
beforeAll(() => {
	process.env['N8N_SSRF_PROTECTION_ENABLED'] = 'TRUE';
	process.env['N8N_SSRF_ALLOWED_IP_RANGES'] = ALLOWED;
});
afterAll(() => {
	delete process.env['N8N_SSRF_PROTECTION_ENABLED'];
	delete process.env['N8N_SSRF_ALLOWED_IP_RANGES'];
});
afterEach(stopWorlds);

const list = async (world: World, change = {}) =>
	await runNode({
		node: new AssetService(),
		credentials: [{ type: new AssetServiceApi(), data: { ...world.settings, ...change } }],
		parameters: { resource: 'asset', operation: 'getAll', returnAll: true, simplify: false },
	});

const test = async (data: object) => {
	const context = new CredentialTestContext({} as never) as unknown as ICredentialTestFunctions;
	const { assetServiceApiTest } = new AssetService().methods.credentialTest;
	return await assetServiceApiTest.call(context, { data } as unknown as ICredentialsDecrypted);
};

const twoPages: Handler = ({ query }) => ({
	body: {
		data: query['startingAfter']
			? { items: [{ id: 'b', text: 'ü' }], hasMore: false }
			: { items: [{ id: 'a' }], hasMore: true },
	},
});

describe('under n8n’s protection against requests to internal addresses', () => {
	it('a list goes through n8n, which opens a connection for each request', async () => {
		const world = await startWorld({ api: twoPages });
		const { items, error } = await list(world);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([{ id: 'a' }, { id: 'b', text: 'ü' }]);
		expect(world.service.connections()).toBe(3);
		const [token] = world.service.to('/oauth/token');
		expect(token?.headers).toMatchObject({ 'content-type': 'application/json' });
		expect(JSON.parse(token?.body ?? '')).toMatchObject({ grant_type: 'client_credentials' });
		expect(world.service.requests.at(-1)?.headers).toMatchObject({
			authorization: 'Bearer token-1',
			'content-type': 'application/json',
		});
	});

	it('an address that n8n blocks gets no request, and the error says what to do', async () => {
		const world = await startWorld({ api: twoPages });
		const { error } = await list(world, { baseUrl: `http://127.0.0.2:${world.service.port}` });
		expect(error).toMatchObject({
			message: expect.stringContaining(
				'n8n blocked the request: The request was blocked',
			) as string,
			description: expect.stringContaining('allowlist') as string,
		});
		expect(world.service.requests.map(({ path }) => path)).toEqual(['/oauth/token']);
	});

	it('a rejection by status is explained as usual', async () => {
		const world = await startWorld({ token: () => ({ status: 401, body: { message: SECRET } }) });
		const { error, run } = await list(world);
		expect(error?.message).toMatch(/'Client ID' or 'Client Secret' .*\[redacted\]/);
		expect(JSON.stringify(run)).not.toContain(SECRET);
	});

	it('a token that the API calls invalid is renewed', async () => {
		const headers = { 'www-authenticate': 'Bearer error="invalid_token"' };
		const world = await startWorld({
			api: (request, raw) =>
				request.headers.authorization === 'Bearer token-1'
					? { status: 403, headers }
					: twoPages(request, raw),
		});
		const { items, error } = await list(world);
		expect([error, items.length, world.tokensAskedFor()]).toEqual([undefined, 2, 2]);
	});

	it('a redirect is not followed', async () => {
		const world = await startWorld({
			api: () => ({ status: 302, headers: { location: '/elsewhere' } }),
		});
		expect((await list(world)).error?.message).toMatch(/^'Base URL' .* redirects to .*elsewhere/);
		expect(world.service.to('/elsewhere')).toEqual([]);
	});

	it('an error names a proxy that is down, not the address', async () => {
		const world = await startWorld({ api: twoPages });
		const port = await freePort();
		process.env['HTTP_PROXY'] = `http://127.0.0.1:${port}`;
		try {
			const { error } = await list(world, { baseUrl: 'http://service.local' });
			expect(error).toMatchObject({
				message: expect.stringContaining(`the proxy 127.0.0.1:${port} failed`) as string,
				description: expect.stringContaining('Check HTTP_PROXY') as string,
			});
		} finally {
			delete process.env['HTTP_PROXY'];
		}
	});

	it('the credential is tested through n8n too', async () => {
		const world = await startWorld({ api: twoPages });
		expect(await test(world.settings)).toEqual({
			status: 'OK',
			message: 'Connection successful: a new token works and assets can be listed.',
		});
		const blocked = { ...world.settings, authUrl: `http://127.0.0.2:${world.service.port}` };
		expect(await test(blocked)).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('n8n blocked the request') as string,
		});
	});
});
