import { parseApiSettings, plainHttpWarning, SERVICE_INTERFACE } from '../../../lib/service';
import { good, refusal } from './entered';

describe('the settings of the service', () => {
	it('are taken as entered, without fields of others', () => {
		expect(
			parseApiSettings({ ...good, accessToken: 'x', allowedHttpRequestDomains: 'all' }),
		).toEqual({ ...good, serviceInterface: SERVICE_INTERFACE });
	});

	it('are read in time in proportion to their length', () => {
		const slashes = '/'.repeat(200_000);
		const started = performance.now();
		const { baseUrl, authUrl } = parseApiSettings({
			...good,
			baseUrl: `https://api.example.com/a${slashes}b${slashes}`,
			authUrl: `https://auth.example.com/a${slashes}/oauth/token${slashes}`,
		});
		expect(baseUrl).toBe(`https://api.example.com/a${slashes}b`);
		expect(authUrl).toBe('https://auth.example.com/a');
		// 28 s and more while a pattern looked for the slashes at the end.
		expect(performance.now() - started).toBeLessThan(5_000);
	});

	it('take what is entered about the interface once it is switched on', () => {
		const entered = { ...good, serviceInterface: { pageSize: 7 }, limitParameter: 'max' };
		const read = (change: object) => parseApiSettings({ ...entered, ...change }).serviceInterface;
		const kept = { ...SERVICE_INTERFACE, pageSize: 7 };
		expect(read({})).toEqual(kept);
		expect(read({ changeServiceInterface: false })).toEqual(kept);
		expect(read({ changeServiceInterface: true })).toEqual({ ...kept, limitParameter: 'max' });
		expect(refusal({ changeServiceInterface: true, pageSize: -1 }).field).toBe('pageSize');
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

	it.each([
		['http://10.1.2.3:8080', true],
		['http://172.16.0.1', true],
		['http://172.31.255.255', true],
		['http://172.32.0.1', false],
		['http://192.168.1.1', true],
		['http://192.169.1.1', false],
		['http://169.254.1.1', true],
		['http://0xa000001', true],
		['http://[fd00::1]', true],
		['http://[fe80::1]', true],
		['http://[::ffff:10.0.0.1]', true],
		['http://[::ffff:8.8.8.8]', false],
		['http://[2001:db8::1]', false],
		['http://8.8.8.8', false],
		['http://host.docker.internal:3000', true],
		['http://HOST.docker.internal.', true],
		['http://asset-service:3000', true],
		['http://service.local', true],
		['http://assets.internal', true],
		['http://assets.lan', true],
		['http://assets.home.arpa', true],
		['http://assets.test', true],
		['http://internal.example.com', false],
		['http://service.localdomain.com', false],
		['http://api.example.com', false],
		['http://10.0.0.1.example.com', false],
	])('take plain http for %s: %s', (baseUrl, accepted) => {
		if (accepted) {
			const settings = parseApiSettings({ ...good, baseUrl });
			expect(plainHttpWarning(settings)).toMatch(/^'Base URL' \(http:.*\) is plain http/);
		} else {
			expect(refusal({ baseUrl })).toMatchObject({ field: 'baseUrl' });
		}
	});

	it('need no warning with https, nor on this machine', () => {
		expect(plainHttpWarning(parseApiSettings(good))).toBeUndefined();
		const here = { baseUrl: 'http://localhost:1', authUrl: 'http://127.0.0.1:1' };
		expect(plainHttpWarning(parseApiSettings({ ...good, ...here }))).toBeUndefined();
	});

	it('warn of both addresses at once', () => {
		const both = { baseUrl: 'http://service', authUrl: 'http://10.0.0.1/auth' };
		expect(plainHttpWarning(parseApiSettings({ ...good, ...both }))).toMatch(
			/^'Base URL' \(http:\/\/service\) and 'Auth URL' \(http:\/\/10\.0\.0\.1\) are plain http/,
		);
	});

	describe('where n8n restricts the credential', () => {
		const restricted = (allowedHttpRequestDomains: string, allowedDomains?: string) => ({
			allowedHttpRequestDomains,
			allowedDomains,
		});

		it.each([
			restricted('all', 'other.example'),
			restricted('none'),
			restricted('domains', 'api.example.com, AUTH.example.com.'),
			restricted('domains', '*.example.com'),
		])('are taken with %j', (restriction) => {
			expect(parseApiSettings({ ...good, ...restriction })).toEqual(parseApiSettings(good));
		});

		it.each([
			['auth.example.com', 'baseUrl', 'api.example.com'],
			['api.example.com', 'authUrl', 'auth.example.com'],
			['example.com', 'baseUrl', 'api.example.com'],
			['*.api.example.com', 'baseUrl', 'api.example.com'],
			['*', 'baseUrl', 'api.example.com'],
		])('to %s are refused for %s', (allowedDomains, field, host) => {
			const error = refusal(restricted('domains', allowedDomains));
			expect(error).toMatchObject({ field });
			expect(error.message).toContain(`${host} is not in 'Allowed Domains'`);
		});

		it.each([' ', ',', undefined])('to the domains %p are refused', (allowedDomains) => {
			expect(refusal(restricted('domains', allowedDomains)).message).toContain('Allowed Domains');
		});
	});

	it('check TLS certificates unless they say otherwise', () => {
		expect(parseApiSettings({ ...good, allowUnauthorizedCerts: true })).toEqual({
			...parseApiSettings(good),
			allowUnauthorizedCerts: true,
		});
		for (const allowUnauthorizedCerts of [false, 'true', 1, null, undefined]) {
			const settings = parseApiSettings({ ...good, allowUnauthorizedCerts });
			expect(settings).toEqual(parseApiSettings(good));
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
		expect(refusal({ [field]: '' })).toMatchObject({ field, message: `'${label}' is empty` });
	});

	it.each([[null], [undefined], ['text'], [[]]])('refuse %p as a whole', (values) => {
		expect(() => parseApiSettings(values)).toThrow("'Base URL' is empty");
	});
});
