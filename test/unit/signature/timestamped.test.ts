import type { DeliveryHeaders } from '../../../lib/signature';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { BODY, flipBit, judge, NOW, SECRET } from './world';

const headersOf = (value: string | readonly string[]): DeliveryHeaders => ({
	'x-webhook-signature': value,
});
const signed = signTimestamped(SECRET, NOW, BODY);
const [t = '', v1 = ''] = signed.split(',');
const otherV1 = `v1=${'0'.repeat(64)}`;

const ACCEPTED = { ok: true, secret: 'current', timestamp: NOW };
const refused = (reason: string) => ({ ok: false, reason });

describe('a right signature is accepted', () => {
	test.each([
		['as the service sends it', signed],
		['in the only entry of an array', [signed]],
		['in upper case', `${t},v1=${v1.slice(3).toUpperCase()}`],
		['with white space around the entries', `  ${t} ,\t${v1}  `],
		['with the entries in another order', `${v1},${t}`],
		['next to other keys', `v0=abc,${t},x,=,v2=${'0'.repeat(64)},T=1,V1=2,${v1},`],
		['after a wrong one', `${t},${otherV1},${v1}`],
		['before a wrong one', `${t},${v1},${otherV1}`],
		['among ill-formed ones', `${t},v1=,v1=${'g'.repeat(64)},${v1}00,${v1.slice(0, -1)},${v1}`],
	])('%s', (_, value) => {
		expect(judge({ headers: headersOf(value) })).toEqual(ACCEPTED);
	});

	test('in the header that the credential names, in whatever case', () => {
		const settings = { signatureHeader: 'X-Charger-Signature' };
		expect(judge({ settings, headers: { 'x-charger-signature': signed } })).toEqual(ACCEPTED);
		expect(judge({ settings, headers: headersOf(signed) })).toEqual(refused('signature_missing'));
	});

	test('with the timestamp signed as the text received, leading zeros included', () => {
		const value = signTimestamped(SECRET, `00${NOW}`, BODY);
		expect(judge({ headers: headersOf(value) })).toEqual(ACCEPTED);
		const stripped = value.replace('t=00', 't=');
		expect(judge({ headers: headersOf(stripped) })).toEqual(refused('signature_mismatch'));
	});

	test('over a body that is no text, and over an empty one', () => {
		for (const body of [Buffer.from([0xff, 0xfe, 0x00, 0x80]), Buffer.alloc(0)]) {
			const headers = headersOf(signTimestamped(SECRET, NOW, body));
			expect(judge({ headers, body })).toEqual(ACCEPTED);
		}
	});
});

describe('a delivery is refused as missing its signature', () => {
	test.each([
		['without the header', {}],
		['with no occurrence of it', { 'x-webhook-signature': [] }],
		['with a header of another name', { 'webhook-signature': signed }],
	])('%s', (_, headers) => {
		expect(judge({ headers })).toEqual(refused('signature_missing'));
	});
});

describe('a delivery is refused as malformed', () => {
	test.each([
		['an empty header', ''],
		['the header twice', [signed, signed]],
		['no timestamp', v1],
		['an empty timestamp', `t=,${v1}`],
		['the timestamp twice', `${t},${t},${v1}`],
		['two timestamps', `${t},t=1,${v1}`],
		['a good and an ill-formed timestamp', `${t},t=,${v1}`],
		['headers joined by a proxy', `${signed}, ${signed}`],
		['a timestamp of 13 digits', `t=${NOW}000,${v1}`],
		['a timestamp with a sign', `t=-${NOW},${v1}`],
		['a timestamp with white space in it', `t= ${NOW},${v1}`],
		['a timestamp with a plus', `t=+${NOW},${v1}`],
		['a timestamp with a fraction', `t=${NOW}.5,${v1}`],
		['a timestamp with an exponent', `t=17e8,${v1}`],
		['a hexadecimal timestamp', `t=0x10,${v1}`],
		['a timestamp in digits of another script', `t=١٧٠٠٠٠٠٠٠٠,${v1}`],
		['no signature', t],
		['an empty signature', `${t},v1=`],
		['a truncated signature', `${t},${v1.slice(0, -1)}`],
		['a signature truncated by a byte', `${t},${v1.slice(0, -2)}`],
		['a signature that is too long', `${t},${v1}00`],
		['a signature that is not hex', `${t},${v1.slice(0, -1)}g`],
		// Its low byte is that of the digit 0.
		['a letter that looks like hex to a decoder', `${t},${v1.slice(0, -1)}\u0130`],
		['a signature of another version only', `${t},v0=${v1.slice(3)}`],
		['another separator', `${t};${v1}`],
	])('with %s', (_, value) => {
		expect(judge({ headers: headersOf(value) })).toEqual(refused('signature_malformed'));
	});
});

describe('a wrong signature is refused as a mismatch', () => {
	test.each([
		['for another secret', signTimestamped('another secret', NOW, BODY)],
		['for another body', signTimestamped(SECRET, NOW, '{"id":"whevt_2"}')],
		['for another time', `t=${NOW + 1},${v1}`],
		['for only the body', signed.replace(v1, otherV1)],
	])('%s', (_, value) => {
		expect(judge({ headers: headersOf(value) })).toEqual(refused('signature_mismatch'));
	});

	test('whatever its timestamp, so that a forger learns nothing of the clock', () => {
		const forged = signTimestamped('another secret', NOW - 100_000, BODY);
		expect(judge({ headers: headersOf(forged) })).toEqual(refused('signature_mismatch'));
	});
});

test('every bit changed in the header is refused, but for the case of a hex digit', () => {
	const text = Buffer.from(signed, 'latin1');
	for (let bit = 0; bit < text.length * 8; bit += 1) {
		const value = flipBit(text, bit).toString('latin1');
		const { ok } = judge({ headers: headersOf(value) });
		const isCaseOnly = value.toLowerCase() === signed && Math.floor(bit / 8) >= t.length + 4;
		expect({ value, ok }).toEqual({ value, ok: isCaseOnly });
	}
});
