/** The three schemes, compared with an oracle that implements the same rules in the simplest way, with digests by `node:crypto`. */
import { strictEqual } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { createVerifier, type SigningSettings } from '../../lib/signature';
import { counter, type Target } from './target';

const NOW = 1_767_225_600;
export const TOLERANCE = 300;

type Headers = Readonly<Record<string, string | string[]>>;

interface Delivery {
	readonly headers: Headers;
	readonly body: Buffer;
}

interface Scheme {
	readonly name: string;
	readonly settings: SigningSettings;
	/** The headers of an honest sender. */
	readonly sign: (key: string, timestamp: string, body: Buffer) => Headers;
	/** Whether the rules accept the delivery. */
	readonly accepts: (delivery: Delivery) => boolean;
}

export const CURRENT = 'a signing secret';
const PREVIOUS = 'the one before';
const KEYS = [CURRENT, PREVIOUS];
export const STRANGER = 'nobody’s secret';

const hmac = (key: string | Buffer, algorithm: string, ...parts: (string | Buffer)[]): Buffer => {
	const digest = createHmac(algorithm, key);
	for (const part of parts) digest.update(part);
	return digest.digest();
};
const one = (value: string | string[] | undefined): string | undefined =>
	typeof value === 'string' ? value : value?.length === 1 ? value[0] : undefined;
const isFresh = (timestamp: string | undefined): timestamp is string =>
	timestamp !== undefined &&
	/^[0-9]{1,12}$/.test(timestamp) &&
	Math.abs(Number(timestamp) - NOW) <= TOLERANCE;

export const timestamped: Scheme = {
	name: 'timestamped',
	settings: { signingSecret: CURRENT, previousSigningSecret: PREVIOUS },
	sign: (key, timestamp, body) => ({
		'x-webhook-signature': `t=${timestamp},v1=${hmac(key, 'sha256', `${timestamp}.`, body).toString('hex')}`,
	}),
	accepts({ headers, body }) {
		const entries = (one(headers['x-webhook-signature']) ?? '')
			.split(',')
			.map((entry) => entry.replace(/^[ \t]+|[ \t]+$/g, ''));
		const timestamps = entries.filter((entry) => entry.startsWith('t=')).map((t) => t.slice(2));
		const [timestamp] = timestamps;
		if (timestamps.length !== 1 || !isFresh(timestamp)) return false;
		const signed = KEYS.map((key) => hmac(key, 'sha256', `${timestamp}.`, body).toString('hex'));
		return entries.some(
			(entry) => entry.startsWith('v1=') && signed.includes(entry.slice(3).toLowerCase()),
		);
	},
};

const STANDARD_KEYS = KEYS.map((key) => Buffer.from(key.padEnd(32, '.')));
export const standardSecret = (index: number): string =>
	`whsec_${STANDARD_KEYS[index]?.toString('base64') ?? ''}`;

export const standardWebhooks: Scheme = {
	name: 'standardWebhooks',
	settings: {
		scheme: 'standardWebhooks',
		signingSecret: standardSecret(0),
		previousSigningSecret: standardSecret(1),
	},
	sign: (key, timestamp, body) => ({
		'webhook-id': 'msg_1',
		'webhook-timestamp': timestamp,
		'webhook-signature': `v1,${hmac(Buffer.from(key.padEnd(32, '.')), 'sha256', `msg_1.${timestamp}.`, body).toString('base64')}`,
	}),
	accepts({ headers, body }) {
		const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
			one(headers[`webhook-${name}`])?.trim(),
		);
		if (!id || !/^[\x21-\x7e]+$/.test(id) || id.includes('.') || !isFresh(timestamp)) return false;
		const signed = STANDARD_KEYS.map((key) =>
			hmac(key, 'sha256', `${id}.${timestamp}.`, body).toString('base64url'),
		);
		return (signatures ?? '')
			.split(' ')
			.map((entry) => entry.replace(/^\t+|\t+$/g, ''))
			.filter((entry) => entry.startsWith('v1,'))
			.map((entry) => entry.slice(3))
			.filter((text) => /^[\w+/-]{43}=?$/.test(text))
			.some((text) =>
				signed.includes(text.replace(/=$/, '').replaceAll('+', '-').replaceAll('/', '_')),
			);
	},
};

