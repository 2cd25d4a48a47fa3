import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import type { TestCredential } from '../../support/credentialsHelper';
import type { Handler } from '../../support/httpService';
import { runNode } from '../../support/runNode';
import { SECRET, startWorld, stopWorlds, type World } from '../../unit/service/world';
import { requester } from './requester';

afterEach(stopWorlds);

const credentialOf = (world: World): TestCredential => ({
	type: new AssetServiceApi(),
	data: { ...world.settings },
});

describe.each(['requestWithAuthentication', 'httpRequestWithAuthentication'] as const)(
	'n8n itself, by %s,',
	(way) => {
		const ask = async (world: World, credential: TestCredential) =>
			await runNode({
				node: requester(way, { url: `${world.service.url}/any`, json: true }),
				credentials: [credential],
				parameters: {},
			});
		const echo: Handler = ({ headers }) => ({ body: { got: headers.authorization } });
		const start = (api: Handler = echo) => startWorld({ api });

		it('gets a token, stores it, and reuses it', async () => {
			const world = await start();
			const credential = credentialOf(world);
			for (let index = 0; index < 2; index++) {
				const { items, error } = await ask(world, credential);
				expect(error).toBeUndefined();
				expect(items[0]?.json).toEqual({ got: 'Bearer token-1' });
			}
			expect(world.tokensAskedFor()).toBe(1);
			expect(credential.data).toMatchObject({
				accessToken: 'token-1',
				expiresAt: expect.any(Number) as number,
			});
			expect(JSON.stringify({ ...credential.data, clientSecret: '' })).not.toContain(SECRET);
		});

		it('gets a new token before the request if the stored one has expired', async () => {
			const world = await start();
			const credential = credentialOf(world);
			Object.assign(credential.data, { accessToken: 'old', expiresAt: Date.now() - 1 });
			expect((await ask(world, credential)).items[0]?.json).toEqual({ got: 'Bearer token-1' });
			expect(world.service.to('/any')).toHaveLength(1);
		});

		it('gets a new token after the credential is edited, so that a wrong secret shows at once', async () => {
			const world = await start();
			const credential = credentialOf(world);
			await ask(world, credential);
			credential.data['clientId'] = 'another-client';
			expect((await ask(world, credential)).items[0]?.json).toEqual({ got: 'Bearer token-2' });
			const body = world.service.to('/oauth/token').at(-1)?.body ?? '';
			expect(JSON.parse(body)).toMatchObject({ client_id: 'another-client' });
		});

		it('gets a new token once if the service rejects the stored one', async () => {
			const world = await start((request, raw) =>
				request.headers.authorization === 'Bearer token-1' ? { status: 401 } : echo(request, raw),
			);
			expect((await ask(world, credentialOf(world))).items[0]?.json).toEqual({
				got: 'Bearer token-2',
			});
		});

		it('does not send the token to another origin, and reports it', async () => {
			const world = await start();
			const elsewhere = await start();
			const { error, run } = await runNode({
				node: requester(way, { url: `${elsewhere.service.url}/any`, json: true }),
				credentials: [credentialOf(world)],
				parameters: {},
			});
			expect(`${error?.message ?? ''} ${error?.description ?? ''}`).toContain(
				`is only for ${world.service.url}`,
			);
			expect(JSON.stringify(run)).not.toMatch(/token-\d/);
			expect(elsewhere.service.requests).toEqual([]);
		});

		it('does not send the token after a redirect to another origin', async () => {
			const elsewhere = await start();
			const world = await start(() => ({
				status: 302,
				headers: { location: `${elsewhere.service.url}/any` },
			}));
			await ask(world, credentialOf(world));
			expect(elsewhere.service.requests.map(({ headers }) => headers.authorization)).toEqual([
				undefined,
			]);
		});

		it('shows what to correct if it cannot get a token, without the secret', async () => {
			const world = await startWorld({
				token: () => ({ status: 401, body: { message: `bad ${SECRET}` } }),
			});
			const { error, run } = await ask(world, credentialOf(world));
			const shown = JSON.stringify([error?.message, error?.description, run]);
			expect(shown).toContain('Client Secret');
			expect(shown).not.toContain(SECRET);
			expect(shown).not.toContain(JSON.stringify(SECRET).slice(1, -1));
		});
	},
);

it('the nodes of this package also use a token that n8n fetched', async () => {
	const world = await startWorld({ api: () => ({ body: [] }) });
	const credential = credentialOf(world);
	await runNode({
		node: requester('httpRequestWithAuthentication', {
			url: `${world.service.url}/any`,
			json: true,
		}),
		credentials: [credential],
		parameters: {},
	});
	await runNode({
		node: new AssetService(),
		credentials: [credential],
		parameters: { resource: 'asset', operation: 'getAll' },
	});
	expect(world.tokensAskedFor()).toBe(1);
});
