/** What the recorder writes of a real n8n is enough for the checker to find a broken promise, and says what it cannot judge. */
import { check, judges } from '../../history/checker/check';
import { RULES } from '../../history/checker/rules';
import type { Call } from '../../support/counter';
import { type Recorder, startRecorder } from '../../support/n8n/recorder';
import type { Execution, ExecutionSummary } from '../../support/n8n/responses';
import { runs } from '../../support/n8n/server';
import type { Attempt } from '../../support/sender';

const HOST = '127.0.0.1:5678';
/** When the test begins: what happens before its recorder starts is not wanted. */
let begin: number;
const at = (second: number) => begin + second * 1_000;
const asText = (second: number) => new Date(at(second)).toISOString();

interface Row {
	readonly id: string;
	readonly status: ExecutionSummary['status'];
	readonly mode?: string;
	/** In seconds. */
	readonly storedAt?: number;
	readonly endedAt?: number;
	/** The events that have not passed the trigger. */
	readonly waiting?: readonly string[];
	/** Whether n8n has more of it than its row; true by default. */
	readonly hasData?: boolean;
}

let rows: Row[];
let calls: Call[];

beforeEach(() => {
	begin = Date.now();
	rows = [];
	calls = [];
	runs.splice(0, runs.length, {
		...{ name: 'main', host: HOST, command: 'start', startedAt: at(-60), pauses: [] },
	});
});

function recorderOf(acknowledge: 'stored' | 'succeeded' = 'stored'): Recorder {
	return startRecorder({
		...{ workflow: { id: 'workflow' }, counter: { calls } },
		settings: { acknowledge, batchSize: 1, wants: 'all' },
		client: {
			listExecutions: async () =>
				rows.map(({ id, status, mode = 'webhook', endedAt }) => ({
					...{ id, workflowId: 'workflow', mode, status, startedAt: null },
					stoppedAt: endedAt === undefined ? null : asText(endedAt),
				})),
			findExecution: async (wanted) => executionOf(rows.find(({ id }) => id === wanted)),
		},
	});
}

function executionOf(row?: Row): Execution | undefined {
	if (row === undefined) throw new Error('There is no such execution.');
	const { id, status, storedAt = 1, waiting = [], hasData = true } = row;
	if (!hasData) return undefined;
	const main = [waiting.map((event) => ({ json: { id: event } }))];
	return {
		...{ id, workflowId: 'workflow', mode: 'webhook', status, createdAt: asText(storedAt) },
		data: {
			resultData: { runData: {} },
			executionData: { nodeExecutionStack: [{ data: { main } }] },
		},
	};
}

/** An execution begins with an event. */
function call(event: string, execution: string, second: number): void {
	const said = { execution, host: HOST, isReplayed: false };
	calls.push({ at: at(second), events: [event], ...said });
}

/** An event is delivered within a second. */
function deliver(recorder: Recorder, id: string, second: number, attempt: Partial<Attempt> = {}) {
	recorder.attempted(
		{ id, type: 'ocpp.message', createdAt: asText(0), data: { asset: { id: 'asset' } } },
		{
			...{ url: `http://${HOST}/webhook`, startedAt: at(second), endedAt: at(second + 1) },
			...{ status: 200, outcome: 'accepted', error: undefined, ...attempt },
		},
	);
}

const broken = async (recorder: Recorder) =>
	check(await recorder.lines()).map(({ rule, message }) => `${rule}: ${message}`);

it('finds nothing in an event that is delivered twice and starts once', async () => {
	const recorder = recorderOf();
	deliver(recorder, 'a', 1);
	deliver(recorder, 'a', 5, { outcome: 'duplicate' });
	rows.push({ id: '1', status: 'success', endedAt: 3 });
	call('a', '1', 2);
	expect(await broken(recorder)).toEqual([]);
});

it('finds an event that is acknowledged but not stored, unless its sender had waited for 30 s', async () => {
	const lost = { status: 0, outcome: undefined, endedAt: at(31) };
	const recorder = recorderOf();
	deliver(recorder, 'a', 1, { ...lost, error: 'ECONNRESET' });
	deliver(recorder, 'a', 33, { outcome: 'duplicate' });
	deliver(recorder, 'b', 1, { ...lost, error: 'timeout' });
	deliver(recorder, 'b', 33, { outcome: 'duplicate' });
	expect(await broken(recorder)).toEqual([
		'acknowledged when stored: a was acknowledged (200 duplicate) and n8n has stored no execution',
	]);
});

it('finds an event that starts a second time', async () => {
	const recorder = recorderOf();
	deliver(recorder, 'a', 1);
	rows.push(
		{ id: '1', status: 'success', endedAt: 3 },
		{ id: '2', status: 'success', endedAt: 13 },
	);
	call('a', '1', 2);
	call('a', '2', 12);
	expect(await broken(recorder)).toEqual(
		expect.arrayContaining([expect.stringMatching(/^one execution: a in execution 2 .* started/)]),
	);
});

it('finds an event that starts while its first execution is running, unless its process was killed', async () => {
	const recorder = recorderOf('succeeded');
	deliver(recorder, 'a', 1);
	rows.push(
		{ id: '1', status: 'running' },
		{ id: '2', status: 'success', storedAt: 489, endedAt: 500 },
	);
	call('a', '1', 2);
	call('a', '2', 490);
	expect(await broken(recorder)).toContainEqual(
		expect.stringMatching(/^one execution: .* while 1 was running/),
	);
	runs[0] = { ...runs[0], ended: { is: 'killed', at: at(3) } } as (typeof runs)[number];
	expect(await broken(recorder)).toEqual([]);
});

