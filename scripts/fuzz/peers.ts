/** The same deliveries, compared with widely used libraries. */
import { strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { createVerifier } from '../../lib/signature';
import {
	bodies,
	CURRENT,
	damage,
	standardSecret,
	standardWebhooks,
	STRANGER,
	timestamped,
	TOLERANCE,
} from './signature';
import { counter, type Target } from './target';

/** Two widely used libraries: they must also accept what is accepted here, in the form that they expect. */
export function peerTarget(): Target {
	const { reached, count } = counter();
	const stripe = new Stripe('sk_test_unused').webhooks.signature;
	const standard = new StandardWebhook(standardSecret(0));
	const ours = [timestamped, standardWebhooks].map(({ settings }) => {
		const made = createVerifier(settings);
		if (!made.ok) throw new Error(made.problems.join(' '));
		return made.verifier;
	});
	const throwsNot = (work: () => unknown): boolean => {
		try {
			work();
			return true;
		} catch {
			return false;
		}
	};
	const property = fc.property(
		fc.constantFrom(CURRENT, STRANGER),
		// stripe requires a body.
		bodies.filter(({ length }) => length > 0),
		damage,
		(key, body, harm) => {
			// Both use the real clock.
			const now = Math.floor(Date.now() / 1000);
			const options = { nowSeconds: now, toleranceSeconds: TOLERANCE };
			const text = body.toString('utf8');
			const bytes = Buffer.from(text);

			const header = harm(String(timestamped.sign(key, String(now), bytes)['x-webhook-signature']));
			const first = ours[0]?.verify({ 'x-webhook-signature': header }, bytes, options);
			// stripe rejects white space, other cases of digits, and entries that are only a key.
			const plain = header
				.split(',')
				.map((part) => part.trim().toLowerCase())
				.filter((part) => /^(?:t|v1)=/.test(part))
				.join(',');
			if (first?.ok)
				strictEqual(
					throwsNot(() => stripe?.verifyHeader(text, plain, CURRENT, TOLERANCE)),
					true,
				);

			const headers = standardWebhooks.sign(key, String(now), bytes) as Record<string, string>;
			const entry = headers['webhook-signature'] ?? '';
			const entries = harm(entry);
			const damaged = { ...headers, 'webhook-signature': entries };
			const second = ours[1]?.verify(damaged, bytes, options);
			if (second?.ok && entries.split(' ').includes(entry))
				strictEqual(
					throwsNot(() => standard.verify(text, damaged, { jsonParse: false })),
					true,
				);
			count(first?.ok ? 'accepted' : 'refused');
		},
	);
	return { name: 'signature, compared with stripe and standardwebhooks', property, reached };
}
