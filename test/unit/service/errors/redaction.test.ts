import { createRedactor } from '../../../../lib/service/errors/redaction';

const SECRET = 'a b+c/"d"<ü>&';

describe('a redactor', () => {
	it.each([
		['as it is', SECRET],
		['in JSON', JSON.stringify({ client_secret: SECRET })],
		['in a URL', encodeURIComponent(SECRET)],
		['in a form', new URLSearchParams({ s: SECRET }).toString()],
		['in Base64', Buffer.from(SECRET).toString('base64')],
		['twice', `${SECRET} and ${SECRET}`],
	])('takes a secret out %s', (_name, text) => {
		const redacted = createRedactor(SECRET).redact(`before ${text} after`);
		expect(redacted).toContain('[redacted]');
		expect(redacted).toMatch(/^before .* after$/);
		expect(redacted).not.toContain('b+c');
		expect(redacted).not.toContain('%2Bc');
		expect(redacted).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 8));
	});

	it('takes a secret out that was added later, and leaves nothing of a longer one', () => {
		const redactor = createRedactor('short');
		redactor.add('short-and-long');
		expect(redactor.redact('x short-and-long y short z')).toBe('x [redacted] y [redacted] z');
	});

	it('leaves text alone when a secret is empty', () => {
		expect(createRedactor('').redact('as it was')).toBe('as it was');
	});
});