it('finds an acknowledged event that n8n has not stored', async () => {
	const recorder = recorderOf();
	deliver(recorder, 'a', 1);
	expect(await broken(recorder)).toEqual([
		expect.stringMatching(/^acknowledged when stored: a was acknowledged/),
	]);
});

it('finds nothing in acknowledged events whose executions n8n has lost with their data', async () => {
	const recorder = recorderOf();
	for (const event of ['a', 'b']) deliver(recorder, event, 1);
	rows.push({ id: '1', status: 'error', endedAt: 60 }, { id: '2', status: 'error', endedAt: 60 });
	expect(await broken(recorder)).toEqual([]);
	rows.pop();
	expect(await broken(recorder)).toHaveLength(1);
});

it('finds an event for each execution that passed nothing on, in whatever order n8n lists them', async () => {
	const recorder = recorderOf();
	deliver(recorder, 'a', 2, { endedAt: at(6) });
	deliver(recorder, 'b', 1, { endedAt: at(4) });
	deliver(recorder, 'c', 3, { endedAt: at(5) });
	rows.push(
		{ id: '3', status: 'error', storedAt: 4.5, endedAt: 60 },
		{ id: '2', status: 'error', storedAt: 3.5, endedAt: 60 },
		{ id: '1', status: 'error', storedAt: 2.5, endedAt: 60 },
	);
	expect(await broken(recorder)).toEqual([]);
	rows.reverse();
	expect(await broken(recorder)).toEqual([]);
});

it('takes an execution that passed nothing on for one of an accepted event, not of a duplicate', async () => {
	const recorder = recorderOf();
	deliver(recorder, 'a', 1);
	deliver(recorder, 'a', 9, { outcome: 'duplicate' });
	deliver(recorder, 'b', 9);
	rows.push(
		{ id: '1', status: 'new', waiting: ['a'] },
		{ id: '2', status: 'success', storedAt: 9.5, endedAt: 10 },
	);
	expect(await broken(recorder)).toEqual([]);
});

it('finds an event that n8n stores again while its first execution waits', async () => {
	const recorder = recorderOf();
	deliver(recorder, 'a', 1);
	deliver(recorder, 'a', 9);
	const waiting = ['a'];
	rows.push(
		{ id: '1', status: 'new', waiting },
		{ id: '2', status: 'new', storedAt: 9.5, waiting },
	);
	expect(await broken(recorder)).toEqual([
		expect.stringMatching(/^one hand-over at a time: n8n got execution 2 for a/),
	]);
});

it('finds nothing in an event that n8n stores again after its sender had hung up: n8n may have refused it', async () => {
	const recorder = recorderOf();
	deliver(recorder, 'a', 1, { status: 0, outcome: undefined, error: 'timeout', endedAt: at(31) });
	deliver(recorder, 'a', 35);
	const waiting = ['a'];
	rows.push(
		{ id: '1', status: 'new', storedAt: 11, waiting },
		{ id: '2', status: 'new', storedAt: 35.5, waiting },
	);
	expect(await broken(recorder)).toEqual([]);
});

it('finds nothing in an execution of which n8n has no data', async () => {
	const recorder = recorderOf();
	deliver(recorder, 'a', 1, { status: 500, outcome: undefined });
	deliver(recorder, 'a', 5);
	rows.push(
		{ id: '1', status: 'new', hasData: false },
		{ id: '2', status: 'success', storedAt: 5.5, endedAt: 7 },
	);
	call('a', '2', 6);
	expect(await broken(recorder)).toEqual([]);
});

it('finds a success that is acknowledged before it', async () => {
	const recorder = recorderOf('succeeded');
	deliver(recorder, 'a', 1, { url: `http://${HOST}/done` });
	rows.push({ id: '1', status: 'error', endedAt: 2 });
	call('a', '1', 1.5);
	expect(await broken(recorder)).toEqual([
		expect.stringMatching(/^acknowledged when stored: .* before an execution had succeeded/),
	]);
});

it('finds nothing in a stopped execution that its worker continues until it succeeds', async () => {
	const recorder = recorderOf('succeeded');
	rows.push({ id: '1', status: 'canceled', endedAt: 3 });
	call('a', '1', 2);
	const [only] = calls;
	if (only) only.response = { at: at(6), isSuccess: true };
	deliver(recorder, 'a', 8, { url: `http://${HOST}/done`, outcome: 'duplicate' });
	expect(await broken(recorder)).toEqual([]);
	if (only) only.response = { at: at(6), isSuccess: false };
	expect(await broken(recorder)).toHaveLength(1);
});

it('finds an execution with an event that was never created', async () => {
	const recorder = recorderOf();
	rows.push({ id: '1', status: 'success', endedAt: 3 });
	call('a', '1', 2);
	expect(await broken(recorder)).toEqual([
		'nothing else starts: a in execution 1 was never created',
	]);
});

it('lets only those rules judge that find what they need', async () => {
	const recorder = recorderOf();
	const names = judges(await recorder.lines());
	expect(names).toEqual([
		...['one hand-over at a time', 'one execution', 'never after success'],
		...['pauses between attempts', 'interrupted executions', 'nothing else starts'],
	]);
	deliver(recorder, 'a', 1);
	expect(judges(await recorder.lines())).toContain('acknowledged when stored');
	expect(names.length).toBeLessThan(RULES.length);
});
