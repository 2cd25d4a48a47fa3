import { randomUUID } from 'node:crypto';
import type { INodeExecutionData } from 'n8n-workflow';
import { ledgerKey, openLedger } from '../../../lib/ledger';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { passTimeInSqlite } from '../../support/n8n/ledgerClock';
import { runTrigger } from '../../support/triggerRun';
import type { TriggerServer, TriggerServerOptions } from '../../support/triggerServer';
import { gate, waitFor } from '../../support/wait';
import { eventOf, ledgerPath, send, start, useLedgerOfItsOwn } from './deliveries';

useLedgerOfItsOwn();

const MINUTE = 60_000;

interface Choices extends Partial<TriggerServerOptions> {
	/** In the node after the trigger. */
	readonly during?: () => Promise<void>;
}

/** A trigger whose executions end with these outcomes, in order, and then succeed. */
async function scene(outcomes: ('succeeds' | 'fails' | 'sleeps')[], choices: Choices = {}) {
	const { during, parameters = { acknowledge: 'succeeded' }, ...options } = choices;
	const workflowId = randomUUID();
	/** The events that the node after the trigger got, by execution. */
	const ran: (readonly unknown[])[] = [];
	const warnings: string[] = [];
	const trigger = new AssetServiceTrigger();
	const { webhook } = trigger;
	trigger.webhook = async function () {
		jest.spyOn(this.logger, 'warn').mockImplementation((line) => {
			// Of another one, a line may come as late as a minute after its test.
			if (line.includes(workflowId)) warnings.push(line);
		});
		return await webhook.call(this);
	};
	let executions = 0;
	const run = async (items: readonly INodeExecutionData[]) => {
		const { error } = await runTrigger({
			...{ trigger, parameters, mode: 'webhook', items, workflowId },
			executionId: String(++executions),
			async next() {
				ran.push(this.getInputData().map(({ json }) => json['id']));
				await during?.();
				const outcome = outcomes.shift();
				if (outcome === 'fails') throw new Error('a node failed');
				if (outcome === 'sleeps') await this.putExecutionToWait(new Date(Date.now() + MINUTE));
				return [this.getInputData()];
			},
		});
		if (error) throw new Error(error.message);
	};
	const server = await start({ trigger, parameters, workflowId, run, ...options });
	const look = async ({ id }: { id: string }) =>
		await (await openLedger({ log: () => undefined })).look(ledgerKey(workflowId, id));
	return { server, ran, look, warnings, executions: () => executions };
}

/** To the URL where n8n responds when the execution has ended. */
const deliver = (server: TriggerServer, event: unknown) =>
	send({ ...server, url: `${server.url}/done` }, event);

describe('an event that must succeed', () => {
	it.each(['succeeds', 'sleeps'] as const)('is a duplicate once its execution %s', async (how) => {
		const { server, ran, look } = await scene([how]);
		const event = eventOf();
		expect(await deliver(server, event)).toMatchObject({ status: 200, body: undefined });
		const state = how === 'sleeps' ? 'asleep' : 'done';
		expect(await look(event)).toMatchObject({ state, attempts: 1 });
		expect(await deliver(server, event)).toMatchObject({ body: { status: 'duplicate' } });
		expect(ran).toEqual([[event.id]]);
	});

	it('starts again with a redelivery after a pause that grows, until an execution succeeds', async () => {
		const { server, ran, look } = await scene(['fails', 'fails', 'succeeds']);
		const event = eventOf();
		for (const [attempts, pauseMs] of [
			[1, MINUTE],
			[2, 5 * MINUTE],
		] as const) {
			expect(await deliver(server, event)).toMatchObject({ status: 500 });
			expect(await look(event)).toMatchObject({ state: 'failed', attempts });
			const early = await deliver(server, event);
			expect(early).toMatchObject({ status: 503, body: { status: 'busy' } });
			const retryAfter = Number(early.headers.get('retry-after'));
			expect(retryAfter).toBeLessThanOrEqual(pauseMs / 1000);
			expect(retryAfter).toBeGreaterThan(pauseMs / 1000 - 30);
			passTimeInSqlite(ledgerPath, pauseMs);
		}
		expect(await deliver(server, event)).toMatchObject({ status: 200 });
		expect(await deliver(server, event)).toMatchObject({ body: { status: 'duplicate' } });
		expect(await look(event)).toMatchObject({ state: 'done', attempts: 3 });
		expect(ran).toEqual([[event.id], [event.id], [event.id]]);
	});

	it('never runs twice at the same time: a redelivery waits for the end of the execution', async () => {
		const { open, opened } = gate();
		const { server, ran } = await scene([], { during: () => opened });
		const event = eventOf();
		const sent = [deliver(server, event), deliver(server, event), deliver(server, event)];
		const first = await Promise.race([
			...sent,
			new Promise((resolve) => setTimeout(resolve, 300, 'all wait')),
		]);
		expect(first).toBe('all wait');
		open();
		const bodies = (await Promise.all(sent)).map(({ body }) => body);
		expect(bodies.filter((body) => body === undefined)).toHaveLength(1);
		expect(ran).toEqual([[event.id]]);
	});

	it('keeps its setting at the URL that responds early, which is logged', async () => {
		const { server, look, warnings } = await scene(['fails']);
		const event = eventOf();
		expect(await send(server, event)).toMatchObject({ body: { status: 'accepted' } });
		await waitFor(async () => (await look(event)).state === 'failed', { what: 'its failure' });
		expect(await look(event)).toHaveProperty('dueInMs');
		expect(await send(server, event)).toMatchObject({ status: 503, body: { status: 'busy' } });
		passTimeInSqlite(ledgerPath, MINUTE);
		expect(await send(server, event)).toMatchObject({ body: { status: 'accepted' } });
		await waitFor(async () => (await look(event)).state === 'done', { what: 'its success' });
		expect(warnings.filter((line) => line.includes('a delivery arrived at the URL'))).toEqual([
			expect.stringContaining("the URL for 'If the Execution Fails' = 'Do Not Start Again'"),
		]);
	});
});

describe('an event that must be stored', () => {
	it.each(['succeeds', 'fails'] as const)(
		'starts one execution at the URL that responds late, also if that %s',
		async (how) => {
			const { server, ran, look, warnings, executions } = await scene([how], { parameters: {} });
			const event = eventOf();
			expect((await deliver(server, event)).status).toBe(200);
			const state = how === 'fails' ? 'failed' : 'done';
			expect(await look(event)).toMatchObject({ state, attempts: 1 });
			expect(await deliver(server, event)).toMatchObject({ body: { status: 'duplicate' } });
			expect([ran, executions()]).toEqual([[[event.id]], 1]);
			expect(warnings).toEqual([
				expect.stringContaining("the URL for 'If the Execution Fails' = 'Start Again'"),
			]);
		},
	);

	it('is not logged in a test in the editor, at whichever URL', async () => {
		const { server, warnings } = await scene([], { parameters: {}, mode: 'manual' });
		await deliver(server, eventOf());
		expect(warnings).toEqual([]);
	});
});
