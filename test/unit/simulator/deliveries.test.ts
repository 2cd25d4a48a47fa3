import { createVerifier } from '../../../lib/signature';
import type { Tamper } from '../../../simulator';
import { waitFor } from '../../support/wait';
import { ENDPOINTS, receiver, setUp, START } from './world';

const HOUR_MS = 3_600_000;
const IMPATIENT = { attemptTimeoutMs: 50 };
const ID = 'x-webhook-delivery-id';
const seconds = START / 1000;

describe('a delivery', () => {
	it('carries the event and a signature over exactly its bytes', async () => {
		const { simulator, subscribe } = await setUp({ now: () => START });
		const { id, received } = await subscribe({ secret: 'whsec_fixed' });
		const { responses } = await simulator.emit({ id: 'whevt_1', data: { name: 'Kallhäll ⚡' } });
		expect(responses).toMatchObject([{ status: 200, body: 'seen', endpointId: id }]);
		expect(received[0]?.body).toBe(
			'{"id":"whevt_1","type":"ocpp.message","createdAt":"2026-01-01T00:00:00.000Z","data":{"name":"Kallhäll ⚡"}}',
		);
		expect(received[0]?.headers).toMatchObject({
			'content-type': 'application/json',
			[ID]: simulator.deliveries(id)[0]?.id,
			'x-webhook-timestamp': '1767225600',
			// As openssl makes it.
			'x-webhook-signature':
				't=1767225600,v1=d667a5d03d4494bb4f47e47bb37c922f011c7c12a3270bef648ec74e8787b1f8',
		});
	});

	it('goes in as many copies as told to the endpoints that are subscribed', async () => {
		const { simulator, subscribe } = await setUp();
		const both = [await subscribe({ events: ['ocpp.message'] }), await subscribe()];
		const { event, responses } = await simulator.emit({}, { copies: 3 });
		expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200));
		// By its id it goes out as it was recorded.
		await simulator.emit({ id: event.id });
		await simulator.emit({ type: 'asset.connectivity' });
		expect((await simulator.emit({}, { deliver: false })).responses).toEqual([]);
		expect(both.map(({ received }) => received.length)).toEqual([4, 5]);
		expect(both.map(({ id }) => simulator.deliveries(id).length)).toEqual([4, 5]);
		const bodies = both[0]?.received.map(({ body }) => body);
		expect(bodies).toEqual(Array(4).fill(JSON.stringify(event)));
		expect(new Set(both[0]?.received.map(({ headers }) => headers[ID])).size).toBe(4);
		expect(simulator.events).toHaveLength(3);
	});

	it.each(['timeout', 'stopped'])('fails without a response: %s', async (error) => {
		const { simulator, subscribe } = await setUp(error === 'timeout' ? IMPATIENT : {});
		const { id, received } = await subscribe({}, 0);
		const emitted = simulator.emit();
		const look = () => (error === 'timeout' ? true : received[0]);
		await waitFor(look, { what: 'the delivery', everyMs: 5 });
		if (error === 'stopped') await simulator.stop();
		expect((await emitted).responses).toMatchObject([{ status: 0, error }]);
		const attempts = [{ status: 'failed', statusCode: null }];
		expect(simulator.deliveries(id)).toMatchObject([{ status: 'failed', attempts }]);
	});

	it('is sent again on request, with a fresh signature', async () => {
		let time = START;
		const { simulator, call, subscribe } = await setUp({ now: () => time });
		const { id: endpointId, received } = await subscribe({}, 500, 200);
		await simulator.emit();
		time += HOUR_MS;
		const id = String(simulator.deliveries(endpointId)[0]?.id);
		const path = `${ENDPOINTS}/${endpointId}/deliveries/${id}/resend`;
		const attempt = { status: 'success', timestamp: '2026-01-01T01:00:00.000Z' };
		const { body } = await call(path, { method: 'POST' });
		expect(body['data']).toEqual({ id, status: 'success', statusCode: 200, attempt });
		const [first, again] = received;
		expect([again?.body, again?.headers[ID]]).toEqual([first?.body, first?.headers[ID]]);
		expect(again?.headers['x-webhook-timestamp']).toBe(String(seconds + 3600));
		expect(again?.headers['x-webhook-signature']).toContain(`t=${seconds + 3600},`);
		const recorded = { status: 'success', attempts: [{}, {}] };
		expect(simulator.deliveries(endpointId)).toMatchObject([recorded]);
		expect(simulator.stats.deliveries).toMatchObject({ attempts: 2, pendingRetries: 0 });
		const unknown = await call(path.replace('whdel_', 'x'), { method: 'POST' });
		expect(unknown.status).toBe(404);
	});

	it.each<[Tamper, string, number]>([
		['none', 'ok', 0],
		['forged', 'signature_mismatch', 0],
		['altered', 'signature_mismatch', 0],
		['stale', 'timestamp_outside_tolerance', -600],
		['future', 'timestamp_outside_tolerance', 600],
		['truncated', 'signature_malformed', 0],
		['unsigned', 'signature_missing', 0],
	])('that is %s is seen by a verifier as %s, %i s off', async (tamper, expected, off) => {
		const { simulator } = await setUp({ now: () => START });
		const { url, received } = await receiver();
		const { event } = await simulator.emit();
		expect((await simulator.deliver(url, 'secret', event, tamper)).status).toBe(200);
		const { headers = {}, body = '' } = received[0] ?? {};
		const created = createVerifier({ signingSecret: 'secret' });
		const clock = { nowSeconds: seconds, toleranceSeconds: 300 };
		const seen = created.ok && created.verifier.verify(headers, Buffer.from(body), clock);
		expect(seen).toMatchObject(expected === 'ok' ? { ok: true } : { ok: false, reason: expected });
		expect(Number(headers['x-webhook-timestamp']) - seconds).toBe(off);
		expect(body === JSON.stringify(event)).toBe(tamper !== 'altered');
		expect(simulator.stats.deliveries.attempts).toBe(0);
	});
});

