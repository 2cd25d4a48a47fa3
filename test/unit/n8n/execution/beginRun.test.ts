/** What an execution does in the ledger: see test/integration/beginRun.test.ts for its items, with n8n's own engine. */
import type { IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';
import { type Acknowledge, ledgerKey } from '../../../../lib/ledger';
import { beginRun } from '../../../../n8n/execution/beginRun';
import { MemoryLedger } from '../../ledger/memoryLedger';
import { useStoppedClock } from '../../ledger/stoppedClock';

let ledger: MemoryLedger;
jest.mock('../../../../n8n/execution/ledger', () => ({ ledgerFor: async () => ledger }));
beforeEach(() => {
	ledger = new MemoryLedger();
});

const MINUTE = 60_000;
const keyOf = (id: string) => ledgerKey('workflow', id);

interface Choices {
	readonly ids?: readonly string[];
	readonly mode?: WorkflowExecuteMode;
	readonly acknowledge?: Acknowledge;
	/** Whether this n8n reports the end of an execution. */
	readonly reportsEnd?: boolean;
	/** n8n's own handler, which saves the execution; it always can by default. */
	readonly save?: () => Promise<void>;
}

/** An execution whose first step has been called. */
function execution(choices: Choices = {}) {
	const { ids = ['a'], mode = 'webhook', acknowledge = 'succeeded', reportsEnd = true } = choices;
	const { save = async () => undefined } = choices;
	const lines: string[] = [];
	const log = (line: string) => lines.push(line);
	const handlers: { workflowExecuteAfter?: ((run: unknown) => Promise<void>)[] } = {
		...(reportsEnd && { workflowExecuteAfter: [save] }),
	};
	const abort = new AbortController();
	const context = {
		additionalData: { hooks: { handlers } },
		runExecutionData: { resultData: {} },
		getInputData: () => ids.map((id) => ({ json: { id } })),
		getMode: () => mode,
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ name: 'Events', type: 'package.assetServiceTrigger' }),
		getExecutionId: () => '4711',
		getExecutionCancelSignal: () => abort.signal,
		logger: { info: log, warn: log },
	} as unknown as IExecuteFunctions;
	const settings = { acknowledge, retentionMs: 100 * MINUTE };
	const ran = beginRun(context, settings).then((items) => items.map(({ json }) => json['id']));
	const settled = jest.fn();
	void ran.then(settled, settled);
	/** n8n ends the execution with this status. */
	const end = async (status: string) => {
		for (const handler of handlers.workflowExecuteAfter ?? []) await handler({ status });
	};
	/** As by a user. */
	const stop = async () => {
		abort.abort();
		await end('canceled');
	};
	return { lines, ran, settled, end, stop };
}

it.each([
	['success', 'done', undefined],
	['error', 'failed', MINUTE],
	['canceled', 'failed', 5 * MINUTE],
	['waiting', 'asleep', undefined],
])('an execution that ends with %s leaves its event %s', async (status, state, dueInMs) => {
	const { ran, end } = execution();
	expect(await ran).toEqual(['a']);
	expect(ledger.stateOf(keyOf('a'))).toBe('running');
	await end(status);
	const { dueInMs: due, ...account } = await ledger.look(keyOf('a'));
	expect(account).toMatchObject({
		state,
		attempts: 1,
		run: expect.stringMatching(/^4711:/) as string,
	});
	expect(due === undefined ? undefined : Math.ceil(due / MINUTE) * MINUTE).toBe(dueInMs);
	expect(ledger.isRunning).toBe(false);
	// n8n may report it once more, from the last node that was still running.
	await end('error');
	expect(ledger.stateOf(keyOf('a'))).toBe(state);
});

it('the log says how many events are skipped, and nothing if none is', async () => {
	const first = execution({ ids: ['a'] });
	await first.ran;
	expect(first.lines).toEqual([]);
	const { ran, lines } = execution({ ids: ['a', 'b'] });
	expect(await ran).toEqual(['b']);
	expect(lines).toEqual([
		'Asset Service Trigger "Events" in workflow workflow: 1 of 2 events skipped: another execution has already started them',
	]);
});

it('an execution without any of its events changes nothing at its end', async () => {
	await execution().ran;
	const { ran, end } = execution();
	expect(await ran).toEqual([]);
	await end('error');
	expect(ledger.stateOf(keyOf('a'))).toBe('running');
});

it('an error other than that of an unavailable ledger ends the execution at once', async () => {
	jest.spyOn(ledger, 'begin').mockRejectedValue(new Error('unforeseen'));
	await expect(execution().ran).rejects.toThrow('unforeseen');
});

describe('on an n8n that does not report the end of an execution', () => {
	it('an event that must be stored has begun, for good', async () => {
		expect(await execution({ acknowledge: 'stored', reportsEnd: false }).ran).toEqual(['a']);
		expect(ledger.stateOf(keyOf('a'))).toBe('begun');
	});

	it('an execution that must succeed fails, and says what to do', async () => {
		await expect(execution({ reportsEnd: false }).ran).rejects.toMatchObject({
			message: expect.stringContaining('needs a newer version of n8n') as string,
			description: expect.stringContaining('Update n8n to 2.33') as string,
		});
		expect(ledger.stateOf(keyOf('a'))).toBe('free');
	});
});

