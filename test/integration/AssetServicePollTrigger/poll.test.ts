import {
	ledger,
	pollNode,
	pollUntil,
	published,
	record,
	start,
	until,
	useWorldOfItsOwn,
} from './polls';

useWorldOfItsOwn();

describe('a poll', () => {
	it.each(['newestFirst', 'oldestFirst'] as const)(
		'starts no events from before publishing, then each new event once, oldest first (%s)',
		async (listOrder) => {
			await start({ events: 7, listOrder });
			const node = pollNode({ parameters: { limit: 3 } });
			const poll = node.activation('activate');
			await poll();
			const fresh = await record(5);
			await poll();
			await until('five runs', () => node.ids().length === 5);
			expect(node.ids()).toEqual(fresh);
			await poll();
			await poll();
			expect(node.ids()).toEqual(fresh);
		},
	);

	it('starts only events of the wanted types that meet its conditions', async () => {
		const simulator = await start();
		const condition = [{ field: 'data.connector', operator: 'greaterThan', value: '1' }];
		const parameters = { eventTypes: ['ocpp.*'], conditions: { condition } };
		const { node, poll } = await published({ parameters });
		for (const [n, type] of ['ocpp.message', 'asset.connectivity', 'ocpp.message'].entries()) {
			await simulator.emit({ type, data: { connector: n } }, { deliver: false });
		}
		await poll();
		await until('a run', () => node.started.length === 1);
		expect(node.started.map(({ data }) => data)).toEqual([{ connector: 2 }]);
	});

	it('starts executions with as many events as the batch size allows, oldest first', async () => {
		await start({ events: 3 });
		const { node, poll } = await published({ parameters: { delivery: 'batched', batchSize: 4 } });
		const fresh = await record(10);
		await poll();
		await until('ten events', () => node.started.length === 10);
		expect(node.runs.map((items) => items.length)).toEqual([4, 4, 2]);
		expect(node.ids()).toEqual(fresh);
	});

	it('fails when publishing if no event can meet a condition', async () => {
		await start();
		const condition = [{ field: 'data.connector', operator: 'lessThan', value: 'abc' }];
		const poll = pollNode({ parameters: { conditions: { condition } } }).activation('activate');
		await expect(poll()).rejects.toMatchObject({
			// Of the error of a publication, n8n shows only the message.
			message: expect.stringMatching(
				/^No event can meet the conditions\. Condition 1: 'abc' is not a number.*\. Correct 'Conditions', then try again\.$/,
			) as string,
		});
	});

	it('starts all events that are still listed, if set to do so', async () => {
		await start({ events: 60 });
		const node = pollNode({ parameters: { startFrom: 'retained', limit: 10 } });
		await node.activation('activate')();
		await until('all runs', () => node.ids().length === 60);
		expect(new Set(node.ids()).size).toBe(60);
		expect(node.started.map(({ createdAt }) => createdAt)).toEqual(
			node.started.map(({ createdAt }) => createdAt).sort(),
		);
	});

	it('catches up after a restart with events created hours before it, and repeats nothing', async () => {
		const simulator = await start();
		const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
		const emitAt = async (hours: number) =>
			(await simulator.emit({ createdAt: at(hours) }, { deliver: false })).event.id;
		await emitAt(10);
		const { node, poll } = await published({ parameters: { limit: 5 } });
		const ran = [await emitAt(9), await emitAt(8)];
		await pollUntil(poll, 'two runs', () => node.ids().length === 2);
		const missed = [];
		for (let n = 0; n < 12; n++) missed.push(await emitAt(7 - n / 2));
		// The memory of the process is gone; the ledger and n8n's saved data remain.
		const restarted = pollNode({
			workflowId: node.workflowId,
			parameters: { limit: 5 },
			staticData: node.saved(),
		});
		await pollUntil(restarted.activation('init'), 'the missed', () => restarted.ids().length >= 12);
		expect([...node.ids(), ...restarted.ids()]).toEqual([...ran, ...missed]);
	});

	it('keeps its position in the static data of its workflow, for itself only', async () => {
		await start({ events: 2 });
		const node = pollNode();
		await node.activation('activate')();
		const [ran = ''] = await record(1);
		await pollUntil(node.activation('init'), 'a run', () => node.ids().length === 1);
		const forget = async () => {
			const store = await ledger();
			const key = `poll:${node.workflowId}:node-1`;
			await store.swapRecord(key, await store.readRecord(key), undefined);
		};
		await forget();
		const missed = await record(2);
		const copied = pollNode({ staticData: node.saved() });
		await copied.activation('activate')();
		await copied.activation('init')();
		expect(copied.ids()).toEqual([]);
		const again = pollNode({ workflowId: node.workflowId, staticData: node.saved() });
		await pollUntil(again.activation('init'), 'the missed', () => again.ids().length === 2);
		expect(again.ids()).toEqual(missed);
		expect(again.ids()).not.toContain(ran);
	});

	it('continues at its position after the workflow is unpublished and published again', async () => {
		await start({ events: 2 });
		const node = pollNode();
		await node.activation('activate')();
		const missed = await record(3);
		await node.activation('activate')();
		await until('three runs', () => node.ids().length === 3);
		expect(node.ids()).toEqual(missed);
	});

	it('starts over after "Start From" has changed, without repeating events', async () => {
		await start({ events: 4 });
		const now = pollNode();
		await now.activation('activate')();
		const [ran = ''] = await record(1);
		await now.activation('init')();
		await until('a run', () => now.ids().length === 1);

		const retained = pollNode({
			workflowId: now.workflowId,
			parameters: { startFrom: 'retained' },
		});
		await pollUntil(
			retained.activation('activate'),
			'four runs',
			() => retained.ids().length === 4,
		);
		expect(retained.ids()).not.toContain(ran);

		const missed = await record(2);
		const again = pollNode({ workflowId: now.workflowId });
		await again.activation('activate')();
		await again.activation('init')();
		expect(again.ids()).toEqual([]);
		const fresh = await record(1);
		await pollUntil(again.activation('init'), 'a run', () => again.ids().length === 1);
		expect(again.ids()).toEqual(fresh);
		expect(again.ids()).not.toContain(missed[0]);
	});
});
