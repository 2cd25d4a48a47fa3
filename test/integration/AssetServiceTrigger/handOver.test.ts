import { randomUUID } from 'node:crypto';
import { type EntryState, ledgerKey, openLedger } from '../../../lib/ledger';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { gate, waitFor } from '../../support/wait';
import {
	aRedeliveryWaits,
	eventOf,
	now,
	SECRET,
	send,
	start,
	useLedgerOfItsOwn,
} from './deliveries';

useLedgerOfItsOwn();

/** Not faked, since the HTTP server and the ledger need them. */
const ALL_BUT_TIMEOUTS = [
	'Date',
	'hrtime',
	'nextTick',
	'performance',
	'queueMicrotask',
	'setImmediate',
	'clearImmediate',
	'setInterval',
	'clearInterval',
] as const;

describe('an event that n8n could not store', () => {
	it('gets 500, and runs when sent again', async () => {
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

	it('is taken over by a redelivery that waited', async () => {
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
		const waiting = aRedeliveryWaits();
		const copies = [send(server, event), send(server, event)];
		await waiting;
		open();
		const statuses = (await Promise.all(copies)).map(({ status }) => status);
		expect(statuses.sort()).toEqual([200, 500]);
		expect(server.started).toEqual([event]);
	});
});

describe('a redelivery that arrives while another one is being handed over', () => {
	it('waits for its outcome', async () => {
		const { open, opened } = gate();
		const server = await start({
			store: () => opened,
		});
		const event = eventOf();
		const waiting = aRedeliveryWaits();
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

describe('a caller that hangs up before the response', () => {
	/** A trigger whose n8n stores nothing until `open`, and an event whose caller has hung up in the meantime. */
	const abandoned = async (store: () => void) => {
		const { open, opened } = gate();
		const { open: reach, opened: reached } = gate();
		const workflowId = randomUUID();
		const server = await start({
			workflowId,
			store: async () => {
				reach();
				await opened;
				store();
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
		const ledger = await openLedger({ log: () => undefined });
		const untilIs = async (state: EntryState) =>
			await waitFor(
				async () => (await ledger.look(ledgerKey(workflowId, event.id))).state === state,
				{ what: `the event to be ${state}`, everyMs: 5 },
			);
		return { server, event, open, untilIs };
	};

	it('leaves an event that is stored and committed once', async () => {
		const { server, event, open } = await abandoned(() => undefined);
		open();
		expect(await send(server, event)).toMatchObject({ body: { status: 'duplicate' } });
		expect(server.started).toEqual([event]);
	});

	it('leaves an event that counts as stored after 30 s, and can be started at once if n8n then fails to store it', async () => {
		let failing = true;
		jest.useFakeTimers({ doNotFake: [...ALL_BUT_TIMEOUTS] });
		try {
			const { server, event, open, untilIs } = await abandoned(() => {
				if (failing) throw new Error('disk full');
			});
			await untilIs('pending');
			await jest.advanceTimersByTimeAsync(30_000);
			await untilIs('stored');
			expect(await send(server, event)).toMatchObject({ body: { status: 'duplicate' } });
			open();
			await untilIs('overdue');
			failing = false;
			expect(await send(server, event)).toMatchObject({ body: { status: 'accepted' } });
			expect(await send(server, event)).toMatchObject({ body: { status: 'duplicate' } });
			expect(server.started).toEqual([event]);
		} finally {
			jest.useRealTimers();
		}
	});
});
