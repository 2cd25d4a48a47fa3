import { CredentialTestContext } from 'n8n-core';
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeType,
} from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { runNode } from '../../support/runNode';
import { startSelfSigned, type SelfSignedService } from '../../support/selfSigned';
import { requester } from './requester';
import { list } from './runs';

let service: SelfSignedService;
beforeEach(async () => {
	service = await startSelfSigned({ data: { items: [{ id: 'a' }], hasMore: false } });
});
afterEach(async () => {
	delete process.env['N8N_SSRF_PROTECTION_ENABLED'];
	await service.stop();
});

let next = 0;
const dataOf = (allowUnauthorizedCerts: boolean) => ({
	baseUrl: service.url,
	authUrl: service.url,
	audience: 'https://api.example.com',
	clientId: `self-signed-${++next}`,
	clientSecret: 'a-secret-of-the-test',
	allowUnauthorizedCerts,
});

const run = (node: INodeType, parameters: object, allow: boolean) =>
	runNode({
		node,
		credentials: [{ type: new AssetServiceApi(), data: dataOf(allow) }],
		parameters: { ...parameters },
	});

const test = async (allow: boolean) => {
	const context = new CredentialTestContext({} as never) as unknown as ICredentialTestFunctions;
	const { assetServiceApiTest } = new AssetService().methods.credentialTest;
	const credential = { data: dataOf(allow) } as unknown as ICredentialsDecrypted;
	return await assetServiceApiTest.call(context, credential);
};

describe('a service with a self-signed certificate', () => {
	it('is rejected unless the credential ignores SSL issues', async () => {
		expect((await run(new AssetService(), list, false)).error?.message).toMatch(/self-signed/);
		expect(await test(false)).toMatchObject({ status: 'Error' });
		const options: IHttpRequestOptions = { url: `${service.url}/any`, json: true };
		expect(
			(await run(requester('httpRequestWithAuthentication', options), {}, false)).error,
		).toBeDefined();
		expect(service.requests).toEqual([]);
	});

	it('is listed and tested if the credential ignores them', async () => {
		const { items, error } = await run(new AssetService(), { ...list, simplify: false }, true);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([{ id: 'a' }]);
		expect(await test(true)).toMatchObject({ status: 'OK' });
	});

	it('is listed and tested through the helper of n8n too', async () => {
		process.env['N8N_SSRF_PROTECTION_ENABLED'] = 'true';
		expect((await run(new AssetService(), list, true)).items).toHaveLength(1);
		expect(await test(true)).toMatchObject({ status: 'OK' });
	});

	it.each<['requestWithAuthentication' | 'httpRequestWithAuthentication', object]>([
		['httpRequestWithAuthentication', {}],
		// As in the HTTP Request node with its own option off.
		['requestWithAuthentication', { rejectUnauthorized: true }],
	])('can be called by n8n itself, by %s', async (way, more) => {
		const options: IHttpRequestOptions = { url: `${service.url}/any`, json: true, ...more };
		const { items, error } = await run(requester(way, options), {}, true);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(service.requests).toContain('GET /any');
	});
});
