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
	it('a single event starts at once', async () => {
		const server = await start({ parameters });
		for (const event of [eventOf(), eventOf()]) {
			expect(await send(server, event)).toMatchObject({
				status: 200,
				body: { status: 'accepted' },
			});
		}
		expect(server.runs.map((items) => items.length)).toEqual([1, 1]);
	});

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

	it('each trigger of a workflow collects by itself and starts only its own deliveries', async () => {
		const { server, first, others, answers, open, workflowId } = await gathered(2);
		const another = await start({ parameters, workflowId, nodeId: 'node-2' });
		const event = eventOf();
		// No event is being handed over there, so it does not wait for the other trigger.
		expect(await send(another, event)).toMatchObject({ body: { status: 'accepted' } });
		expect(another.runs).toEqual([[event]]);
		open();
		await Promise.all(answers);
		expect(server.runs).toEqual([[first], others.toReversed()]);
		expect(another.runs).toHaveLength(1);
	});

	it('no event is acknowledged before the ledger has stored it', async () => {
		const { others, answers, open, looks } = await gathered(4);
		const ledger = await openLedger({ log: () => undefined });
		const { open: write, opened: written } = gate();
		const commit = ledger.commit.bind(ledger);
		const committing = jest.spyOn(ledger, 'commit').mockImplementation(async (...all) => {
			await written;
			await commit(...all);
		});
		open();
		const answered = answers.slice(1).map(async (answer) => {
			expect(await answer).toMatchObject({ body: { status: 'accepted' } });
			return await looks();
		});
		await waitFor(() => committing.mock.calls.find(([claims]) => claims.length > 1), {
			what: 'the batch to be committed',
			everyMs: 5,
		});
		write();
		for (const states of await Promise.all(answered)) {
			expect(states).toEqual(others.map(() => 'stored'));
		}
		committing.mockRestore();
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
