import { ledgerKey } from '../../../lib/ledger';
import { ledger, pollUntil, published, record, start, until, useWorldOfItsOwn } from './polls';

useWorldOfItsOwn();

const parameters = { delivery: 'batched', batchSize: 4 };

describe('a poll with batched delivery', () => {
	it('starts executions with as many events as the batch size allows, oldest first', async () => {
		await start({ events: 3 });
		const { node, poll } = await published({ parameters });
		const fresh = await record(10);
		await poll();
		await until('ten events', () => node.started.length === 10);
		expect(node.runs.map((items) => items.length)).toEqual([4, 4, 2]);
		expect(node.ids()).toEqual(fresh);
		await poll();
		await poll();
		expect(node.runs).toHaveLength(3);
	});

	it('limits an execution to 4 MB of events', async () => {
		const simulator = await start();
		const { node, poll } = await published({ parameters });
		for (let n = 0; n < 3; n++) {
			await simulator.emit({ data: { text: 'x'.repeat(1.9 * 1024 * 1024) } }, { deliver: false });
		}
		await poll();
		await until('three events', () => node.started.length === 3);
		expect(node.runs.map((items) => items.length)).toEqual([2, 1]);
	});

	it('starts events one by one if n8n cannot store them together', async () => {
		await start();
		const poison: { id?: unknown } = {};
		const { node, poll } = await published({
			parameters,
			run: async (...items) => {
				if (items.some(({ id }) => id === poison.id)) throw new Error('cannot be stored');
			},
		});
		const fresh = await record(6);
		poison.id = fresh[2];
		const others = fresh.filter((id) => id !== poison.id);
		await pollUntil(poll, 'the other events', () => node.started.length === 5);
		expect(node.ids()).toEqual(others);
		poison.id = undefined;
		await pollUntil(poll, 'the last one', () => node.started.length === 6);
		expect(node.ids()).toEqual([...others, fresh[2]]);
	});

	it('leaves out events that have begun, and holds no claims after the ledger fails halfway', async () => {
		await start();
		const { node, poll } = await published({ parameters });
		const fresh = await record(3);
		const store = await ledger();
		const keys = [ledgerKey(node.workflowId, fresh[1] ?? '')];
		await store.begin(keys, { run: 'another', acknowledge: 'stored', retentionMs: 60_000 });
		const claim = store.claim.bind(store);
		const failing = jest.spyOn(store, 'claim');
		failing.mockImplementationOnce(claim).mockRejectedValueOnce(new Error('The disk is full'));
		await poll();
		await until('the failure', () => failing.mock.calls.length === 2);
		failing.mockRestore();
		await pollUntil(poll, 'two events', () => node.started.length === 2);
		expect(node.ids()).toEqual([fresh[0], fresh[2]]);
	});
});
