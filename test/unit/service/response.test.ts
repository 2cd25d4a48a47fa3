import fc from 'fast-check';
import { Redactor } from '../../../lib/service/response';

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
		const redacted = new Redactor(SECRET).redact(`before ${text} after`);
		expect(redacted).toContain('[redacted]');
		expect(redacted).toMatch(/^before .* after$/);
		expect(redacted).not.toContain('b+c');
		expect(redacted).not.toContain('%2Bc');
		expect(redacted).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 8));
	});

	it('takes a secret out that was added later, and leaves nothing of a longer one', () => {
		const redactor = new Redactor('short');
		redactor.add('short-and-long');
		expect(redactor.redact('x short-and-long y short z')).toBe('x [redacted] y [redacted] z');
	});

	it('takes each secret apart once, however often it is added and looked for', () => {
		const token = 'a token of some length';
		const takenApart = jest.spyOn(Buffer, 'from');
		const redactor = new Redactor(SECRET);
		for (let request = 0; request < 50; request++) {
			redactor.add(token);
			expect(redactor.redact(`no ${token}!`)).toBe('no [redacted]!');
		}
		const secrets = takenApart.mock.calls.map(([text]: unknown[]) => text);
		takenApart.mockRestore();
		expect(secrets).toEqual([SECRET, token]);
	});

	it('does not change text if a secret is empty', () => {
		expect(new Redactor('').redact('as it was')).toBe('as it was');
	});

	describe('of part of a long secret', () => {
		const LONG = 'Xk3_vQ9-mZ7pL2wR8tY5uB1nC4';
		const redact = (text: string, secret = LONG) => new Redactor(secret).redact(text);

		it.each([
			['its beginning', LONG.slice(0, 12)],
			['its end', LONG.slice(-12)],
			['its middle', LONG.slice(5, 18)],
			['it in capitals', LONG.toUpperCase()],
			['it in small letters', LONG.toLowerCase()],
			['its beginning in capitals', LONG.slice(0, 15).toUpperCase()],
			['it in hex', Buffer.from(LONG).toString('hex')],
			['it in capital hex', Buffer.from(LONG).toString('hex').toUpperCase()],
			['the beginning of its Base64', Buffer.from(LONG).toString('base64').slice(0, 14)],
		])('takes %s out', (_name, part) => {
			expect(redact(`"${part}…" is wrong, ${part}`)).toBe('"[redacted]…" is wrong, [redacted]');
		});

		it('leaves less than 12 characters of it, which may be a word', () => {
			const word = LONG.slice(3, 14);
			expect(redact(`a ${word} b`)).toBe(`a ${word} b`);
		});

		it('takes a short secret out as a whole, in any case', () => {
			expect(redact('a Pass-1 b PASS-1 c pass-', 'pass-1')).toBe(
				'a [redacted] b [redacted] c pass-',
			);
		});

		it('is not misled by letters whose small form is longer', () => {
			expect(redact(`İİİ ${LONG} b`)).toBe('İİİ [redacted] b');
		});

		it('takes out what two secrets cover together as one', () => {
			const redactor = new Redactor('aaaabbbbccccdddd');
			redactor.add('ccccddddeeeeffff');
			expect(redactor.redact('x aaaabbbbccccddddeeeeffff y')).toBe('x [redacted] y');
		});

		it('reads a long text in one go', () => {
			const text = `${'lorem ipsum '.repeat(200_000)}${LONG.slice(2, 20)}`;
			const redacted = redact(text);
			expect(redacted.endsWith('ipsum [redacted]')).toBe(true);
			expect(redacted).toHaveLength(2_400_000 + '[redacted]'.length);
		});

		it('agrees with a search by hand on generated texts', () => {
			const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'A'), maxLength: 60 });
			const secrets = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 12, maxLength: 16 });
			fc.assert(
				fc.property(texts, secrets, (text, secret) => {
					const lower = text.toLowerCase();
					const covered = Array<boolean>(text.length).fill(false);
					for (let at = 0; at + 12 <= text.length; at += 1) {
						if (secret.includes(lower.slice(at, at + 12))) covered.fill(true, at, at + 12);
					}
					const kept = covered.map((isCovered, at) => (isCovered ? '*' : text.charAt(at))).join('');
					expect(redact(text, secret)).toBe(kept.replace(/\*+/g, '[redacted]'));
				}),
			);
		});
	});

	describe('of a name', () => {
		const redact = (text: string, name: string) => new Redactor('', { name }).redact(text);
		const LONG = 'Xk3_vQ9-mZ7pL2wR8tY5uB1nC4';

		it.each([
			['as it is', `x ${LONG} y`, 'x [redacted] y'],
			['in another case', LONG.toUpperCase(), '[redacted]'],
			['inside of other text', `a${LONG}b`, 'a[redacted]b'],
			['in a URL', `https://example.com/${LONG}?x`, 'https://example.com/[redacted]?x'],
			['in Base64', `x ${Buffer.from(LONG).toString('base64')} y`, 'x [redacted] y'],
		])('takes it out %s', (_where, text, redacted) => {
			expect(redact(text, LONG)).toBe(redacted);
		});

		it('leaves a part of a long one', () => {
			expect(redact('no asset-management here', 'asset-management-reader')).toBe(
				'no asset-management here',
			);
		});

		it.each([
			['no client "api" here', 'no client "[redacted]" here'],
			['{"client_id":"API"}', '{"client_id":"[redacted]"}'],
			['client_id=api&x=1', 'client_id=[redacted]&x=1'],
			['unknown client api.', 'unknown client [redacted].'],
		])('takes a short one out where it is a word of its own: %s', (text, redacted) => {
			expect(redact(text, 'api')).toBe(redacted);
		});

		it.each([
			'https://api.example.com/api/v1',
			'rapid capital apis',
			'api-clients and api_client',
			'me@api',
		])('leaves a short one inside of words and URLs: %s', (text) => {
			expect(redact(text, 'api')).toBe(text);
		});

		it('does not change text if it is empty, and takes signs as they are', () => {
			expect([redact('as it was', ''), redact('as it was', ' ')]).toEqual([
				'as it was',
				'as it was',
			]);
			expect(redact('a.c abc (a.c)', 'a.c')).toBe('[redacted] abc ([redacted])');
		});
	});
});
