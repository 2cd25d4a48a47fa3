import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import {
	FIELD_LABELS,
	parseApiSettings,
	plainHttpWarning,
	SERVICE_INTERFACE,
} from '../../../lib/service';
import { good } from '../service/entered';
import { rejection, SECRET } from '../service/world';
import { demandedBy, shownBy, storedBy } from './form';

const credential = new AssetServiceApi();
let next = 0;
/** What n8n stores once the form is filled in. */
const settings = (change: IDataObject = {}): ICredentialDataDecryptedObject =>
	storedBy(credential, {
		...good,
		authUrl: 'https://auth.example.com/oauth/token',
		clientId: `credential-${++next}`,
		clientSecret: SECRET,
		...change,
	});

/** A stand-in for n8n's helper that responds as given and records its requests. */
function helperOf(answer: () => unknown) {
	const asked: IHttpRequestOptions[] = [];
	const helpers = {
		httpRequest: async (options: IHttpRequestOptions) => {
			asked.push(options);
			return answer();
		},
	};
	return { asked, helper: { helpers } };
}

const tokenAnswer = (token = 'abc') => ({
	statusCode: 200,
	headers: {},
	body: { access_token: token, token_type: 'Bearer', expires_in: 3600, scope: '' },
});

const fetchToken = (data: ICredentialDataDecryptedObject, answer: () => unknown) => {
	const { asked, helper } = helperOf(answer);
	return { asked, token: credential.preAuthentication.call(helper, data) };
};

async function authenticate(data: ICredentialDataDecryptedObject, request: IHttpRequestOptions) {
	if (typeof credential.authenticate !== 'function') throw new Error('it is a function');
	return await credential.authenticate(data, request);
}

describe('the fields of the API credential', () => {
	const field = (name: string) =>
		credential.properties.find((property) => property.name === name) ?? {};

	it('demand the five that have no default, and keep three from view', () => {
		expect(demandedBy(credential, {})).toEqual(Object.keys(good));
		expect(demandedBy(credential, good)).toEqual([]);
		expect(credential.properties.filter(({ type }) => type === 'hidden')).toHaveLength(3);
	});

	it.each(Object.entries(FIELD_LABELS))('have the label that messages use: %s', (name, label) => {
		expect(field(name)).toMatchObject({ displayName: label });
	});

	it('check TLS certificates unless that is switched off', () => {
		const read = (entered: IDataObject) =>
			parseApiSettings(storedBy(credential, { ...good, ...entered })).allowUnauthorizedCerts;
		expect([read({}), read({ allowUnauthorizedCerts: true })]).toEqual([undefined, true]);
	});

	it('that the code reads as a boolean are switches', () => {
		const switches = credential.properties.filter(({ type }) => type === 'boolean');
		expect(switches.map(({ name }) => name)).toEqual([
			'allowUnauthorizedCerts',
			'changeServiceInterface',
		]);
	});

	describe('for what the specification leaves open', () => {
		const ON = { ...good, changeServiceInterface: true };
		const names = Object.keys(SERVICE_INTERFACE);

		it('show once they are switched on', () => {
			const added = shownBy(credential, ON).filter(
				(name) => !shownBy(credential, good).includes(name),
			);
			expect(added.sort()).toEqual(names.sort());
			// The form of n8n would show its name and nothing below it.
			expect(field('serviceInterface')).toMatchObject({
				displayOptions: { showOnDeployment: 'cloud' },
			});
		});

		it.each([
			['off', good],
			['on', ON],
		])('leave the defaults of the code in place if unchanged, switched %s', (_switch, entered) => {
			const { serviceInterface } = parseApiSettings(storedBy(credential, entered));
			expect(serviceInterface).toEqual(SERVICE_INTERFACE);
			expect(demandedBy(credential, entered)).toEqual([]);
		});

		it.each(Object.entries(SERVICE_INTERFACE))(
			'set %s, in the form and by a program',
			(name, old) => {
				const value = typeof old === 'number' ? old + 1 : `${old}2`;
				const read = (entered: IDataObject) =>
					parseApiSettings(storedBy(credential, { ...good, ...entered })).serviceInterface;
				const changed = { ...SERVICE_INTERFACE, [name]: value };
				expect(read({ changeServiceInterface: true, [name]: value })).toEqual(changed);
				expect(read({ serviceInterface: { [name]: value } })).toEqual(changed);
			},
		);

		it('give a page size as a whole number from 0 on', () => {
			expect(field('pageSize')).toMatchObject({
				type: 'number',
				typeOptions: { minValue: 0, numberPrecision: 0 },
			});
		});
	});

	it.each([
		['http://192.168.1.5:8080', true],
		[' HTTP://assets.internal', true],
		['http://localhost.example.com', true],
		['http://127.0.0.1.example.com', true],
		['http://localhost', false],
		['http://api.localhost/x', false],
		['http://127.0.0.1:5678', false],
		['http://[::1]:5678', false],
		['https://api.example.com', false],
		['', false],
	])('show next to each URL whether %j is plain http: %s', (url, isShown) => {
		for (const name of ['baseUrl', 'authUrl'] as const) {
			const shown = shownBy(credential, { [name]: url });
			expect(shown.includes(`${name}Notice`)).toBe(isShown);
		}
		// The log says the same of a URL that can be used at all.
		if (url === '' || url.includes('example.com')) return;
		const used = parseApiSettings({
			...settings(),
			baseUrl: url,
			authUrl: 'https://a.example.com',
		});
		expect(plainHttpWarning(used) !== undefined).toBe(isShown);
	});

	it('show what the specification leaves open as an empty collection with its defaults', () => {
		expect(field('serviceInterface')).toMatchObject({
			displayName: 'Service Interface',
			type: 'collection',
			default: {},
		});
		const options = (field('serviceInterface') as INodeProperties).options as INodeProperties[];
		const shown = options.map(({ name, placeholder = '' }) => [
			name,
			placeholder.replace('e.g. ', ''),
		]);
		expect(Object.fromEntries(shown)).toEqual({
			pageSize: '100',
			limitParameter: 'limit',
			cursorParameter: 'startingAfter',
			itemsPath: 'result.rows',
			hasMorePath: 'result.more',
			nextCursorPath: 'result.next',
			eventIdPath: 'id',
			eventTypePath: 'type, eventType',
			eventTimePath: 'createdAt',
			eventPayloadPath: 'data, payload',
			eventAssetIdPath: 'data.asset.id, payload.asset.id, data.assetId, payload.assetId',
			succeededWords: 'success',
			failedWords: 'failed',
			endpointsPath: '/webhooks/v1/webhook-endpoints',
			resendPath: '/webhooks/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/resend',
			endpointUrlField: 'url',
			endpointEventsField: 'events',
			endpointIdField: 'id',
			endpointSecretField: 'secret',
			connectionPath: 'status',
			connectedWords: 'connected, online',
			disconnectedWords: 'disconnected, offline',
		});
	});

	it('never show a secret or a token in the browser', () => {
		expect(field('clientSecret')).toMatchObject({ typeOptions: { password: true } });
		expect(field('accessToken')).toMatchObject({
			type: 'hidden',
			typeOptions: { password: true, expirable: true },
		});
		expect(field('accessTokenOrigin')).toMatchObject({ typeOptions: { password: true } });
	});
});

