/**
 * Cost of verifying one delivery, compared with the minimum (one HMAC and one comparison)
 * and with similar packages: `npx tsx scripts/bench/signature.bench.ts`.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { Bench } from 'tinybench';
import { createVerifier, type SigningSettings } from '../../lib/signature';
import { signTimestamped } from '../../simulator/delivery/signedDelivery';
import { median } from './median';

/** Many short rounds, compared by median, so other work on the machine affects all contenders alike. */
const ROUNDS = 15;
const ROUND_MS = 60;
/** Calls per sample: a single call is too short to measure. */
const CALLS = 50;

const BODIES = { 'event, 0.5 kB': 300, 'event, 16 kB': 15_800 };

interface Contender {
	readonly name: string;
	/** Throws unless the delivery is verified. */
	readonly verify: () => void;
}

function contenders(body: Buffer): Contender[] {
	const key = randomBytes(32).toString('base64');
	const secret = `whsec_${key}`;
	const seconds = Math.floor(Date.now() / 1000);
	const timestamp = String(seconds);

	const header = signTimestamped(secret, timestamp, body);
	const expected = Buffer.from(header.slice(-64), 'hex');
	const standardHeaders = {
		'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
		'webhook-timestamp': timestamp,
		'webhook-signature': new StandardWebhook(secret).sign(
			'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
			new Date(seconds * 1000),
			body,
		),
	};
	const stripe = new Stripe('sk_test_unused').webhooks.signature;
	if (stripe === null) throw new Error('stripe came without its signature helper');
	const standardwebhooks = new StandardWebhook(secret);
	const svix = new SvixWebhook(secret);

	return [
		{
			name: 'bare HMAC and comparison',
			verify: () => {
				const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
				if (!timingSafeEqual(digest, expected)) throw new Error('not verified');
			},
		},
		{
			name: 'this package, timestamped',
			verify: ours({ signingSecret: secret }, { 'x-webhook-signature': [header] }, body),
		},
		{
			name: 'this package, Standard Webhooks',
			verify: ours({ signingSecret: secret, scheme: 'standardWebhooks' }, standardHeaders, body),
		},
		{
			name: 'stripe',
			verify: () => {
				stripe.verifyHeader(body, header, secret, 300);
			},
		},
		{
			name: 'standardwebhooks',
			verify: () => {
				standardwebhooks.verify(body, standardHeaders, { jsonParse: false });
			},
		},
		{
			name: 'svix',
			verify: () => {
				svix.verify(body, standardHeaders);
			},
		},
	];
}

/** The check that the webhook trigger does for a delivery, with a verifier created beforehand. */
function ours(
	settings: SigningSettings,
	headers: Record<string, string | string[]>,
	body: Buffer,
): () => void {
	const made = createVerifier(settings);
	if (!made.ok) throw new Error(made.problems.join(' '));
	const { verifier } = made;
	const options = { nowSeconds: Math.floor(Date.now() / 1000), toleranceSeconds: 300 };
	return () => {
		const result = verifier.verify(headers, body, options);
		if (!result.ok) throw new Error(result.reason);
	};
}

function eventOfAbout(payloadBytes: number): Buffer {
	const event = {
		id: 'whevt_01JZ8Q5W6N3V',
		type: 'ocpp.message',
		createdAt: '2026-01-02T03:04:05.678Z',
		data: {
			asset: { id: 'ast_Zürich-Hauptbahnhof' },
			messageId: '7c2f',
			protocol: 'ocpp1.6',
			payload: 'x'.repeat(payloadBytes),
		},
	};
	return Buffer.from(JSON.stringify(event));
}

async function compare(all: readonly Contender[]): Promise<void> {
	const micros = new Map(all.map(({ name }) => [name, [] as number[]]));
	for (let round = 0; round < ROUNDS; round += 1) {
		const bench = new Bench({ time: ROUND_MS, warmupTime: round === 0 ? 300 : 20, throws: true });
		for (const { name, verify } of all) {
			bench.add(name, () => {
				for (let call = 0; call < CALLS; call += 1) verify();
			});
		}
		await bench.run();
		for (const { name, result } of bench.tasks) {
			micros.get(name)?.push(((result?.latency.p50 ?? Number.NaN) * 1000) / CALLS);
		}
	}
	const [bare = []] = micros.values();
	console.table(
		Object.fromEntries(
			[...micros].map(([name, rounds]) => [
				name,
				{
					'µs per delivery': median(rounds).toFixed(2),
					// Within a round, so that a slow round affects both sides.
					'times bare': median(
						rounds.map((value, round) => value / (bare[round] ?? Number.NaN)),
					).toFixed(2),
				},
			]),
		),
	);
}

async function main(): Promise<void> {
	console.log(`Node ${process.version}, ${process.platform} ${process.arch}`);
	for (const [name, payloadBytes] of Object.entries(BODIES)) {
		const body = eventOfAbout(payloadBytes);
		const all = contenders(body);
		for (const { verify } of all) verify();
		console.log(`\n${name} (${body.length} bytes)`);
		await compare(all);
	}
}

void main();
