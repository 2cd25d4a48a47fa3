import { randomUUID } from 'node:crypto';
import type { INodeExecutionData } from 'n8n-workflow';
import { ledgerKey, openLedger } from '../../../lib/ledger';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { runTrigger } from '../../support/triggerRun';
import type { TriggerServer, TriggerServerOptions } from '../../support/triggerServer';
import { gate } from '../../support/wait';
import { eventOf, send, start, useLedgerOfItsOwn } from './deliveries';

useLedgerOfItsOwn();

type Outcome = 'succeeds' | 'fails';

/** A trigger whose URL responds when the execution has ended; `outcomes` are the results of the executions, in order. */
async function scene(
	outcomes: Outcome[],
	options: Partial<TriggerServerOptions> & { readonly during?: () => Promise<void> } = {},
) {
	const workflowId = randomUUID();
	/** The input of the node after the trigger, by execution. */
	const ran: (readonly unknown[])[] = [];
	const run = async (items: readonly INodeExecutionData[]) => {
		const trigger = new AssetServiceTrigger();
		const executionId = String(ran.length + 1);
		const begun = await runTrigger({ trigger, mode: 'webhook', executionId, workflowId, items });
		ran.push(begun.items.map(({ id }) => id));
		if (begun.items.length === 0) return;
		await options.during?.();
		if (outcomes.shift() === 'fails') throw new Error('a node failed');
	};
	const parameters = { acknowledge: 'succeeded' };
	const server = await start({ parameters, workflowId, run, ...options });
	const look = async ({ id }: { id: string }) =>
		await (await openLedger({ log: () => undefined })).look(ledgerKey(workflowId, id));
	return { server, ran, look, workflowId };
}

const deliver = (server: TriggerServer, event: unknown) =>
	send({ ...server, url: `${server.url}/done` }, event);

describe('an event that must succeed', () => {
	it('is done when its execution has ended, and then a duplicate', async () => {
		const { server, ran, look } = await scene(['succeeds']);
		const event = eventOf();
		expect(await deliver(server, event)).toMatchObject({ status: 200 });
		expect(await look(event)).toMatchObject({ state: 'done', attempts: 1 });
		expect(await deliver(server, event)).toMatchObject({ body: { status: 'duplicate' } });
		expect(ran).toEqual([[event.id]]);
	});

	it('starts again with each copy until an execution succeeds', async () => {
		const { server, ran, look } = await scene(['fails', 'fails', 'succeeds']);
		const event = eventOf();
		expect(await deliver(server, event)).toMatchObject({ status: 500 });
		expect(await look(event)).toMatchObject({ state: 'failed', attempts: 1 });
		const statuses = [];
		for (let copy = 0; copy < 3; copy++) statuses.push((await deliver(server, event)).status);
		expect(statuses).toEqual([500, 200, 200]);
		expect(ran).toEqual([[event.id], [event.id], [event.id]]);
		expect(await look(event)).toMatchObject({ state: 'done', attempts: 3 });
	});

	it('never runs twice at the same time: a copy waits for the end of the execution', async () => {
		const { open, opened } = gate();
		const { server, ran } = await scene(['succeeds'], {
			during: () => opened,
		});
		const event = eventOf();
		const copies = [deliver(server, event), deliver(server, event), deliver(server, event)];
		const first = await Promise.race([
			...copies,
			new Promise((resolve) => setTimeout(resolve, 300, 'all wait')),
		]);
		expect(first).toBe('all wait');
		open();
		const bodies = (await Promise.all(copies)).map(({ body }) => body);
		expect(bodies.filter((body) => body === undefined)).toHaveLength(1);
		expect(ran).toEqual([[event.id]]);
	});

	it('is delivered again if its execution lost its claim', async () => {
		const event = eventOf();
		const { server, ran, workflowId, look } = await scene([], {
			store: async () => {
				// As after a pause of the process: the claim has lapsed, and another copy has the event.
				const ledger = await openLedger({ log: () => undefined });
				await ledger.giveBack([ledgerKey(workflowId, event.id)], 'none', 60_000);
				await ledger.claim(ledgerKey(workflowId, event.id), 60_000);
			},
		});
		expect(await deliver(server, event)).toMatchObject({
			status: 503,
			body: { status: 'busy' },
		});
		expect(ran).toEqual([[]]);
		expect(await look(event)).toMatchObject({ state: 'pending', attempts: 0 });
	});

	it('hides the claim from the nodes after the trigger', async () => {
		const items: INodeExecutionData[] = [];
		const { server } = await scene([], {
			run: async (some) => {
				items.push(...some);
			},
		});
		await deliver(server, eventOf());
		const [item] = items;
		expect(Object.keys(item?.json ?? {}).sort()).toEqual(['createdAt', 'data', 'id', 'type']);
		expect(item).toHaveProperty('assetServiceClaim');
	});
});

describe('a batch that must succeed', () => {
	const batched = { parameters: { acknowledge: 'succeeded', delivery: 'batched' } };

	it('fails for all its events, which start again one by one', async () => {
		const { open, opened } = gate();
		const outcomes: Outcome[] = ['succeeds', 'fails'];
		const { server, ran, look } = await scene(outcomes, {
			...batched,
			during: () => opened,
		});
		const [alone, ...others] = [eventOf(), eventOf(), eventOf()];
		const first = deliver(server, alone);
		const rest = others.map((event) => deliver(server, event));
		await new Promise((resolve) => setTimeout(resolve, 300));
		open();
		expect(await first).toMatchObject({ status: 200 });
		expect((await Promise.all(rest)).map(({ status }) => status).sort()).toEqual([500, 503]);
		for (const event of others) expect(await look(event)).toMatchObject({ state: 'failed' });
		const again = await Promise.all(others.map((event) => deliver(server, event)));
		expect(again.map(({ status }) => status)).toEqual([200, 200]);
		expect(ran).toHaveLength(4);
		expect(ran.slice(2).flat().sort()).toEqual(others.map(({ id }) => id).sort());
	});
});

it('follows the URL that received the delivery, whatever the parameter says, and logs the difference', async () => {
	const warnings: string[] = [];
	const trigger = new AssetServiceTrigger();
	const { webhook } = trigger;
	trigger.webhook = async function () {
		jest.spyOn(this.logger, 'warn').mockImplementation((line) => void warnings.push(line));
		return await webhook.call(this);
	};
	const { server, look } = await scene([], { trigger, parameters: {} });
	const [stored, done] = [eventOf(), eventOf()];
	expect(await send(server, stored)).toMatchObject({ body: { status: 'accepted' } });
	expect(await look(stored)).toMatchObject({ state: 'stored' });
	expect(warnings).toEqual([]);
	expect((await deliver(server, done)).status).toBe(200);
	expect(await look(done)).toMatchObject({ state: 'done' });
	expect(warnings).toEqual([
		expect.stringContaining("production URL for 'Acknowledge' = 'Once Succeeded'"),
	]);

	const test = await start({ trigger, parameters: {}, mode: 'manual' });
	await deliver(test, eventOf());
	expect(warnings).toHaveLength(1);
});
