import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import type { SigningSettings } from '../../../lib/signature';
import { BODY, flipBit, judge, NOW, SECRET } from './world';

/** As GitHub signs: hex of the body alone, with a prefix. */
const PREFIXED: SigningSettings = {
	scheme: 'custom',
	signatureHeader: 'X-Hub-Signature-256',
	signedPayload: '{body}',
	signaturePrefix: 'sha256=',
};
const hex = createHmac('sha256', SECRET).update(BODY).digest('hex');
const otherHex = '0'.repeat(64);

const judgeValue = (value: string | readonly string[], settings: SigningSettings = PREFIXED) =>
	judge({ settings, headers: { 'x-hub-signature-256': value } });

const ACCEPTED = { ok: true, secret: 'current', timestamp: null };
const refused = (reason: string) => ({ ok: false, reason });

describe('published examples of other services verify', () => {
	test.each([
		[
			'GitHub, "Validating webhook deliveries"',
			{},
			'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
		],
		[
			// printf 'Hello, World!' | openssl dgst -sha512 -hmac "It's a Secret to Everybody"
			'openssl, SHA-512',
			{ algorithm: 'sha512', signaturePrefix: '' },
			'11ed355a617e98134e842012a7944ccf59c10256cb182357bd7e3a42013ff07c376f8c14cf5cc1923da20b51d64256b2fb8ebbf100aa67a61326f61fea8111bc',
		],
	])('%s', (_, changes, value) => {
		const settings = { ...PREFIXED, signingSecret: "It's a Secret to Everybody", ...changes };
		const headers = { 'x-hub-signature-256': value };
		expect(judge({ settings, headers, body: Buffer.from('Hello, World!') })).toEqual(ACCEPTED);
	});

	test('Slack, "Verifying requests"', () => {
		const settings = {
			scheme: 'custom',
			signingSecret: '8f742231b10e8888abcd99yyyzzz85a5',
			signatureHeader: 'X-Slack-Signature',
			timestampHeader: 'X-Slack-Request-Timestamp',
			signedPayload: 'v0:{timestamp}:{body}',
			signaturePrefix: 'v0=',
		};
		const headers = {
			'x-slack-request-timestamp': '1531420618',
			'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
		};
		const body = Buffer.from(
			'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
		);
		const options = { nowSeconds: 1_531_420_618 };
		expect(judge({ settings, headers, body, options })).toEqual({
			...ACCEPTED,
			timestamp: 1_531_420_618,
		});
	});
});

describe('a right signature is accepted', () => {
	test.each([
		['by itself', `sha256=${hex}`],
		['in upper case', `sha256=${hex.toUpperCase()}`],
		['after a wrong one and a comma', `sha256=${otherHex},sha256=${hex}`],
		['after a wrong one and a space', `sha256=${otherHex} sha256=${hex}`],
		['before a wrong one', `sha256=${hex} , sha256=${otherHex}`],
		['among ill-formed ones', `,sha256=, sha256= sha256=${hex}0 sha1=ab ${hex} sha256=${hex}`],
	])('%s', (_, value) => {
		expect(judgeValue(value)).toEqual(ACCEPTED);
		expect(judgeValue([value])).toEqual(ACCEPTED);
	});

	test.each(['base64', 'base64url'] as const)('in %s, padded or not', (encoding) => {
		for (const algorithm of ['sha256', 'sha512'] as const) {
			const settings = { ...PREFIXED, algorithm, encoding: 'base64', signaturePrefix: '' };
			const value = createHmac(algorithm, SECRET).update(BODY).digest(encoding);
			const padding = algorithm === 'sha256' ? '=' : '==';
			const bare = value.replace(/=+$/, '');
			expect(judgeValue(bare, settings)).toEqual(ACCEPTED);
			expect(judgeValue(bare + padding, settings)).toEqual(ACCEPTED);
			expect(judgeValue(`${'A'.repeat(bare.length)} ${bare}`, settings)).toEqual(ACCEPTED);
		}
	});

	test.each([
		['{timestamp}/{timestamp}/{body}/{body}', (body: string) => `17/17/${body}/${body}`],
		['{"t":{timestamp},"b":{body}}', (body: string) => `{"t":17,"b":${body}}`],
		['}{ {timestamp}{body}!', (body: string) => `}{ 17${body}!`],
	])('over the template %s, in which braces around no name are text', (signedPayload, fill) => {
		const settings = { scheme: 'custom', timestampHeader: 'X-Time', signedPayload };
		for (const body of [BODY.toString(), '{timestamp}']) {
			const value = createHmac('sha256', SECRET).update(fill(body)).digest('hex');
			const headers = { 'x-webhook-signature': value, 'x-time': '17' };
			const options = { nowSeconds: 17 };
			expect(judge({ settings, headers, body: Buffer.from(body), options }).ok).toBe(true);
		}
	});

	test('behind a prefix with a separator in it, or with signs that mean something in a pattern', () => {
		for (const signaturePrefix of ['HMAC ', 'keyId=1, sig=', 'sig(.*)[$^|]\\+?{1}=', '"']) {
			const settings = { ...PREFIXED, signaturePrefix };
			expect(judgeValue(`${signaturePrefix}${hex}`, settings)).toEqual(ACCEPTED);
			expect(judgeValue(hex, settings)).toEqual(refused('signature_malformed'));
		}
	});

	test('with an age only when a timestamp header is set', () => {
		const value = createHmac('sha256', SECRET).update(`${NOW}.`).update(BODY).digest('hex');
		const settings = {
			...PREFIXED,
			signaturePrefix: '',
			timestampHeader: 'X-Time',
			signedPayload: '{timestamp}.{body}',
		};
		const headers = { 'x-hub-signature-256': value, 'x-time': String(NOW) };
		const at = (nowSeconds: number) => judge({ settings, headers, options: { nowSeconds } });
		expect(at(NOW)).toEqual({ ...ACCEPTED, timestamp: NOW });
		expect(at(NOW - 300)).toEqual({ ...ACCEPTED, timestamp: NOW });
		expect(at(NOW + 301)).toEqual(refused('timestamp_outside_tolerance'));
		expect(at(NOW - 301)).toEqual(refused('timestamp_outside_tolerance'));

		const ageless = { 'x-hub-signature-256': `sha256=${hex}` };
		const options = { nowSeconds: Number.MAX_SAFE_INTEGER };
		expect(judge({ settings: PREFIXED, headers: ageless, options })).toEqual(ACCEPTED);
	});
});

