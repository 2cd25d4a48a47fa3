import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { ledgerKey, openLedger } from '../../../lib/ledger';
import { gate, waitFor } from '../../support/wait';
import { eventOf, send, start, useLedgerOfItsOwn } from './deliveries';

useLedgerOfItsOwn();

const parameters = { delivery: 'batched', batchSize: 100 };
const DAY_MS = 24 * 60 * 60_000;
/** Created on consecutive days, newest first. */
const events = (count: number) =>
	Array.from({ length: count }, (_, n) =>
		eventOf({ createdAt: new Date(Date.UTC(2026, 0, 1) + (count - n) * DAY_MS).toISOString() }),
	);

/** A trigger whose first hand-over waits until it is opened, and the responses to deliveries in the meantime. */
const gathered = async (count: number, store?: (...items: IDataObject[]) => Promise<void>) => {
	const { open, opened } = gate();
	let handOvers = 0;
	const workflowId = randomUUID();
	const server = await start({
		parameters,
		workflowId,
		store: async (...items) => {
			if (++handOvers === 1) await opened;
			else await store?.(...items);
		},
	});
	const first = eventOf();
	const alone = send(server, first);
	await waitFor(() => handOvers || undefined, { what: 'the first hand-over', everyMs: 5 });
	const others = events(count);
	const answers = others.map((event) => send(server, event));
	const ledger = await openLedger({ log: () => undefined });
	const looks = async () => {
		const entries = others.map(({ id }) => ledger.look(ledgerKey(workflowId, id)));
		return (await Promise.all(entries)).map(({ state }) => state);
	};
	const allWait = async () => (await looks()).every((state) => state === 'pending') || undefined;
	await waitFor(allWait, { what: 'the others to be claimed', everyMs: 5 });
	return { server, first, others, answers: [alone, ...answers], open, looks, workflowId };
};

describe('with batched delivery', () => {
	it('events that arrive while another one is handed over start one execution, oldest first, each once', async () => {
		const { server, first, others, answers, open } = await gathered(30);
		open();
		for (const answer of await Promise.all(answers)) {
			expect(answer).toMatchObject({ status: 200, body: { status: 'accepted' } });
		}
		expect(server.runs).toEqual([[first], others.toReversed()]);
		for (const event of others) {
			expect(await send(server, event)).toMatchObject({ body: { status: 'duplicate' } });
		}
		expect(server.runs).toHaveLength(2);
	});

	it('a batch that n8n cannot store is handed over event by event, and one event needs a retry', async () => {
		const poison: { id?: unknown } = {};
		const { server, first, others, answers, open } = await gathered(6, async (...items) => {
			if (items.some(({ id }) => id === poison.id)) throw new Error('cannot be stored');
		});
		poison.id = others[3]?.id;
		open();
		const statuses = (await Promise.all(answers)).map(({ status }) => status);
		// Two get n8n's own response: the event whose request carried the execution, and the one that cannot be stored.
		expect(statuses.filter((status) => status === 500).length).toBeLessThanOrEqual(2);
		expect(server.runs.every((items) => items.length === 1)).toBe(true);
		poison.id = undefined;
		for (const event of others) await send(server, event);
		expect(server.started.map(({ id }) => id).sort()).toEqual(
			[first, ...others].map(({ id }) => id).sort(),
		);
	});

	it('a forged delivery, a duplicate and an unwanted event do not wait', async () => {
		const { server, first, others, answers, open } = await gathered(1);
		const forged = await send(server, eventOf(), { 'x-webhook-signature': 't=1,v1=00' });
		expect(forged).toMatchObject({ status: 401 });
		open();
		await Promise.all(answers);
		expect(server.started).toEqual([first, ...others]);
	});
});
