import { isPublicHttp } from '../../../lib/endpoint/deliverableUrl';

describe('isPublicHttp', () => {
	it.each([
		'http://n8n.example.com/webhook/a',
		'http://203.0.113.7:5678/webhook/a',
		'http://[2001:db8::1]/webhook/a',
		'http://172.32.0.1/webhook/a',
	])('is true for %s', (url) => {
		expect(isPublicHttp(url)).toBe(true);
	});

	it.each([
		'https://n8n.example.com/webhook/a',
		'http://localhost:5678/webhook/a',
		'http://127.0.0.1:5678/webhook/a',
		'http://10.1.2.3/webhook/a',
		'http://172.16.0.1/webhook/a',
		'http://192.168.1.5/webhook/a',
		'http://[::1]:5678/webhook/a',
		'http://[fd00::1]/webhook/a',
		'http://n8n/webhook/a',
		'http://n8n.internal/webhook/a',
		'not a url',
	])('is false for %s', (url) => {
		expect(isPublicHttp(url)).toBe(false);
	});
});
