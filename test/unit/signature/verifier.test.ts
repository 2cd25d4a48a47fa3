import crypto from 'node:crypto';
import fc from 'fast-check';
import { createVerifier, type DeliveryHeaders, type SigningSettings } from '../../../lib/signature';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { BODY, judge, NOW, SECRET, verifierOf } from './world';

const OLD_SECRET = 'the secret of the old endpoint';
const BOTH: SigningSettings = { signingSecret: SECRET, previousSigningSecret: OLD_SECRET };
const OPTIONS = { nowSeconds: NOW, toleranceSeconds: 300 };
const MISMATCH = { ok: false, reason: 'signature_mismatch' };
const signedBy = (secret: string): DeliveryHeaders => ({
	'x-webhook-signature': signTimestamped(secret, NOW, BODY),
});

describe('during a rotation', () => {
	test('both secrets are accepted, and the result names the one that matched', () => {
		const accepted = { ok: true, timestamp: NOW };
		const byCurrent = judge({ settings: BOTH, headers: signedBy(SECRET) });
		const byPrevious = judge({ settings: BOTH, headers: signedBy(OLD_SECRET) });
		expect(byCurrent).toEqual({ ...accepted, secret: 'current' });
		expect(byPrevious).toEqual({ ...accepted, secret: 'previous' });
	});

	test('a header signed by both is named after the current one', () => {
		const digest = signTimestamped(OLD_SECRET, NOW, BODY).split(',')[1] ?? '';
		const value = signTimestamped(SECRET, NOW, BODY).replace(',', `,${digest},`);
		expect(judge({ settings: BOTH, headers: { 'x-webhook-signature': value } })).toMatchObject({
			secret: 'current',
		});
	});

	test('the same secret twice is the current one', () => {
		const settings = { signingSecret: SECRET, previousSigningSecret: SECRET };
		expect(judge({ settings, headers: signedBy(SECRET) })).toMatchObject({ secret: 'current' });
	});

	test('the old secret is refused once its field is empty', () => {
		for (const previousSigningSecret of ['', undefined, null]) {
			const settings = { signingSecret: SECRET, previousSigningSecret };
			expect(judge({ settings, headers: signedBy(OLD_SECRET) })).toEqual(MISMATCH);
		}
	});

	test('nothing is accepted that was signed with an empty or blank secret', () => {
		for (const blank of ['', ' ', '\n']) {
			const settings = { signingSecret: SECRET, previousSigningSecret: blank };
			expect(judge({ settings, headers: signedBy(blank) })).toEqual(MISMATCH);
		}
	});
});

describe('the time taken tells nothing: every secret is computed and every signature compared', () => {
	afterEach(() => {
		jest.restoreAllMocks();
	});

	test.each([
		['the current secret matches', SECRET],
		['the previous secret matches', OLD_SECRET],
		['none matches', 'another secret'],
	])('when %s', (_, secret) => {
		const verifier = verifierOf(BOTH);
		const [time, digest] = signTimestamped(secret, NOW, BODY).split(',');
		const value = `${time},${digest},v1=${'0'.repeat(64)},v1=${'1'.repeat(64)}`;
		const hmacs = jest.spyOn(crypto, 'createHmac');
		const comparisons = jest.spyOn(crypto, 'timingSafeEqual');
		verifier.verify({ 'x-webhook-signature': value }, BODY, OPTIONS);
		expect(hmacs).toHaveBeenCalledTimes(2);
		expect(comparisons).toHaveBeenCalledTimes(6);
	});
});

test('one verifier judges any number of deliveries, in any order', () => {
	const verifier = verifierOf(BOTH);
	for (let round = 0; round < 3; round += 1) {
		expect(verifier.verify(signedBy('another secret'), BODY, OPTIONS).ok).toBe(false);
		expect(verifier.verify(signedBy(SECRET), BODY, OPTIONS).ok).toBe(true);
	}
});

test('a body that is no bytes matches nothing', () => {
	const verifier = verifierOf(BOTH);
	const bodies: readonly unknown[] = [undefined, null, BODY.toString(), {}, [1]];
	for (const body of bodies) {
		expect(verifier.verify(signedBy(SECRET), body as Uint8Array, OPTIONS)).toEqual(MISMATCH);
	}
});