export const custom: Scheme = {
	name: 'custom',
	settings: {
		scheme: 'custom',
		signingSecret: CURRENT,
		previousSigningSecret: PREVIOUS,
		signatureHeader: 'X-Sig',
		algorithm: 'sha512',
		encoding: 'hex',
		timestampHeader: 'X-Time',
		signedPayload: 'v0:{timestamp}:{body}',
		signaturePrefix: 'v0=',
	},
	sign: (key, timestamp, body) => ({
		'x-time': timestamp,
		'x-sig': `v0=${hmac(key, 'sha512', `v0:${timestamp}:`, body).toString('hex')}`,
	}),
	accepts({ headers, body }) {
		const timestamp = one(headers['x-time'])?.trim();
		if (!isFresh(timestamp)) return false;
		const signed = KEYS.map((key) => hmac(key, 'sha512', `v0:${timestamp}:`, body).toString('hex'));
		return (one(headers['x-sig']) ?? '')
			.split(/[\s,]+/)
			.some((entry) => entry.startsWith('v0=') && signed.includes(entry.slice(3).toLowerCase()));
	},
};

/** Mostly a correct value that an attacker or a faulty proxy has changed, rarely any other text. */
export const damage = fc.oneof(
	{ weight: 4, arbitrary: fc.constant((value: string) => value) },
	{
		weight: 3,
		arbitrary: fc
			.tuple(
				fc.nat(200),
				fc.nat(3),
				fc.string({ unit: fc.constantFrom(...Array.from('tv10=, ;.aAfF+/-_\t')), maxLength: 4 }),
			)
			.map(
				([at, length, text]) =>
					(value: string) =>
						value.slice(0, at) + text + value.slice(at + length),
			),
	},
	{ weight: 1, arbitrary: fc.constant((value: string) => `${value},${value}`) },
	{ weight: 1, arbitrary: fc.constant((value: string) => ` ${value} `) },
	{ weight: 1, arbitrary: fc.constant((value: string) => value.toUpperCase()) },
	{
		// The last digit of base64 has unused bits.
		weight: 1,
		arbitrary: fc
			.string({
				unit: fc.constantFrom(...Array.from('ABEFIJghklopstwx014589')),
				minLength: 1,
				maxLength: 1,
			})
			.map((digit) => (value: string) => value.slice(0, -2) + digit + value.slice(-1)),
	},
	{ weight: 1, arbitrary: fc.nat(200).map((end) => (value: string) => value.slice(0, end)) },
	{ weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => () => text) },
);
const occurrences = fc.oneof(
	{ weight: 6, arbitrary: fc.constant((value: string): string | string[] => value) },
	{ weight: 2, arbitrary: fc.constant((value: string) => [value]) },
	{ weight: 1, arbitrary: fc.constant((value: string) => [value, value]) },
	{ weight: 1, arbitrary: fc.constant((): string[] => []) },
);
const timestamp = fc.oneof(
	{ weight: 6, arbitrary: fc.integer({ min: NOW - 310, max: NOW + 310 }).map(String) },
	{ weight: 1, arbitrary: fc.constantFrom('', '0', '-1', '1e9', '999999999999', '1000000000000') },
);
const keys = fc.constantFrom(CURRENT, CURRENT, PREVIOUS, STRANGER);
export const bodies = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));

function target(scheme: Scheme): Target {
	const made = createVerifier(scheme.settings);
	if (!made.ok) throw new Error(`${scheme.name}: ${made.problems.join(' ')}`);
	const { verifier } = made;
	const { reached, count } = counter();
	const options = { nowSeconds: NOW, toleranceSeconds: TOLERANCE };
	const deliveries = fc
		.tuple(keys, timestamp, bodies, fc.array(damage, { minLength: 3, maxLength: 3 }), occurrences)
		.chain(([key, at, body, damages, occur]) => {
			const signed = Object.entries(scheme.sign(key, at, body));
			const headers = Object.fromEntries(
				signed.map(([name, value], index) => [
					name,
					occur((damages[index] ?? String)(String(value))),
				]),
			);
			return fc.oneof(
				{ weight: 4, arbitrary: fc.constant({ headers, body }) },
				{ weight: 1, arbitrary: bodies.map((other) => ({ headers, body: other })) },
			);
		});
	const property = fc.property(deliveries, (delivery) => {
		const result = verifier.verify(delivery.headers, delivery.body, options);
		count(result.ok ? `accepted` : result.reason);
		strictEqual(result.ok, scheme.accepts(delivery));
	});
	return { name: `signature, ${scheme.name}`, property, reached };
}

export const signatureTargets: readonly Target[] = [timestamped, standardWebhooks, custom].map(
	target,
);
