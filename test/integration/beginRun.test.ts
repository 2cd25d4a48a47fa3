import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IDataObject, WorkflowExecuteMode } from 'n8n-workflow';
import { ledgerKey, openLedger } from '../../lib/ledger';
import { EventLedger } from '../../lib/ledger/eventLedger';
import { AssetServicePollTrigger } from '../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceTrigger } from '../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { runTrigger } from '../support/triggerRun';

const folder = mkdtempSync(join(tmpdir(), 'asset-service-begin-'));
const ledgerPath = join(folder, 'ledger.sqlite');
const ledger = () => openLedger({ log: () => undefined });
const event = (id: string | number = randomUUID()) => ({ id, type: 'ocpp.message' });

beforeEach(() => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = ledgerPath;
});
afterEach(async () => {
	await (await ledger()).close();
});
afterAll(() => {
	rmSync(folder, { recursive: true, force: true });
});

describe.each([
	['webhook trigger', () => new AssetServiceTrigger(), 'webhook'],
	['poll trigger', () => new AssetServicePollTrigger(), 'trigger'],
] as const)('an execution of the %s', (_name, createTrigger, mode) => {
	const workflowId = randomUUID();
	let runs = 0;
	const run = async (
		items: readonly IDataObject[],
		options: { executionId?: string; mode?: WorkflowExecuteMode; workflowId?: string } = {},
	) =>
		await runTrigger({
			trigger: createTrigger(),
			mode,
			executionId: String((runs += 1)),
			workflowId,
			items,
			...options,
		});
	const stateOf = async ({ id }: { id: string | number }) =>
		(await (await ledger()).look(ledgerKey(workflowId, String(id)))).state;

	it('continues with an event that has not begun in another execution, which is done then', async () => {
		const fresh = event();
		expect((await run([fresh])).items).toEqual([fresh]);
		expect(await stateOf(fresh)).toBe('done');
	});

	it('succeeds without items if the event has begun in another execution', async () => {
		const seen = event();
		await run([seen]);
		expect((await run([seen])).items).toEqual([]);
	});

	it('ends without items if n8n starts the same execution again, as after a restart', async () => {
		const stored = event();
		expect((await run([stored], { executionId: 'again' })).items).toEqual([stored]);
		expect((await run([stored], { executionId: 'again' })).items).toEqual([]);
	});

	it('continues with one of several items for an event, as a batch has if the ledger lost its data while it gathered', async () => {
		const [twice, other] = [event(), event()];
		const { items } = await run([twice, other, { ...twice }]);
		expect(items).toEqual([twice, other]);
	});

	it('continues with items without an ID, in addition to the events that it wins', async () => {
		const [seen, fresh] = [event(), event()];
		await run([seen]);
		expect((await run([{ note: 'a' }, seen, fresh])).items).toEqual([{ note: 'a' }, fresh]);
	});

	it('treats the number 7 and the text "7" as the same event', async () => {
		await run([event(7)]);
		expect((await run([event('7')])).items).toEqual([]);
	});

	it('continues with an event whose delivery is still being handed over, and with a stored one', async () => {
		const [pending, stored] = [event(), event()];
		const store = await ledger();
		await store.claim(ledgerKey(workflowId, String(pending.id)));
		const claim = await store.claim(ledgerKey(workflowId, String(stored.id)));
		if (claim.state === 'claimed') await store.commit([claim.claim], 60_000);
		expect((await run([pending, stored])).items).toEqual([pending, stored]);
	});

	it('continues when a user retries it, and takes events that have not begun', async () => {
		const [begun, free] = [event(), event()];
		await run([begun]);
		expect((await run([begun, free], { mode: 'retry' })).items).toEqual([begun, free]);
		expect((await run([free])).items).toEqual([]);
	});

	it.each(['integrated', 'internal', 'error', 'cli', 'evaluation'] as const)(
		'passes on its items in mode %s without using the ledger',
		async (foreign) => {
			const [seen, fresh] = [event(), event()];
			await run([seen]);
			expect((await run([seen, fresh], { mode: foreign })).items).toEqual([seen, fresh]);
			expect(await stateOf(fresh)).toBe('free');
		},
	);

	it('fails while the ledger is down, says what to do, and can be retried', async () => {
		await (await ledger()).close();
		const away = join(folder, randomUUID());
		mkdirSync(away);
		process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = away;
		const giveBack = jest.spyOn(EventLedger.prototype, 'giveBack');
		const givenBack = async () => {
			const calls = giveBack.mock.results.map(({ value }) => value as Promise<void>);
			return (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled');
		};
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
		/** Lets time pass on the clock of the test, and the disk do its work, until the condition is met. */
		const passTimeUntil = async (isSo: () => Promise<boolean> | boolean) => {
			while (!(await isSo())) {
				await jest.advanceTimersByTimeAsync(1_000);
				await new Promise(setImmediate);
			}
		};
		try {
			const lost = event();
			let isOver = false;
			const failing = run([lost]).finally(() => {
				isOver = true;
			});
			await passTimeUntil(() => isOver);
			const { items, error } = await failing;
			expect(items).toEqual([]);
			expect(error?.message).toContain('Event ledger unreachable: execution stopped');
			expect(error?.description).toContain(away);
			expect((await run([lost], { mode: 'retry' })).items).toEqual([lost]);
			// Once the ledger is back, it knows of the retry.
			await (await ledger()).close();
			process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = ledgerPath;
			await passTimeUntil(async () => (await stateOf(lost)) === 'done');
			// Background work must end before the test ends.
			await passTimeUntil(async () => (await givenBack()).length === 2);
			expect(await stateOf(lost)).toBe('done');
		} finally {
			jest.useRealTimers();
			giveBack.mockRestore();
		}
	});
});