describe('the token that n8n stores', () => {
	it('is asked for as specified, through n8n itself', async () => {
		const data = settings();
		const before = Date.now();
		const { asked, token } = fetchToken(data, () => tokenAnswer());
		const { accessToken, expiresAt } = await token;
		expect(accessToken).toBe('abc');
		expect(expiresAt).toBeGreaterThanOrEqual(before + 3_590_000);
		expect(expiresAt).toBeLessThanOrEqual(Date.now() + 3_600_000);
		expect(asked).toMatchObject([
			{
				method: 'POST',
				url: 'https://auth.example.com/oauth/token',
				disableFollowRedirect: true,
			},
		]);
	});

	it('contains only declared fields, since n8n stores no others', async () => {
		const output = await fetchToken(settings(), () => tokenAnswer()).token;
		const declared = credential.properties.map(({ name }) => name);
		expect(declared).toEqual(expect.arrayContaining(Object.keys(output)));
		expect(JSON.stringify(output)).not.toContain(SECRET);
	});
});

describe('a request of n8n', () => {
	const request = { url: 'https://api.example.com/x', headers: { a: 'b' } };

	it('gets the stored token as bearer, and keeps its other headers', async () => {
		const data = settings({ accessToken: 'abc' });
		expect(await authenticate(data, request)).toEqual({
			url: request.url,
			headers: { a: 'b', Authorization: 'Bearer abc' },
			sendCredentialsOnCrossOriginRedirect: false,
		});
		expect(request.headers).toEqual({ a: 'b' });
	});

	it.each<[string, object]>([
		['another host', { url: 'https://evil.example/x?secret=hunter2' }],
		['another port', { url: 'https://api.example.com:8443/x' }],
		['plain http', { url: 'http://api.example.com/x' }],
		['the auth URL', { url: 'https://auth.example.com/x' }],
		['a host that only begins alike', { url: 'https://api.example.com.evil.example' }],
		['another host, in the older terms', { uri: 'https://evil.example' }],
		['another host by its base', { url: '/x', baseURL: 'https://evil.example' }],
		['no address', { url: 'x' }],
	])('is refused the stored token when it goes to %s', async (_name, target) => {
		const data = settings({ accessToken: 'abc' });
		const error = await rejection(authenticate(data, { ...target } as IHttpRequestOptions));
		expect(String(error)).toContain('is only for https://api.example.com');
		expect(String(error)).not.toMatch(/abc|hunter2/);
		expect(error).not.toHaveProperty('response');
	});

	it.each<[string, object]>([
		['in the older terms', { uri: 'https://api.example.com/x' }],
		['with a base of its own', { url: '/x', baseURL: 'https://api.example.com' }],
		['with the port written out', { url: 'https://API.example.com:443' }],
	])('carries the stored token to Base URL %s', async (_name, target) => {
		const data = settings({ accessToken: 'abc' });
		const { headers } = await authenticate(data, { ...target } as IHttpRequestOptions);
		expect(headers).toEqual({ Authorization: 'Bearer abc' });
	});
});
