import { ledgerKey } from '../../../lib/ledger';
import { ledger, pollNode, pollUntil, record, start, until, useWorldOfItsOwn } from './polls';

useWorldOfItsOwn();

describe('a poll', () => {
	it.each(['newestFirst', 'oldestFirst'] as const)(
		'starts nothing for what was there at publication, then each new event once, oldest first (%s)',
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

	it('starts only the events that meet its conditions', async () => {
		const simulator = await start();
		const condition = [{ field: 'data.connector', operator: 'greaterThan', value: '1' }];
		const node = pollNode({ parameters: { conditions: { condition } } });
		const poll = node.activation('activate');
		await poll();
		for (const connector of [1, 2, 3]) {
			await simulator.emit({ data: { connector } }, { deliver: false });
		}
		await poll();
		await until('two runs', () => node.started.length === 2);
		expect(node.started.map(({ data }) => data)).toEqual([{ connector: 2 }, { connector: 3 }]);
	});

	it('is refused at publication while a condition cannot be met by any event', async () => {
		await start();
		const condition = [{ field: 'data.connector', operator: 'lessThan', value: 'abc' }];
		const poll = pollNode({ parameters: { conditions: { condition } } }).activation('activate');
		await expect(poll()).rejects.toMatchObject({
			message: expect.stringMatching(
				/^The conditions cannot be met by any event\. Condition 1: “abc” is not a number/,
			) as string,
			description: expect.stringContaining('“abc” is not a number') as string,
		});
	});

	it('gives each event the shape of a delivered one', async () => {
		const simulator = await start();
		const node = pollNode();
		const poll = node.activation('activate');
		await poll();
		const { event } = await simulator.emit({ data: { a: 1 } }, { deliver: false });
		await poll();
		await until('a run', () => node.started.length === 1);
		expect(node.started).toEqual([event]);
	});

	it('starts everything that is still listed when it is set to', async () => {
		await start({ events: 60 });
		const node = pollNode({ parameters: { startFrom: 'retained', limit: 10 } });
		await node.activation('activate')();
		await until('all runs', () => node.ids().length === 60);
		expect(new Set(node.ids()).size).toBe(60);
		expect(node.started.map(({ createdAt }) => createdAt)).toEqual(
			node.started.map(({ createdAt }) => createdAt).sort(),
		);
	});

	it('catches up after a restart', async () => {
		await start();
		const node = pollNode();
		await node.activation('activate')();
		const missed = await record(12);
		await node.activation('init')();
		await until('twelve runs', () => node.ids().length === 12);
		expect(node.ids()).toEqual(missed);
	});

	it('goes on where it was when the workflow was unpublished and is published again', async () => {
		await start({ events: 2 });
		const node = pollNode();
		await node.activation('activate')();
		const missed = await record(3);
		await node.activation('activate')();
		await until('three runs', () => node.ids().length === 3);
		expect(node.ids()).toEqual(missed);
	});

	it('begins anew when "Start From" was changed, and keeps apart what has run', async () => {
		await start({ events: 4 });
		const now = pollNode();
		await now.activation('activate')();
		const [ran = ''] = await record(1);
		await now.activation('init')();
		await until('a run', () => now.ids().length === 1);
		await (await ledger()).begin([ledgerKey(now.workflowId, ran)], '1', 60_000);

		const retained = pollNode({
			workflowId: now.workflowId,
			parameters: { startFrom: 'retained' },
		});
		await retained.activation('activate')();
		await until('four runs', () => retained.ids().length === 4);
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

	it('leaves alone what a webhook brought, or is bringing', async () => {
		await start();
		const node = pollNode();
		const poll = node.activation('activate');
		await poll();
		const [brought = '', coming = '', missed = ''] = await record(3);
		const claim = await (await ledger()).claim(ledgerKey(node.workflowId, brought), 60_000);
		if (claim.state === 'claimed') await (await ledger()).commit(claim.claim, 60_000);
		await (await ledger()).claim(ledgerKey(node.workflowId, coming), 60_000);
		await poll();
		await until('a run', () => node.ids().length === 1);
		expect(node.ids()).toEqual([missed]);
	});

	it('starts wanted types only', async () => {
		await start();
		const node = pollNode({ parameters: { eventTypes: ['asset.*'] } });
		const poll = node.activation('activate');
		await poll();
		await record(2, 'ocpp.message');
		const wanted = await record(2, 'asset.connectivity');
		await poll();
		await until('two runs', () => node.ids().length === 2);
		expect(node.ids()).toEqual(wanted);
	});
});
