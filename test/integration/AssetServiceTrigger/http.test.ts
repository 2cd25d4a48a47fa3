import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { eventOf, now, SECRET, send, start, useLedgerOfItsOwn } from './deliveries';

useLedgerOfItsOwn();

describe('the headers of a delivery', () => {
	it('can have only one signature header: a second one is rejected, even if both together would match', async () => {
		const server = await start();
		const body = JSON.stringify(eventOf());
		const good = signTimestamped(SECRET, now(), body);
		const other = `v1=${'0'.repeat(64)}`;
		for (const signatures of [
			[good, other],
			[other, good],
			[good, good],
		]) {
			expect(await send(server, body, { 'x-webhook-signature': signatures })).toMatchObject({
				status: 401,
				body: { status: 'rejected' },
			});
		}
		expect(await send(server, body, { 'x-webhook-signature': `${good},${other}` })).toMatchObject({
			body: { status: 'accepted' },
		});
	});
});

describe('a body that n8n has not read yet', () => {
	it('is read, and checked byte by byte', async () => {
		const server = await start({ body: 'onRequest' });
		const event = eventOf();
		const signature = signTimestamped(SECRET, now(), JSON.stringify(event));
		const changed = { ...event, id: 'another' };
		const signed = { 'x-webhook-signature': signature };
		expect(await send(server, changed, signed)).toMatchObject({ status: 401 });
		expect(await send(server, event, signed)).toMatchObject({ body: { status: 'accepted' } });
		expect(server.started).toEqual([event]);
	});

	it('is rejected if it cannot be read', async () => {
		const server = await start({ body: 'unreadable' });
		expect(await send(server, eventOf())).toMatchObject({ status: 401 });
	});
});
