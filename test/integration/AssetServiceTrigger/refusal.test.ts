import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { eventOf, now, PREVIOUS, send, start, useLedgerOfItsOwn } from './deliveries';

useLedgerOfItsOwn();

describe('a delivery that does not start the workflow', () => {
	it('is ignored if its type is not wanted, and nothing is stored', async () => {
		const server = await start({ parameters: { eventTypes: ['asset.*'] } });
		const event = eventOf();
		for (let copy = 0; copy < 2; copy += 1) {
			expect(await send(server, event)).toMatchObject({ status: 200, body: { status: 'ignored' } });
		}
		expect(await send(server, eventOf({ type: undefined }))).toMatchObject({
			body: { status: 'ignored' },
		});
		expect(server.started).toEqual([]);
	});

	const body = JSON.stringify(eventOf());
	it('is rejected with 401 if it is forged, and the event is still accepted afterwards', async () => {
		const server = await start();
		const forged = { 'x-webhook-signature': signTimestamped('another secret', now(), body) };
		expect(await send(server, body, forged)).toMatchObject({
			status: 401,
			body: { status: 'rejected' },
		});
		expect(server.started).toEqual([]);
		expect(await send(server, body)).toMatchObject({ body: { status: 'accepted' } });
	});

	it('is unavailable with 503 if no signing secret is configured, whatever else is wrong', async () => {
		const server = await start({
			readCredential: async () => ({ signingSecret: '', previousSigningSecret: PREVIOUS }),
		});
		const unavailable = { status: 503, body: { status: 'unavailable' } };
		expect(await send(server, eventOf())).toMatchObject(unavailable);
		expect(await send(server, 'x', { 'x-webhook-signature': 'forged' })).toMatchObject(unavailable);
	});

	it('is unavailable with 503 if the credential cannot be read', async () => {
		const server = await start({
			readCredential: async () => await Promise.reject(new Error('gone')),
		});
		expect(await send(server, eventOf())).toMatchObject({ status: 503 });
	});
});
