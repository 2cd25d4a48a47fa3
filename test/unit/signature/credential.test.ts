import fc from 'fast-check';
import { checkSigningSettings, createVerifier, type SigningSettings } from '../../../lib/signature';

const SECRET = 'a signing secret';
const KEY = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** A setting that stops every delivery: the verifier is not made, and the credential test says the same. */
function expectBlocked(settings: SigningSettings, ...words: string[]): void {
	const made = createVerifier(settings);
	expect(made).toMatchObject({ ok: false });
	const problems = made.ok ? [] : made.problems;
	expect(checkSigningSettings(settings)).toEqual(expect.arrayContaining([...problems]));
	for (const word of words) expect(problems.join(' ')).toContain(word);
}

/** A setting that looks like a mistake: the credential test complains, deliveries are verified. */
function expectRemark(settings: SigningSettings, ...words: string[]): void {
	expect(createVerifier(settings)).toMatchObject({ ok: true });
	const problems = checkSigningSettings(settings);
	expect(problems).toHaveLength(1);
	for (const word of words) expect(problems.join(' ')).toContain(word);
}

function expectFine(settings: SigningSettings): void {
	expect(checkSigningSettings(settings)).toEqual([]);
	expect(createVerifier(settings)).toMatchObject({ ok: true });
}

describe('settings in order', () => {
	test.each<[string, SigningSettings]>([
		['only a secret', { signingSecret: SECRET }],
		['an empty previous secret', { signingSecret: SECRET, previousSigningSecret: '' }],
		['two secrets', { signingSecret: SECRET, previousSigningSecret: 'the old signing secret' }],
		['a secret of several words', { signingSecret: 'more  than  two words' }],
		['Standard Webhooks', { signingSecret: `whsec_${KEY}`, scheme: 'standardWebhooks' }],
		[
			'a custom scheme without a timestamp',
			{ signingSecret: SECRET, scheme: 'custom', signedPayload: '{body}', timestampHeader: '' },
		],
		[
			'a custom scheme with a timestamp and the default template',
			{ signingSecret: SECRET, scheme: 'custom', timestampHeader: 'X-Time' },
		],
	])('%s', (_, settings) => {
		expectFine(settings);
	});

	test('fields that were stored empty, as those that were never stored', () => {
		const unset = { scheme: null, signatureHeader: null, algorithm: null, encoding: null };
		expectFine({ signingSecret: SECRET, ...unset });
		expectFine({
			signingSecret: SECRET,
			...unset,
			scheme: 'custom',
			timestampHeader: 'X-Time',
			signedPayload: null,
			signaturePrefix: null,
		});
	});

	test('what another scheme would need is not looked at', () => {
		const unused = { signedPayload: 'nothing', algorithm: 'md5', timestampHeader: 'a b' };
		expectFine({ signingSecret: SECRET, ...unused });
		expectFine({
			signingSecret: KEY,
			scheme: 'standardWebhooks',
			...unused,
			signatureHeader: '',
		});
	});
});

describe('no delivery can be verified', () => {
	test.each([undefined, null, ''])('without a secret (%j), whatever the previous one', (empty) => {
		for (const scheme of ['timestamped', 'standardWebhooks', 'custom']) {
			expectBlocked(
				{ signingSecret: empty, previousSigningSecret: KEY, scheme },
				"'Signing Secret' is empty",
			);
		}
	});

	test('with a secret of white space alone, which anyone could guess', () => {
		expectBlocked({ signingSecret: ' \n' }, 'Signing Secret', 'white space');
	});

	test('with a secret that is no text', () => {
		expectBlocked({ signingSecret: 5 }, "'Signing Secret' is not text");
	});

	test.each([
		...['whsec_', 'no base64!', 'whpk_MfKQ9r8G', ` ${KEY}`, `${KEY}\n`, 'A', 'AA=A', '='],
		...['AAAAA', 'AA=', 'AAA==', 'AA AA', 'AA_A', 'AA-A', 'AAAA\n', 'ÄAAA'],
	])('with a Standard Webhooks secret that does not decode: %j', (signingSecret) => {
		const settings = { signingSecret, previousSigningSecret: KEY, scheme: 'standardWebhooks' };
		expectBlocked(settings, "'Signing Secret' is not a Standard Webhooks secret");
	});

	test('with a scheme, an algorithm or an encoding that is not known', () => {
		expectBlocked(
			{ signingSecret: SECRET, scheme: 'Timestamped' },
			"'Scheme' must be one of timestamped, standardWebhooks, custom.",
		);
		const custom = { signingSecret: SECRET, scheme: 'custom', signedPayload: '{body}' };
		expectBlocked({ ...custom, algorithm: 'md5' }, 'Algorithm', 'sha512');
		expectBlocked({ ...custom, encoding: 'utf8' }, 'Encoding', 'base64');
	});

	test.each(['', 'X Signature', 'X-Signature:', ' X-Signature', 'X-Sïgnature', 7])(
		'with a signature header that is none: %j',
		(signatureHeader) => {
			expectBlocked({ signingSecret: SECRET, signatureHeader }, 'Signature Header');
			const custom = { scheme: 'custom', signedPayload: '{body}' };
			expectBlocked({ signingSecret: SECRET, signatureHeader, ...custom }, 'Signature Header');
		},
	);

	test.each<[string, SigningSettings, string]>([
		['a template without the body', { signedPayload: '{timestamp}' }, 'Signed Payload'],
		['an empty template', { signedPayload: '' }, 'Signed Payload'],
		['a template that is no text', { signedPayload: 1 }, 'Signed Payload'],
		['a template with an unknown name', { signedPayload: '{id}.{body}' }, '{id}'],
		['another case of a name', { signedPayload: '{Body}.{body}' }, 'contains {Body}, which'],
		['spaces in a name', { signedPayload: '{ timestamp }.{body}' }, 'contains { timestamp }'],
		['no name in braces', { signedPayload: '{}.{body}' }, 'contains {}, which is unknown'],
		['an unclosed name', { signedPayload: '{timestamp}.body}' }, 'does not contain {body}'],
		['a timestamp in the template but in no header', { timestampHeader: '' }, 'Timestamp Header'],
		['a timestamp header that is none', { timestampHeader: 'a b' }, 'Timestamp Header'],
		['one header for both', { timestampHeader: 'x-webhook-SIGNATURE' }, 'Timestamp Header'],
		['a prefix that begins with a space', { signaturePrefix: ' sha256=' }, 'Signature Prefix'],
		['a prefix that begins with a comma', { signaturePrefix: ',' }, 'Signature Prefix'],
		['a prefix that is no text', { signaturePrefix: 1 }, 'Signature Prefix'],
	])('with a custom scheme that has %s', (_, changes, words) => {
		expectBlocked(
			{ signingSecret: SECRET, scheme: 'custom', timestampHeader: 'X-Time', ...changes },
			words,
		);
	});
});

