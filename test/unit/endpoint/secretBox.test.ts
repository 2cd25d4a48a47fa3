import fc from 'fast-check';
import { openRegistration, sealEndpoint } from '../../../lib/endpoint/secretBox';

const sealSecret = (secret: string, clientSecret: string, id: string) =>
	sealEndpoint({ id, secret }, clientSecret, 0).sealedSecret;
const openSecret = (sealedSecret: string, clientSecret: string, id: string) => {
	const current = { id, sealedSecret, createdAt: 0 };
	return openRegistration({ url: '', events: [], current }, clientSecret)?.signingSecret;
};

describe('sealEndpoint and openRegistration', () => {
	it('give the secret back with the same client secret and endpoint', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), fc.string(), (secret, clientSecret, id) => {
				const sealed = sealSecret(secret, clientSecret, id);
				expect(openSecret(sealed, clientSecret, id)).toBe(Buffer.from(secret).toString());
			}),
			{ numRuns: 50 },
		);
	});

	it('hold the secret nowhere in plain text, and differ each time', () => {
		const sealed = sealSecret('hunter2', 'client', 'we_1');
		expect(sealed).not.toBe(sealSecret('hunter2', 'client', 'we_1'));
		const bytes = Buffer.from(sealed.split('.').at(-1) ?? '', 'base64url');
		for (const text of [sealed, bytes.toString()]) expect(text).not.toContain('hunter2');
	});

	it('open with no other client secret and for no other endpoint', () => {
		const sealed = sealSecret('hunter2', 'client', 'we_1');
		expect(openSecret(sealed, 'other', 'we_1')).toBeUndefined();
		expect(openSecret(sealed, 'client', 'we_2')).toBeUndefined();
	});

	it('open nothing that was changed', () => {
		const sealed = sealSecret('hunter2', 'client', 'we_1');
		for (const part of [1, 2, 3, 4]) {
			const parts = sealed.split('.');
			const bytes = Buffer.from(parts[part] ?? '', 'base64url');
			bytes[0] = (bytes[0] ?? 0) ^ 1;
			parts[part] = bytes.toString('base64url');
			expect(openSecret(parts.join('.'), 'client', 'we_1')).toBeUndefined();
		}
	});

	it.each(['', 'v1', 'v2.a.b.c.d', 'v1.a.b.c.d', 'v1....', 'hunter2'])('open no %p', (text) => {
		expect(openSecret(text, 'client', 'we_1')).toBeUndefined();
	});
});
