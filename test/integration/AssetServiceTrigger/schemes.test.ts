import { createHmac, randomBytes } from 'node:crypto';
import { eventOf, now, send, start, useLedgerOfItsOwn } from './deliveries';

useLedgerOfItsOwn();

const includeDelivery = { options: { includeDelivery: true } };

describe('deliveries by Standard Webhooks', () => {
	const key = randomBytes(24);
	const signed = (body: string, { id = 'msg_1', timestamp = now(), signingKey = key } = {}) => ({
		'webhook-id': id,
		'webhook-timestamp': String(timestamp),
		'webhook-signature': `v1,${createHmac('sha256', signingKey).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
	});
	const startStandard = async () =>
		await start({
			parameters: includeDelivery,
			readCredential: async () => ({
				signingSecret: `whsec_${key.toString('base64')}`,
				scheme: 'standardWebhooks',
			}),
		});

	it('start the workflow once, with the ID and timestamp from their headers', async () => {
		const server = await startStandard();
		const event = eventOf();
		const body = JSON.stringify(event);
		const timestamp = now();
		const headers = { ...signed(body, { timestamp }), 'x-webhook-delivery-id': [] };
		expect(await send(server, body, headers)).toMatchObject({ body: { status: 'accepted' } });
		expect(await send(server, body, signed(body, { id: 'msg_2' }))).toMatchObject({
			body: { status: 'duplicate' },
		});
		const _delivery = { id: 'msg_1', timestamp, secret: 'current' };
		expect(server.started).toMatchObject([{ ...event, _delivery }]);
	});

	it('give an event without an ID the one from their header, also in its item, and start it once', async () => {
		const server = await startStandard();
		const { id: _, ...event } = eventOf();
		const body = JSON.stringify(event);
		expect(await send(server, body, signed(body))).toMatchObject({ body: { status: 'accepted' } });
		expect(await send(server, body, signed(body))).toMatchObject({ body: { status: 'duplicate' } });
		const other = signed(body, { id: 'msg_2' });
		expect(await send(server, body, other)).toMatchObject({ body: { status: 'accepted' } });
		expect(server.started).toMatchObject([
			{ ...event, id: 'msg_1' },
			{ ...event, id: 'msg_2' },
		]);
	});
});

describe('deliveries by the service’s own scheme', () => {
	const secret = 'a secret of its own';
	const startCustom = async () =>
		await start({
			parameters: includeDelivery,
			readCredential: async () => ({
				signingSecret: secret,
				scheme: 'custom',
				signatureHeader: 'X-Sign',
				algorithm: 'sha512',
				encoding: 'base64',
				timestampHeader: 'X-Time',
				signedPayload: 'v0:{timestamp}:{body}',
				signaturePrefix: 'v0=',
			}),
		});
	const signed = (body: string, timestamp = now()) => ({
		'x-time': String(timestamp),
		'x-sign': `v0=${createHmac('sha512', secret).update(`v0:${timestamp}:${body}`).digest('base64')}`,
	});

	it('are rejected without an ID, even with a webhook-id header, which the signature does not cover', async () => {
		const server = await startCustom();
		const { id: _, ...event } = eventOf();
		const body = JSON.stringify(event);
		const headers = { ...signed(body), 'webhook-id': 'msg_1' };
		expect(await send(server, body, headers)).toMatchObject({ status: 400 });
	});

	it('start the workflow once, without an ID if no header has one', async () => {
		const server = await startCustom();
		const event = eventOf();
		const body = JSON.stringify(event);
		const headers = { ...signed(body), 'x-webhook-delivery-id': [] };
		expect(await send(server, body, headers)).toMatchObject({ body: { status: 'accepted' } });
		expect(await send(server, body, signed(body))).toMatchObject({ body: { status: 'duplicate' } });
		expect(server.started).toMatchObject([{ ...event, _delivery: { id: null } }]);
	});
});