describe('the credential test complains, and deliveries are verified, with', () => {
	test.each([
		...[` ${SECRET}`, `${SECRET} `, `${SECRET}\n`, `${SECRET}\nb`, `${SECRET}\tb`],
		...[`"${SECRET}"`, `${SECRET}'`, `\u201c${SECRET}`, ` \`${SECRET}`],
	])('stray white space or a quotation mark in a secret: %j', (text) => {
		const WORDS = 'starts or ends with white space or a quotation mark';
		expectRemark({ signingSecret: text }, 'Signing Secret', WORDS);
		expectRemark(
			{ signingSecret: SECRET, previousSigningSecret: text },
			'Previous Signing Secret',
			WORDS,
		);
	});

	test.each([`${SECRET} a"b`, `${SECRET} it's`])('nothing in the secret %j', (signingSecret) => {
		expect(checkSigningSettings({ signingSecret })).toEqual([]);
		expect(createVerifier({ signingSecret })).toMatchObject({ ok: true, doubts: [] });
	});

	test.each([
		['timestamped', 'x', 'x'.repeat(16)],
		['timestamped', 'x'.repeat(15), '\u00e4'.repeat(8)],
		['standardWebhooks', `whsec_${btoa('x'.repeat(15))}`, `whsec_${btoa('x'.repeat(16))}`],
	])('a secret of fewer than 128 bits (%s): %j, but not %j', (scheme, short, long) => {
		const words = 'has fewer than 16 bytes';
		expectRemark({ scheme, signingSecret: short }, "'Signing Secret'", words);
		const settings = { scheme, signingSecret: long };
		expectRemark({ ...settings, previousSigningSecret: short }, "'Previous Signing Secret'", words);
		expectFine(settings);
	});

	test('the same secret twice', () => {
		expectRemark(
			{ signingSecret: SECRET, previousSigningSecret: SECRET },
			'Previous Signing Secret',
			'same',
		);
		expectRemark(
			{
				signingSecret: KEY,
				previousSigningSecret: `whsec_${KEY}`,
				scheme: 'standardWebhooks',
			},
			'Previous Signing Secret',
			'same',
		);
	});

	test('a previous secret that cannot be used, which counts as not configured', () => {
		expectRemark({ signingSecret: SECRET, previousSigningSecret: 5 }, 'Previous Signing Secret');
		expectRemark({ signingSecret: SECRET, previousSigningSecret: ' ' }, 'Previous Signing Secret');
		expectRemark(
			{ signingSecret: KEY, previousSigningSecret: '!', scheme: 'standardWebhooks' },
			"'Previous Signing Secret' is not a Standard Webhooks secret",
		);
	});

	test('a timestamp that is not signed', () => {
		expectRemark(
			{
				signingSecret: SECRET,
				scheme: 'custom',
				timestampHeader: 'X-Time',
				signedPayload: '{body}',
			},
			"'Signed Payload' does not contain {timestamp}",
		);
	});
});

test('a wrong field is reported once', () => {
	const told = (settings: SigningSettings) =>
		checkSigningSettings({ signingSecret: SECRET, ...settings });
	expect(told({ signatureHeader: '' })).toEqual([
		"'Signature Header' is empty. Enter the name of the header, such as X-Webhook-Signature.",
	]);
	expect(
		told({ scheme: 'custom', timestampHeader: 'T', signedPayload: '{id}{id}{body}{timestamp}' }),
	).toEqual(["'Signed Payload' contains {id}, which is unknown. Use only {timestamp} and {body}."]);
	expect(told({ scheme: 'custom', timestampHeader: 7 })).toEqual([
		"'Timestamp Header' is not text. Enter it again.",
	]);
});

test('every problem is reported at once', () => {
	const problems = checkSigningSettings({
		signingSecret: '',
		previousSigningSecret: ' the old signing secret',
		scheme: 'custom',
		signatureHeader: '',
		algorithm: 'md5',
		signedPayload: '{id}',
	});
	expect(problems).toHaveLength(6);
});

test('no problem repeats a secret', () => {
	const secret = fc.string({ minLength: 12, unit: 'grapheme' });
	fc.assert(
		fc.property(
			secret,
			secret,
			fc.constantFrom('timestamped', 'standardWebhooks', 'custom'),
			(signingSecret, previousSigningSecret, scheme) => {
				const told = checkSigningSettings({ signingSecret, previousSigningSecret, scheme }).join();
				expect(told).not.toContain(signingSecret);
				expect(told).not.toContain(previousSigningSecret);
			},
		),
	);
});