describe('a delivery is refused', () => {
	test('as missing its signature without the header', () => {
		expect(judge({ settings: PREFIXED, headers: {} })).toEqual(refused('signature_missing'));
	});

	test.each([
		['an empty header', ''],
		['the header twice', [`sha256=${hex}`, `sha256=${hex}`]],
		['a truncated signature', `sha256=${hex.slice(0, -1)}`],
		['no prefix', hex],
		['the prefix in another case', `SHA256=${hex}`],
		['something in front of the prefix', `xsha256=${hex}`],
		['white space behind the prefix', `sha256= ${hex}`],
		['another separator', `sha256=${hex};sha256=${hex}`],
	])('as malformed with %s', (_, value) => {
		expect(judgeValue(value)).toEqual(refused('signature_malformed'));
	});

	test.each([
		['sha256', 16],
		['sha512', 4],
	])('as malformed in another spelling of its Base64: %s', (algorithm, last) => {
		const settings = { ...PREFIXED, algorithm, encoding: 'base64', signaturePrefix: '' };
		const value = createHmac(algorithm, SECRET).update(BODY).digest('base64url');
		const reasons = Array.from(
			'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
			(letter) => judgeValue(value.slice(0, -1) + letter, settings),
		).map((judged) => (judged.ok ? 'ok' : judged.reason));
		expect(reasons.filter((reason) => reason === 'ok')).toHaveLength(1);
		expect(reasons.filter((reason) => reason === 'signature_mismatch')).toHaveLength(last - 1);
		for (const wrong of [value.slice(4), `${value}AAAA`, `${value}===`, `é${value.slice(1)}`]) {
			expect(judgeValue(wrong, settings)).toEqual(refused('signature_malformed'));
		}
	});

	test('as malformed with a timestamp that is missing, repeated or ill-formed', () => {
		const settings = { ...PREFIXED, timestampHeader: 'X-Time', signedPayload: '{timestamp}{body}' };
		for (const time of [undefined, '', 'now', '-1', `${NOW}000`, [String(NOW), String(NOW)]]) {
			const headers = { 'x-hub-signature-256': `sha256=${hex}`, 'x-time': time };
			expect(judge({ settings, headers })).toEqual(refused('signature_malformed'));
		}
	});

	test('as a mismatch with the signature of another algorithm', () => {
		const sha512 = createHmac('sha512', SECRET).update(BODY).digest('hex');
		expect(judgeValue(`sha256=${sha512}`)).toEqual(refused('signature_malformed'));
		expect(judgeValue(`sha256=${sha512.slice(0, 64)}`)).toEqual(refused('signature_mismatch'));
	});
});

describe('for any delivery', () => {
	const anySettings = fc.record({
		algorithm: fc.constantFrom('sha256' as const, 'sha512' as const),
		encoding: fc.constantFrom('hex' as const, 'base64' as const),
		timed: fc.boolean(),
		before: fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[{}]/g, '')),
		after: fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[{}]/g, '')),
		prefix: fc.string().filter((text) => !/^[\s,]/.test(text)),
	});

	test('what was signed as the settings say is accepted, and one changed bit is refused', () => {
		fc.assert(
			fc.property(
				anySettings,
				fc.uint8Array({ minLength: 1, maxLength: 200 }),
				fc.nat(),
				({ algorithm, encoding, timed, before, after, prefix }, body, nat) => {
					const settings = {
						scheme: 'custom',
						algorithm,
						encoding,
						signaturePrefix: prefix,
						signedPayload: `${timed ? '{timestamp}' : ''}${before}{body}${after}`,
						timestampHeader: timed ? 'X-Time' : '',
					};
					const digest = createHmac(algorithm, SECRET)
						.update(timed ? String(NOW) : '')
						.update(before)
						.update(body)
						.update(after)
						.digest();
					const headersFor = (bytes: Buffer) => ({
						'x-webhook-signature': `${prefix}${bytes.toString(encoding)}`,
						'x-time': String(NOW),
					});
					const timestamp = timed ? NOW : null;
					expect(judge({ settings, headers: headersFor(digest), body })).toEqual({
						...ACCEPTED,
						timestamp,
					});

					const otherBody = flipBit(body, nat % (body.length * 8));
					const otherDigest = flipBit(digest, nat % (digest.length * 8));
					expect(judge({ settings, headers: headersFor(digest), body: otherBody })).toEqual(
						refused('signature_mismatch'),
					);
					expect(judge({ settings, headers: headersFor(otherDigest), body })).toEqual(
						refused('signature_mismatch'),
					);
				},
			),
		);
	});
});
