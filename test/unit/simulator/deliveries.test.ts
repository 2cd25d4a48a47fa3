import { createHmac } from 'node:crypto';
import { createVerifier } from '../../../lib/receiver/signature';
import type { Tamper } from '../../../simulator';
import { waitFor } from '../../support/wait';
import { receiver, simulatorFor } from './world';

const HOUR_MS = 3_600_000;

describe('a delivery', () => {
	it('carries the event and a signature over exactly its bytes', async () => {
		const simulator = await simulatorFor();
		const { url, received } = await receiver();
		const { id, secret } = simulator.createEndpoint({ url });
		const before = Date.now();
		const { event, responses } = await simulator.emit({ data: { name: 'Kallhäll ⚡' } });
		const after = Date.now();

		const [{ headers, body } = { headers: {}, body: '' }] = received;
		expect(JSON.parse(body)).toEqual(event);
		expect(event.id).toMatch(/^whevt_/);
		expect(headers['content-type']).toBe('application/json');
		expect(headers['x-webhook-delivery-id']).toBe(simulator.deliveries(id)[0]?.id);
		const timestamp = String(headers['x-webhook-timestamp']);
		expect(Number(timestamp)).toBeGreaterThanOrEqual(Math.floor(before / 1000));
		expect(Number(timestamp)).toBeLessThanOrEqual(after / 1000);
		const hex = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
		expect(headers['x-webhook-signature']).toBe(`t=${timestamp},v1=${hex}`);
		expect(responses).toMatchObject([{ status: 200, body: 'seen', endpointId: id }]);
	});

	it('goes to the endpoints that are subscribed to its type', async () => {
		const simulator = await simulatorFor();
		const [messages, everything] = [await receiver(), await receiver()];
		simulator.createEndpoint({ url: messages.url, events: ['ocpp.message'] });
		simulator.createEndpoint({ url: everything.url });
		await simulator.emit({ type: 'ocpp.message' });
		await simulator.emit({ type: 'asset.connectivity' });
		expect(messages.received).toHaveLength(1);
		expect(everything.received).toHaveLength(2);
	});

	it('is sent several times at once when duplicates are asked for, each one a delivery', async () => {
		const simulator = await simulatorFor();
		const { url, received } = await receiver();
		simulator.createEndpoint({ url });
		const { responses } = await simulator.emit({}, { copies: 3 });
		expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
		expect(new Set(received.map(({ body }) => body)).size).toBe(1);
		expect(new Set(received.map(({ headers }) => headers['x-webhook-delivery-id'])).size).toBe(3);
		await expect(simulator.emit({}, { copies: 0 })).rejects.toThrow('copies');
	});

	it('is sent again, as it was recorded, when its event is emitted by id', async () => {
		const simulator = await simulatorFor();
		const { url, received } = await receiver();
		simulator.createEndpoint({ url });
		const { event } = await simulator.emit();
		await simulator.emit({ id: event.id });
		expect(received[1]?.body).toBe(received[0]?.body);
		expect(simulator.events).toHaveLength(1);
	});

	it('is left out for an event that is only recorded', async () => {
		const simulator = await simulatorFor();
		const { url, received } = await receiver();
		const { id } = simulator.createEndpoint({ url });
		const { responses } = await simulator.emit({}, { deliver: false });
		expect(responses).toEqual([]);
		expect(received).toEqual([]);
		expect(simulator.deliveries(id)).toEqual([]);
		expect(simulator.events).toHaveLength(1);
	});

	it('goes to the new address of an endpoint that was moved, under the same secret', async () => {
		const simulator = await simulatorFor();
		const [before, after] = [await receiver(), await receiver()];
		const { id, secret } = simulator.createEndpoint({ url: before.url });
		expect(simulator.moveEndpoint(id, after.url)).toBe(true);
		await simulator.emit();
		expect([before.received.length, after.received.length]).toEqual([0, 1]);
		expect(simulator.endpoints).toMatchObject([{ id, secret, url: after.url }]);
		expect(simulator.moveEndpoint('we_none', after.url)).toBe(false);
	});

	it('fails without an answer in time, and says why', async () => {
		const simulator = await simulatorFor({ attemptTimeoutMs: 50 });
		const { url, answerWith } = await receiver();
		const { id } = simulator.createEndpoint({ url });
		answerWith(0);
		const { responses } = await simulator.emit();
		expect(responses).toMatchObject([{ status: 0, error: 'timeout' }]);
		expect(simulator.deliveries(id)).toMatchObject([
			{ status: 'failed', attempts: [{ status: 'failed', statusCode: null }] },
		]);
	});
});