describe('the retries of a failed delivery', () => {
	it.each([
		['are five, and then there are no more', [503], [1, 4, 12, 24, 48], 0],
		['end with the first success', [500, 500, 200], [1, 4], 1],
	])('%s', async (_what, statuses, hours, succeeded) => {
		const timers = jest.spyOn(globalThis, 'setTimeout');
		// Binary, so that the waits are exact: 1 h becomes 3.4 ms.
		const { simulator, subscribe } = await setUp({ retryTimeScale: 2 ** -20 });
		const { id: endpointId, received } = await subscribe({}, ...statuses);
		await simulator.emit();
		const attempts = hours.length + 1;
		const made = () => simulator.stats.deliveries.attempts === attempts || undefined;
		await waitFor(made, { what: `${attempts} attempts` });
		const counts = { succeeded, failed: attempts - succeeded, pendingRetries: 0 };
		expect(simulator.stats.deliveries).toEqual({ attempts, ...counts });
		const delays = timers.mock.calls.map(([, delay]) => (delay ?? 0) / HOUR_MS / 2 ** -20);
		expect(delays.filter((delay) => [1, 4, 12, 24, 48].includes(delay))).toEqual(hours);
		const [{ id } = { id: '' }] = simulator.deliveries(endpointId);
		expect(received.map(({ headers }) => headers[ID])).toEqual(Array(attempts).fill(id));
	});

	it('wait an hour by default, and are dropped with their endpoint and by a stop', async () => {
		const timers = jest.spyOn(globalThis, 'setTimeout');
		const { simulator, subscribe } = await setUp();
		const [{ id }] = [await subscribe({}, 500), await subscribe({}, 500)];
		await simulator.emit();
		expect(timers.mock.calls.filter(([, delay]) => delay === HOUR_MS)).toHaveLength(2);
		expect(simulator.stats.deliveries.pendingRetries).toBe(2);
		simulator.deleteEndpoint(id);
		expect(simulator.stats.deliveries.pendingRetries).toBe(1);
		await simulator.stop();
		expect(simulator.stats.deliveries.pendingRetries).toBe(0);
	});

	it('stop for an endpoint that had no success for long, which is disabled then', async () => {
		let time = START;
		const { simulator, subscribe } = await setUp({ disableEndpointAfterDays: 5, now: () => time });
		const { received } = await subscribe({}, 500);
		for (const days of [0, 4.9, 5, 5]) {
			time = START + days * 24 * HOUR_MS;
			await simulator.emit();
			expect(simulator.endpoints).toMatchObject([{ disabled: days >= 5 }]);
		}
		expect(received).toHaveLength(3);
		expect(simulator.stats.deliveries.pendingRetries).toBe(0);
	});
});
