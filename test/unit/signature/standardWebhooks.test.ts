import { createHmac } from 'node:crypto';
import type { DeliveryHeaders } from '../../../lib/signature';
import { flipBit, judge } from './world';

// The example of the Standard Webhooks libraries, which they all test against.
const KEY = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const TIME = 1_614_265_330;
const BODY = Buffer.from('{"test": 2432232314}');
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const HEADERS = {
	'webhook-id': ID,
	'webhook-timestamp': String(TIME),
	'webhook-signature': SIGNATURE,
};

type Changes = Record<string, string | readonly string[] | undefined>;

function judgeWith(changes: Changes = {}, body: Uint8Array = BODY, secret = KEY, now = TIME) {
	const headers: DeliveryHeaders = { ...HEADERS, ...changes };
	const settings = { scheme: 'standardWebhooks', signingSecret: secret };
	return judge({ settings, headers, body, options: { nowSeconds: now } });
}

const ACCEPTED = { ok: true, secret: 'current', timestamp: TIME, messageId: ID };
const refused = (reason: string) => ({ ok: false, reason });
const other = `v1,${Buffer.alloc(32).toString('base64')}`;

describe('a right signature is accepted', () => {
	test.each([KEY, `whsec_${KEY}`])('with the secret written as %s', (secret) => {
		expect(judgeWith({}, BODY, secret)).toEqual(ACCEPTED);
	});

	test.each([
		['after a wrong one', `${other} ${SIGNATURE}`],
		['before a wrong one', `${SIGNATURE} ${other}`],
		['next to an asymmetric one', `v1a,${'A'.repeat(86)}== ${SIGNATURE}`],
		['among ill-formed ones', `v1 v1, v1,AAAA ${SIGNATURE}A ${SIGNATURE}`],
		['with white space around it', `  ${SIGNATURE}  `],
		['without padding', SIGNATURE.slice(0, -1)],
	])('%s', (_, value) => {
		expect(judgeWith({ 'webhook-signature': value })).toEqual(ACCEPTED);
		expect(judgeWith({ 'webhook-signature': [value] })).toEqual(ACCEPTED);
	});

	test('whatever signature header the credential names, since this scheme fixes its own', () => {
		const settings = { scheme: 'standardWebhooks', signingSecret: KEY, signatureHeader: ':' };
		const options = { nowSeconds: TIME };
		expect(judge({ settings, headers: HEADERS, body: BODY, options })).toEqual(ACCEPTED);
	});
});

test('a delivery without the signature header is refused as missing it', () => {
	expect(judgeWith({ 'webhook-signature': undefined })).toEqual(refused('signature_missing'));
	expect(judgeWith({ 'webhook-signature': [] })).toEqual(refused('signature_missing'));
});

describe('a delivery is refused as malformed', () => {
	test.each<[string, Changes]>([
		['an empty signature header', { 'webhook-signature': '' }],
		['the signature header twice', { 'webhook-signature': [SIGNATURE, SIGNATURE] }],
		['an asymmetric signature only', { 'webhook-signature': `v1a,${SIGNATURE.slice(3)}` }],
		['a signature without its version', { 'webhook-signature': SIGNATURE.slice(3) }],
		['a truncated signature', { 'webhook-signature': SIGNATURE.slice(0, -2) }],
		['a second spelling of the signature', { 'webhook-signature': SIGNATURE.replace('E=', 'F=') }],
		['no id', { 'webhook-id': undefined }],
		['an empty id', { 'webhook-id': '' }],
		['the id twice', { 'webhook-id': [ID, ID] }],
		['an id with a full stop, which separates the signed parts', { 'webhook-id': 'msg.1' }],
		['an id with white space in it', { 'webhook-id': 'msg 1' }],
		['an id that is not ASCII', { 'webhook-id': 'msg_é' }],
		['no timestamp', { 'webhook-timestamp': undefined }],
		['the timestamp twice', { 'webhook-timestamp': [String(TIME), String(TIME)] }],
		['a timestamp of 13 digits', { 'webhook-timestamp': `${TIME}000` }],
		['a timestamp with a fraction', { 'webhook-timestamp': `${TIME}.0` }],
	])('with %s', (_, changes) => {
		expect(judgeWith(changes)).toEqual(refused('signature_malformed'));
	});
});

describe('a wrong signature is refused as a mismatch', () => {
	test.each<[string, Changes]>([
		['for another id', { 'webhook-id': `${ID}1` }],
		['for another time', { 'webhook-timestamp': String(TIME + 1) }],
		['for the time with a zero in front', { 'webhook-timestamp': `0${TIME}` }],
		['for another secret', { 'webhook-signature': other }],
	])('%s', (_, changes) => {
		expect(judgeWith(changes)).toEqual(refused('signature_mismatch'));
	});

	test('when the text of the secret was the key instead of what it decodes to', () => {
		const digest = createHmac('sha256', KEY).update(`${ID}.${TIME}.`).update(BODY);
		const value = `v1,${digest.digest('base64')}`;
		expect(judgeWith({ 'webhook-signature': value })).toEqual(refused('signature_mismatch'));
	});
});

test('the age is checked in both directions, bounds included', () => {
	for (const off of [-300, 300]) expect(judgeWith({}, BODY, KEY, TIME + off)).toEqual(ACCEPTED);
	for (const off of [-301, 301]) {
		expect(judgeWith({}, BODY, KEY, TIME + off)).toEqual(refused('timestamp_outside_tolerance'));
	}
});

test('one bit changed in any of the three headers is refused', () => {
	for (const [name, original] of Object.entries(HEADERS)) {
		const text = Buffer.from(original, 'latin1');
		for (let bit = 0; bit < text.length * 8; bit += 1) {
			const value = flipBit(text, bit).toString('latin1');
			expect({ value, ok: judgeWith({ [name]: value }).ok }).toEqual({ value, ok: false });
		}
	}
});