describe('a single delivery with a chosen fault', () => {
	it.each<[Tamper, string]>([
		['none', 'ok'],
		['forged', 'signature_mismatch'],
		['altered', 'signature_mismatch'],
		['stale', 'timestamp_outside_tolerance'],
		['future', 'timestamp_outside_tolerance'],
		['truncated', 'signature_malformed'],
		['unsigned', 'signature_missing'],
	])('%s is seen by a verifier as %s', async (tamper, expected) => {
		const simulator = await simulatorFor();
		const { url, received } = await receiver();
		const { event } = await simulator.emit();
		const result = await simulator.deliver(url, 'secret', event, tamper);
		expect(result.status).toBe(200);

		const verifier = createVerifier({ signingSecret: 'secret' });
		const [delivery] = received;
		if (!verifier.ok || !delivery) throw new Error('There is nothing to verify.');
		const verified = verifier.verifier.verify(delivery.headers, Buffer.from(delivery.body), {
			nowSeconds: Date.now() / 1000,
			toleranceSeconds: 300,
		});
		expect(verified.ok ? 'ok' : verified.reason).toBe(expected);
		expect(simulator.stats.deliveries.attempts).toBe(0);
	});
});

describe('the retries of a failed delivery', () => {
	it('are five, in the rhythm of the schedule, and then there are no more', async () => {
		// 1 h becomes 10 ms.
		const simulator = await simulatorFor({
			retryTimeScale: 10 / HOUR_MS,
			// Never set back, as the clock of the machine may be meanwhile.
			now: () => performance.timeOrigin + performance.now(),
		});
		const { url, received, answerWith } = await receiver();
		const { id } = simulator.createEndpoint({ url });
		answerWith(503);
		await simulator.emit();
		const attempts = await waitFor(
			() => {
				const [delivery] = simulator.deliveries(id);
				return delivery?.attempts.length === 6 ? delivery.attempts : undefined;
			},
			{ what: 'six attempts', everyMs: 10 },
		);
		const times = attempts.map(({ timestamp }) => Date.parse(timestamp));
		const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
		// Timers may be a millisecond early by the clock of the timestamps; how late they are depends on the machine.
		[10, 40, 120, 240, 480].forEach((least, index) => {
			expect(waits[index]).toBeGreaterThanOrEqual(least - 2);
		});
		expect(simulator.stats.deliveries).toEqual({
			attempts: 6,
			succeeded: 0,
			failed: 6,
			pendingRetries: 0,
		});
		expect(new Set(received.map(({ headers }) => headers['x-webhook-delivery-id'])).size).toBe(1);
	});

	it('end with the first success', async () => {
		const simulator = await simulatorFor({ retryTimeScale: 10 / HOUR_MS });
		const { url, answerWith } = await receiver();
		const { id } = simulator.createEndpoint({ url });
		answerWith(500);
		await simulator.emit();
		answerWith(200);
		const delivery = await waitFor(
			() => simulator.deliveries(id).find(({ status }) => status === 'success'),
			{ what: 'the success', everyMs: 10 },
		);
		expect(delivery.attempts.map(({ status }) => status)).toEqual(['failed', 'success']);
		expect(simulator.stats.deliveries.pendingRetries).toBe(0);
	});

	it('wait an hour at first, unless time is compressed', async () => {
		const simulator = await simulatorFor();
		const { url, answerWith } = await receiver();
		simulator.createEndpoint({ url });
		answerWith(500);
		const timers = jest.spyOn(globalThis, 'setTimeout');
		try {
			await simulator.emit();
			expect(timers.mock.calls.map(([, delay]) => delay)).toContain(HOUR_MS);
		} finally {
			timers.mockRestore();
		}
	});

	it('are dropped with their endpoint, and by a stop', async () => {
		const simulator = await simulatorFor();
		const { url, answerWith } = await receiver();
		const [first] = [simulator.createEndpoint({ url }), simulator.createEndpoint({ url })];
		answerWith(500);
		await simulator.emit();
		expect(simulator.stats.deliveries.pendingRetries).toBe(2);
		simulator.deleteEndpoint(first.id);
		expect(simulator.stats.deliveries.pendingRetries).toBe(1);
		await simulator.stop();
		expect(simulator.stats.deliveries.pendingRetries).toBe(0);
	});

	it('stop for an endpoint that had no success for long, which is disabled then', async () => {
		let time = Date.now();
		const simulator = await simulatorFor({ disableEndpointAfterDays: 5, now: () => time });
		const { url, received, answerWith } = await receiver();
		simulator.createEndpoint({ url });
		answerWith(500);
		await simulator.emit();
		expect(simulator.endpoints).toMatchObject([{ disabled: false }]);
		time += 5 * 24 * HOUR_MS;
		await simulator.emit();
		expect(simulator.endpoints).toMatchObject([{ disabled: true }]);
		expect(simulator.stats.deliveries.pendingRetries).toBe(0);
		await simulator.emit();
		expect(received).toHaveLength(2);
	});
});

describe('a stop', () => {
	it('ends a delivery that waits for its answer', async () => {
		const simulator = await simulatorFor();
		const { url, received, answerWith } = await receiver();
		simulator.createEndpoint({ url });
		answerWith(0);
		const emitted = simulator.emit();
		await waitFor(() => received[0], { what: 'the delivery', everyMs: 5 });
		await simulator.stop();
		expect((await emitted).responses).toMatchObject([{ status: 0, error: 'stopped' }]);
	});
});
