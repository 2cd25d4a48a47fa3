import {
	createVerifierCache,
	type SecretSource,
	verifyDelivery,
} from '../../../lib/receiver/verify';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';

const NOW = new Date('2026-01-01T00:00:00.700Z');
const TIMESTAMP = Math.floor(NOW.getTime() / 1000);
const BODY = Buffer.from('{"id":"whevt_1"}');
const UNREADABLE = { ok: false, reason: 'ledger_unavailable', detail: 'It is away.' } as const;
const MISMATCH = { ok: false, reason: 'signature_mismatch' };

const setUp = (more: Partial<SecretSource> = {}) => {
	let time = 0;
	const verifiers = createVerifierCache(() => time);
	const stored = { signingSecret: 'first', version: 'one', takesMs: 0, reads: 0 };
	const secrets: SecretSource = {
		key: 'node',
		read: async () => {
			stored.reads += 1;
			time += stored.takesMs;
			const { signingSecret, version } = stored;
			return { settings: { signingSecret }, version };
		},
		refusalOf: () => UNREADABLE,
		...more,
	};
	const deliver = async (signature: string | undefined) => {
		const headers = { 'x-webhook-signature': signature };
		return await verifyDelivery(verifiers, secrets, { headers, body: BODY, receivedAt: NOW }, 300);
	};
	return {
		stored,
		deliver,
		by: (secret: string, at = TIMESTAMP) => deliver(signTimestamped(secret, at, BODY)),
		advance: (ms: number) => {
			time += ms;
		},
	};
};

describe('the signature of a delivery', () => {
	it('is checked with the secrets that were read before', async () => {
		const { by, stored } = setUp();
		const signed = { ok: true, secret: 'current', timestamp: TIMESTAMP };
		expect([await by('first'), await by('first')]).toEqual([signed, signed]);
		expect(stored.reads).toBe(1);
	});

	it('that fits none of them is tried once more with secrets read afresh, once a second', async () => {
		const { by, advance, stored } = setUp();
		await by('first');
		stored.signingSecret = 'second';
		expect(await by('second')).toEqual(MISMATCH);
		advance(1_000);
		expect(await by('second')).toMatchObject({ ok: true });
		expect(await by('first')).toEqual(MISMATCH);
		expect(stored.reads).toBe(2);
	});

	it('that fits none of them may be due to a secret that was pasted with a space: the detail says so', async () => {
		const { by, stored } = setUp();
		stored.signingSecret = 'first ';
		const mismatch = await by('first');
		expect(mismatch).toEqual({
			...MISMATCH,
			detail:
				"'Signing Secret' starts or ends with white space or a quotation mark, or contains a line break or a tab. Secrets are used exactly as typed: remove any character that is not part of the secret.",
		});
		expect(await by('first ')).toEqual({ ok: true, secret: 'current', timestamp: TIMESTAMP });
		expect(await by('first ', TIMESTAMP - 301)).toEqual({
			ok: false,
			reason: 'timestamp_outside_tolerance',
			detail: {
				problem: "its timestamp is 301 seconds behind n8n's clock, and at most 300 are allowed",
			},
		});
	});

	it('that fits neither of two such secrets has a sentence for each', async () => {
		const settings = { signingSecret: 'first ', previousSigningSecret: ' old' };
		const { by } = setUp({ read: async () => ({ settings }) });
		expect(await by('first')).toMatchObject({
			detail: expect.stringMatching(
				/^'Signing Secret' starts .*\. 'Previous Signing Secret' starts .*\.$/,
			) as string,
		});
	});

	it('is not tried again when the secrets were read for it, however long that took', async () => {
		const { by, stored } = setUp();
		stored.takesMs = 5_000;
		expect(await by('another')).toEqual(MISMATCH);
		expect(stored.reads).toBe(1);
	});

	it.each([
		['missing', undefined, 'signature_missing'],
		['malformed', 'no signature', 'signature_malformed'],
		['too old', signTimestamped('first', TIMESTAMP - 301, BODY), 'timestamp_outside_tolerance'],
	])('that is %s would be so with any secrets', async (_name, signature, reason) => {
		const { by, deliver, advance, stored } = setUp();
		await by('first');
		advance(1_000);
		expect(await deliver(signature)).toMatchObject({ ok: false, reason });
		expect(stored.reads).toBe(1);
	});

	it('is tried with new secrets at once if the source reports that they have changed', async () => {
		const { by, stored } = setUp({ version: async () => 'two' });
		stored.signingSecret = '';
		expect(await by('second')).toEqual({
			ok: false,
			reason: 'not_configured',
			detail: "'Signing Secret' is empty. Paste the signing secret of the webhook endpoint.",
		});
		Object.assign(stored, { signingSecret: 'second', version: 'two' });
		expect(await by('second')).toMatchObject({ ok: true });
	});

	it('cannot be checked without a secret, and the source says what to do', async () => {
		const { by, stored } = setUp({ notConfigured: 'Publish again.' });
		stored.signingSecret = '';
		const refusal = { ok: false, reason: 'not_configured', detail: 'Publish again.' };
		expect(await by('')).toEqual(refusal);
	});

	it('is rejected with the reason of the source if it cannot be read', async () => {
		const away = () => Promise.reject(new Error('away'));
		expect(await setUp({ read: away }).by('first')).toEqual(UNREADABLE);
		const { by } = setUp({ version: away });
		expect(await by('first')).toMatchObject({ ok: true });
		expect(await by('second')).toEqual(UNREADABLE);
	});
});