describe('a retry by a user', () => {
	it.each([
		['running', false],
		['done', false],
		['failed', true],
		['interrupted', true],
		['begun', true],
		['stored', true],
		['free', true],
	] as const)('continues with an event that is %s, and takes it: %s', async (state, isTaken) => {
		ledger.put(keyOf('a'), state);
		const { ran, end } = execution({ mode: 'retry', acknowledge: 'stored' });
		expect(await ran).toEqual(['a']);
		await end('error');
		expect(ledger.stateOf(keyOf('a'))).toBe(isTaken ? 'failed' : state);
	});
});

describe('on a clock of the test', () => {
	useStoppedClock();
	const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

	it.each([
		['succeeded', 'success', true],
		['succeeded', 'error', true],
		['stored', 'waiting', true],
		['stored', 'success', false],
	] as const)('with %s, n8n waits for the end to be written after %s: %s', async (...row) => {
		const [acknowledge, status, isAwaited] = row;
		const { ran, end } = execution({ acknowledge });
		await ran;
		ledger.delayMs = 1_000;
		const ended = jest.fn();
		void end(status).then(ended);
		await pass(900);
		expect(ended).toHaveBeenCalledTimes(isAwaited ? 0 : 1);
		await pass(100);
		expect(ended).toHaveBeenCalled();
		expect(ledger.isRunning).toBe(false);
	});

	it('n8n waits 20 s for a ledger that is down, which learns the end later', async () => {
		const { ran, end } = execution();
		await ran;
		ledger.failing = true;
		const ended = jest.fn();
		void end('success').then(ended);
		await pass(19_900);
		expect(ended).not.toHaveBeenCalled();
		await pass(100);
		expect(ended).toHaveBeenCalled();
		ledger.failing = false;
		await pass(2_000);
		expect(ledger.stateOf(keyOf('a'))).toBe('done');
	});

	it('an execution that is stopped while the ledger is down begins nothing', async () => {
		ledger.failing = true;
		const { stop, settled } = execution();
		await pass(10_000);
		await stop();
		await pass(1_000);
		expect(settled).toHaveBeenCalledWith(expect.any(Error));
		ledger.failing = false;
		await pass(10_000);
		expect(ledger.stateOf(keyOf('a'))).toBe('free');
		expect(ledger.count('end')).toBe(0);
		expect(ledger.isRunning).toBe(false);
	});

	it.each(['canceled', 'success'])(
		'an execution that ends as %s before it knows that it has begun is over in the ledger',
		async (status) => {
			ledger.delayMs = 1_000;
			const { ran, end } = execution();
			await pass(1_500);
			await end(status);
			await pass(5_000);
			await ran;
			expect(ledger.stateOf(keyOf('a'))).toBe(status === 'success' ? 'done' : 'failed');
			expect(ledger.isRunning).toBe(false);
		},
	);

	it('an execution fails when the ledger is down for 30 s, and gives its events back', async () => {
		// Opens the session.
		await ledger.look(keyOf('a'));
		ledger.losing = true;
		const { settled } = execution();
		await pass(29_000);
		expect(settled).not.toHaveBeenCalled();
		await pass(1_000);
		expect(settled).toHaveBeenCalledWith(
			expect.objectContaining({
				message: 'Event ledger unreachable: execution stopped before running any node',
				description: expect.stringContaining('Retry this execution') as string,
			}),
		);
		ledger.losing = false;
		await pass(10_000);
		expect(ledger.stateOf(keyOf('a'))).toBe('overdue');
		expect(ledger.isRunning).toBe(false);
	});

	it.each([0, 5_000])(
		'a retry continues without the ledger, which learns of it and of its end %i ms later',
		async (ms) => {
			ledger.failing = true;
			const { ran, end, lines } = execution({ mode: 'retry' });
			expect(await ran).toEqual(['a']);
			expect(lines).toEqual([
				expect.stringMatching(/the retry continues without the event ledger .*: The disk is full/),
			]);
			await end('error');
			await pass(ms);
			ledger.failing = false;
			await pass(3_000);
			expect(await ledger.look(keyOf('a'))).toMatchObject({ state: 'failed', attempts: 1 });
			expect(ledger.isRunning).toBe(false);
		},
	);
});

it('an execution that n8n cannot save is interrupted', async () => {
	const save = jest.fn().mockRejectedValue(new Error('database is locked'));
	const { ran, end } = execution({ save });
	await ran;
	await expect(end('success')).rejects.toThrow('database is locked');
	expect(await ledger.look(keyOf('a'))).toMatchObject({ state: 'interrupted', attempts: 1 });
	expect(ledger.isRunning).toBe(false);
});
