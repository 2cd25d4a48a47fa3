/** How an execution in n8n's own engine leaves its events in the ledger. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerKey, openLedger } from '../../lib/ledger';
import { AssetServicePollTrigger } from '../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceTrigger } from '../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import type { Next } from '../support/engine';
import { startTrigger } from '../support/triggerRun';
import { gate, waitFor } from '../support/wait';

const MINUTE = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'asset-service-end-'));
const ledger = () => openLedger({ log: () => undefined });

beforeAll(() => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = join(folder, 'ledger.sqlite');
});
afterAll(async () => {
	await (await ledger()).close();
	rmSync(folder, { recursive: true, force: true });
});

const succeeds: Next = async function () {
	return [this.getInputData()];
};
const fails: Next = async () => {
	throw new Error('a node failed');
};
const sleeps: Next = async function () {
	await this.putExecutionToWait(new Date(Date.now() + 60 * MINUTE));
	return [this.getInputData()];
};

describe.each([
	['webhook trigger', () => new AssetServiceTrigger(), 'webhook'],
	['poll trigger', () => new AssetServicePollTrigger(), 'trigger'],
] as const)('an execution of the %s', (_name, createTrigger, mode) => {
	/** An execution with one event, and the event in the ledger. */
	const started = (
		next: Next,
		acknowledge: 'stored' | 'succeeded' = 'succeeded',
		save?: () => Promise<void>,
	) => {
		const [id, workflowId] = [randomUUID(), randomUUID()];
		const parameters = { acknowledge };
		const execution = startTrigger({
			...{ trigger: createTrigger(), parameters, mode, executionId: '1', workflowId },
			...{ items: [{ id }], next, save },
		});
		const look = async () => await (await ledger()).look(ledgerKey(workflowId, id));
		return { ...execution, look };
	};

	it.each([
		['succeeds', succeeds, 'success', 'done', undefined],
		['fails', fails, 'error', 'failed', 1],
		['goes to sleep', sleeps, 'waiting', 'asleep', undefined],
	] as const)('that %s', async (_how, next, status, state, dueInMinutes) => {
		const { finished, look } = started(next);
		expect(await finished).toMatchObject({ status });
		const { dueInMs, ...account } = await look();
		expect(account).toMatchObject({ state, attempts: 1 });
		expect(dueInMs && Math.ceil(dueInMs / MINUTE)).toBe(dueInMinutes);
	});

	it('that a user stops is due again in five minutes', async () => {
		const { open, opened } = gate();
		const { finished, cancel, look } = started(async function () {
			await opened;
			return [this.getInputData()];
		});
		await waitFor(async () => (await look()).state === 'running', { what: 'it to begin' });
		cancel();
		await waitFor(async () => (await look()).state === 'failed', { what: 'its end' });
		// The node was still running.
		open();
		expect(await finished).toMatchObject({ status: 'canceled' });
		const { state, dueInMs = 0 } = await look();
		expect([state, Math.ceil(dueInMs / MINUTE)]).toEqual(['failed', 5]);
	});

	it('that fails does not repeat its event if that need only be stored', async () => {
		const { finished, look } = started(fails, 'stored');
		await finished;
		await waitFor(async () => (await look()).state === 'failed', { what: 'its end' });
		expect(await look()).not.toHaveProperty('dueInMs');
	});

	it('that n8n cannot save is interrupted, and due again', async () => {
		const log = jest.spyOn(console, 'error').mockReturnValue();
		const { finished, look, data } = started(succeeds, 'succeeded', async () => {
			throw new Error('database is locked');
		});
		await finished;
		expect(log).toHaveBeenCalled();
		log.mockRestore();
		await waitFor(async () => (await look()).state !== 'running', { what: 'its end' });
		expect(await look()).toMatchObject({ state: 'interrupted', attempts: 1 });
		// Something may hold a lost execution, such as the stack of an error that was logged.
		expect(data.resultData.error?.message).toBe('database is locked');
	});
});
