import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import type { DeliveryHeaders, SigningSettings } from '../../../lib/signature';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { judge } from './world';

/** The peers look at the real clock. */
const now = Math.floor(Date.now() / 1000);
const options = { nowSeconds: now, toleranceSeconds: 300 };
const OCTOKIT: SigningSettings = {
	scheme: 'custom',
	signatureHeader: 'X-Hub-Signature-256',
	signedPayload: '{body}',
	signaturePrefix: 'sha256=',
};

interface Question {
	/** One of those that `peers.mjs` answers. */
	ask: string;
	secret: string;
	body: string;
	[detail: string]: unknown;
}

/** All questions in one process, because its start takes longer than they do. */
function askPeers(questions: readonly Question[]): readonly unknown[] {
	const script = join(__dirname, 'peers.mjs');
	const reply = execFileSync(process.execPath, [script], { input: JSON.stringify(questions) });
	const answers: unknown = JSON.parse(reply.toString());
	if (!Array.isArray(answers) || answers.length !== questions.length) throw new Error('no answers');
	return answers;
}

const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
const secrets = fc
	.string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
	.filter((text) => text.trim() !== '');
const keys = fc
	.uint8Array({ minLength: 24, maxLength: 64 })
	.map((key) => `whsec_${Buffer.from(key).toString('base64')}`);

function judgeBody(
	settings: SigningSettings,
	headers: DeliveryHeaders,
	body: string,
): { ok: boolean } {
	return judge({ settings, headers, body: Buffer.from(body), options });
}

const standardHeaders = (signature: string) => ({
	'webhook-id': 'msg_1',
	'webhook-timestamp': String(now),
	'webhook-signature': signature,
});

function signStandard(secret: string, body: string): string {
	const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
	return `v1,${createHmac('sha256', key).update(`msg_1.${now}.${body}`).digest('base64')}`;
}

describe('stripe', () => {
	const { webhooks } = new Stripe('sk_test_unused');
	const { signature } = webhooks;
	if (signature === null) throw new Error('stripe came without its signature helper');

	test('what it signs is accepted here', () => {
		fc.assert(
			fc.property(secrets, texts, (secret, payload) => {
				const value = webhooks.generateTestHeaderString({ payload, secret, timestamp: now });
				const headers = { 'x-webhook-signature': value };
				expect(judgeBody({ signingSecret: secret }, headers, payload).ok).toBe(true);
			}),
		);
	});

	test('it accepts what is signed here, and agrees on what is not', () => {
		fc.assert(
			fc.property(secrets, texts, texts, (secret, body, other) => {
				const value = signTimestamped(secret, now, body);
				const accepts = (payload: string) => {
					try {
						return signature.verifyHeader(payload, value, secret, 300);
					} catch {
						return false;
					}
				};
				expect(accepts(body)).toBe(true);
				const headers = { 'x-webhook-signature': value };
				expect(judgeBody({ signingSecret: secret }, headers, other).ok).toBe(accepts(other));
			}),
		);
	});
});

describe('standardwebhooks', () => {
	test('what it signs is accepted here, and it accepts what is signed by the same rules', () => {
		fc.assert(
			fc.property(keys, texts, (secret, body) => {
				const peer = new StandardWebhook(secret);
				const value = peer.sign('msg_1', new Date(now * 1000), body);
				const settings = { scheme: 'standardWebhooks', signingSecret: secret };
				expect(judgeBody(settings, standardHeaders(value), body).ok).toBe(true);

				const headers = standardHeaders(signStandard(secret, body));
				expect(judgeBody(settings, headers, body).ok).toBe(true);
				expect(() => peer.verify(body, headers, { jsonParse: false })).not.toThrow();
			}),
		);
	});
});

describe.each([
	{
		...{ peer: 'svix', secrets: keys, settings: { scheme: 'standardWebhooks' } },
		...{ sign: signStandard, headersOf: standardHeaders },
	},
	{
		...{ peer: 'octokit', secrets, settings: OCTOKIT },
		sign: (secret: string, body: string) =>
			`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
		headersOf: (signature: string) => ({ 'x-hub-signature-256': signature }),
	},
] as const)('$peer', ({ peer, secrets, settings, sign, headersOf }) => {
	const cases = fc.sample(fc.tuple(secrets, texts), 50);
	const allTrue = cases.map(() => true);
	/** Whether the signature of each case is accepted here. */
	const accepted = (signatures: readonly unknown[]) =>
		cases.map(([signingSecret, body], n) => {
			const headers = headersOf(String(signatures[n]));
			return judgeBody({ ...settings, signingSecret }, headers, body).ok;
		});

	test('what it signs is accepted here', () => {
		const message = { id: 'msg_1', timestamp: now };
		const signed = askPeers(
			cases.map(([secret, body]) => ({ ask: `${peer}Sign`, secret, body, ...message })),
		);
		expect(accepted(signed)).toEqual(allTrue);
	});

	test('it accepts what is accepted here', () => {
		const signed = cases.map(([secret, body]) => {
			const signature = sign(secret, body);
			return { secret, body, signature, headers: headersOf(signature) };
		});
		expect(accepted(signed.map(({ signature }) => signature))).toEqual(allTrue);
		expect(askPeers(signed.map((it) => ({ ask: `${peer}Verify`, ...it })))).toEqual(allTrue);
	});
});
