import { signTimestamped } from '../../../lib/receiver/signature';
import {
	aCopyWaits,
	eventOf,
	gate,
	now,
	SECRET,
	send,
	start,
	useLedgerOfItsOwn,
} from './deliveries';

useLedgerOfItsOwn();

describe('an event that n8n could not store', () => {
	it('is answered 500, and runs when it is sent again', async () => {
		let failing = true;
		const server = await start({
			store: async () => {
				if (failing) throw new Error('disk full');
			},
		});
		const event = eventOf();
		expect(await send(server, event)).toMatchObject({ status: 500 });
		failing = false;
		expect(await send(server, event)).toMatchObject({ status: 200, body: { status: 'accepted' } });
		expect(server.started).toEqual([event]);
	});

	it('is taken over by a copy that waited', async () => {
		const { open, opened } = gate();
		let stores = 0;
		const server = await start({
			store: async () => {
				stores += 1;
				if (stores > 1) return;
				await opened;
				throw new Error('disk full');
			},
		});
		const event = eventOf();
		const waiting = aCopyWaits();
		const copies = [send(server, event), send(server, event)];
		await waiting;
		open();
		const statuses = (await Promise.all(copies)).map(({ status }) => status);
		expect(statuses.sort()).toEqual([200, 500]);
		expect(server.started).toEqual([event]);
	});
});

describe('a copy that arrives while another one is being handed over', () => {
	it('waits for its outcome', async () => {
		const { open, opened } = gate();
		const server = await start({
			store: async () => {
				await opened;
			},
		});
		const event = eventOf();
		const waiting = aCopyWaits();
		const copies = [send(server, event), send(server, event)];
		const first = await Promise.race([...copies, waiting.then(() => 'still waiting')]);
		expect(first).toBe('still waiting');
		open();
		const bodies = (await Promise.all(copies)).map(({ body }) => body);
		expect(bodies).toEqual(
			expect.arrayContaining([{ status: 'accepted' }, { status: 'duplicate' }]),
		);
		expect(server.started).toEqual([event]);
	});
});

describe('a caller that hangs up before the answer', () => {
	it('leaves an event that is stored and committed once', async () => {
		const { open, opened } = gate();
		const { open: reach, opened: reached } = gate();
		const server = await start({
			store: async () => {
				reach();
				await opened;
			},
		});
		const event = eventOf();
		const body = JSON.stringify(event);
		const abort = new AbortController();
		const hungUp = fetch(server.url, {
			method: 'POST',
			body,
			headers: { 'x-webhook-signature': signTimestamped(SECRET, now(), body) },
			signal: abort.signal,
		}).catch(() => 'hung up');
		await reached;
		abort.abort();
		expect(await hungUp).toBe('hung up');
		open();
		expect(await send(server, event)).toMatchObject({ body: { status: 'duplicate' } });
		expect(server.started).toEqual([event]);
	});
});