describe('the tolerance', () => {
	const headers = { 'x-webhook-signature': signTimestamped(SECRET, 1000, BODY) };
	const tolerant = (nowSeconds: number, toleranceSeconds = 300) =>
		judge({ headers, options: { nowSeconds, toleranceSeconds } }).ok;

	test('holds in both directions, its bounds included', () => {
		expect(tolerant(1300)).toBe(true);
		expect(tolerant(700)).toBe(true);
		expect(tolerant(1301)).toBe(false);
		expect(tolerant(699)).toBe(false);
		expect(tolerant(1300.001)).toBe(false);
	});

	test('of nothing accepts the very second', () => {
		expect(tolerant(1000, 0)).toBe(true);
		expect(tolerant(1001, 0)).toBe(false);
	});

	test('accepts nothing when the clock or the tolerance is no number', () => {
		expect(tolerant(Number.NaN)).toBe(false);
		expect(tolerant(1000, Number.NaN)).toBe(false);
		expect(tolerant(1000, -1)).toBe(false);
	});
});

describe('on any input', () => {
	const settings: SigningSettings[] = [
		BOTH,
		{ signingSecret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', scheme: 'standardWebhooks' },
		{ signingSecret: SECRET, scheme: 'custom', timestampHeader: 'webhook-timestamp' },
		{ ...BOTH, scheme: 'custom', signedPayload: '{body}', encoding: 'base64' },
	];
	const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
	const hex = digest.map((bytes) => bytes.toString('hex'));
	const base64 = digest.map((bytes) => bytes.toString('base64'));
	/** Well formed but signed with no secret, or nearly so: the deeper steps are reached. */
	const plausible = fc.oneof(
		hex.map((text) => `t=${NOW},v1=${text}`),
		base64.map((text) => `v1,${text}`),
		hex,
		base64,
		fc.constantFrom(String(NOW), 'msg_1'),
		fc
			.array(
				fc.oneof(
					fc.constantFrom('t=', 'v1=', 'v1,', ',', ' ', '=', String(NOW)),
					fc.string({ unit: 'binary', maxLength: 4 }),
					hex,
				),
				{ maxLength: 8 },
			)
			.map((pieces) => pieces.join('')),
	);
	const value = fc.oneof(
		{ weight: 6, arbitrary: plausible },
		{ weight: 2, arbitrary: fc.array(plausible, { maxLength: 2 }) },
		{
			weight: 1,
			arbitrary: fc.anything({ withNullPrototype: true, withTypedArray: true, withBigInt: true }),
		},
	);
	const headers = fc.oneof(
		{
			weight: 9,
			arbitrary: fc.record(
				{
					'x-webhook-signature': value,
					'webhook-id': value,
					'webhook-timestamp': value,
					'webhook-signature': value,
				},
				{ requiredKeys: [] },
			),
		},
		{ weight: 1, arbitrary: fc.anything({ withNullPrototype: true }) },
	);

	test('nothing is thrown and nothing is accepted that was not signed', () => {
		const verifiers = settings.map(verifierOf);
		let reached = 0;
		fc.assert(
			fc.property(
				headers,
				fc.uint8Array(),
				fc.double(),
				fc.double(),
				(anyHeaders, body, nowSeconds, toleranceSeconds) => {
					const options = { nowSeconds, toleranceSeconds };
					const results = verifiers.map((verifier) =>
						verifier.verify(anyHeaders as DeliveryHeaders, body, options),
					);
					expect(results.filter(({ ok }) => ok)).toEqual([]);
					reached += results.filter(
						(result) => !result.ok && result.reason === 'signature_mismatch',
					).length;
				},
			),
			{ numRuns: 2000 },
		);
		// Otherwise the values are too far from right ones to tell anything.
		expect(reached).toBeGreaterThan(300);
	});

	test('settings of any kind make a verifier or name their problems', () => {
		fc.assert(
			fc.property(
				fc.record(
					{
						signingSecret: fc.anything(),
						previousSigningSecret: fc.anything(),
						scheme: fc.oneof(
							fc.constantFrom('timestamped', 'standardWebhooks', 'custom'),
							fc.anything(),
						),
						signatureHeader: fc.anything(),
						algorithm: fc.anything(),
						encoding: fc.anything(),
						timestampHeader: fc.anything(),
						signedPayload: fc.anything(),
						signaturePrefix: fc.anything(),
					},
					{ requiredKeys: [] },
				),
				(anySettings) => {
					const made = createVerifier(anySettings);
					expect(made.ok || made.problems.length > 0).toBe(true);
				},
			),
			{ numRuns: 1000 },
		);
	});
});
