import { isPublicHttp } from '../../../lib/endpoint';

// Which hosts are private is tried with the addresses of the credential, in apiSettings.test.ts.
it.each([
	['http://n8n.example.com/webhook/a', true],
	['http://203.0.113.7:5678/webhook/a', true],
	['https://n8n.example.com/webhook/a', false],
	['http://localhost:5678/webhook/a', false],
	['http://10.1.2.3/webhook/a', false],
	['not a url', false],
])('%s is plain http on a public host: %s', (url, expected) => {
	expect(isPublicHttp(url)).toBe(expected);
});
