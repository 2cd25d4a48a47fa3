import { ApiError, parseApiSettings, SERVICE_INTERFACE } from '../../../lib/service';

const good = {
	baseUrl: 'https://api.example.com',
	authUrl: 'https://auth.example.com',
	audience: 'https://api.example.com',
	clientId: 'client',
	clientSecret: 'hush',
};

const refusal = (change: Record<string, unknown>): ApiError => {
	try {
		parseApiSettings({ ...good, ...change });
	} catch (error) {
		if (error instanceof ApiError) return error;
	}
	throw new Error('it was expected to be refused with an ApiError');
};

describe('the settings of the service', () => {
	it('are taken as entered, without fields of others', () => {
		expect(
			parseApiSettings({ ...good, accessToken: 'x', allowedHttpRequestDomains: 'all' }),
		).toEqual({ ...good, serviceInterface: SERVICE_INTERFACE });
	});

	it.each([
		['https://auth.example.com/oauth/token', 'https://auth.example.com'],
		['https://auth.example.com/oauth/token/', 'https://auth.example.com'],
		['https://auth.example.com//', 'https://auth.example.com'],
		['https://auth.example.com/tenant/oauth/token', 'https://auth.example.com/tenant'],
		['  https://auth.example.com/ ', 'https://auth.example.com'],
		['HTTPS://AUTH.example.com:443', 'https://auth.example.com'],
	])('take the auth URL %s for %s', (authUrl, expected) => {
		expect(parseApiSettings({ ...good, authUrl }).authUrl).toBe(expected);
	});

	it('leave out slashes after the base URL and keep its path', () => {
		expect(parseApiSettings({ ...good, baseUrl: 'https://example.com/api//' }).baseUrl).toBe(
			'https://example.com/api',
		);
	});

	it.each(['http://127.0.0.1:8080', 'http://localhost:1', 'http://[::1]:1', 'http://x.localhost'])(
		'accept plain http for this machine: %s',
		(baseUrl) => {
			expect(parseApiSettings({ ...good, baseUrl }).baseUrl).toBe(baseUrl);
		},
	);

	it('check TLS certificates unless they say otherwise', () => {
		expect(parseApiSettings({ ...good, allowUnauthorizedCerts: true })).toEqual({
			...good,
			allowUnauthorizedCerts: true,
		});
		for (const allowUnauthorizedCerts of [false, 'true', 1, null, undefined]) {
			expect(parseApiSettings({ ...good, allowUnauthorizedCerts })).toEqual(good);
		}
	});

	it('keep the client secret as typed', () => {
		expect(parseApiSettings({ ...good, clientSecret: ' a b ' }).clientSecret).toBe(' a b ');
	});

	it.each(['baseUrl', 'authUrl'] as const)('refuse a bad %s and name the field', (field) => {
		const label = { baseUrl: 'Base URL', authUrl: 'Auth URL' }[field];
		for (const value of [
			'example.com',
			'ftp://example.com',
			'http://example.com',
			'http://10.0.0.1',
			'http://127.0.0.1.example.com',
			'https://user:hunter2@example.com',
			'https://example.com/?a=b',
			'https://example.com/?',
			'https://example.com/#x',
			'',
			'   ',
			7,
			null,
			undefined,
		]) {
			const error = refusal({ [field]: value });
			expect(error.field).toBe(field);
			expect(error.message).toContain(label);
			expect(error.hint).toContain(label);
			expect(`${error.message} ${error.hint}`).not.toContain('hunter2');
		}
	});

	it.each([
		['audience', 'Audience'],
		['clientId', 'Client ID'],
		['clientSecret', 'Client Secret'],
	])('refuse an empty %s and name the field', (field, label) => {
		expect(refusal({ [field]: '' })).toMatchObject({ field, message: `${label} is empty.` });
	});

	it.each([[null], [undefined], ['text'], [[]]])('refuse %p as a whole', (values) => {
		expect(() => parseApiSettings(values)).toThrow('Base URL is empty.');
	});
});
