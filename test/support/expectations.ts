/** Expectations at the end of every fault test: the trigger acknowledged each event, and its history keeps all promises. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, judges } from '../history/checker/check';
import { textOf } from '../history/history';
import { watchCores } from './cores';
import type { CountedWorkflow } from './n8n/countedWorkflow';
import { errorOf, type ExecutionStatus } from './n8n/responses';
import type { N8nClient } from './n8n/rest';
import { report } from './report';
import type { Attempt, Sending } from './sender';
import { waitFor } from './wait';

type WithId = { readonly id: string };

/** By the trigger itself: a 200 from n8n or a proxy would hide a loss. */
export function expectAcknowledged(sendings: readonly Sending[]): void {
	const others = sendings.filter(
		({ attempts, acknowledged }) =>
			!acknowledged || !['accepted', 'duplicate'].includes(attempts.at(-1)?.outcome ?? ''),
	);
	expect(others).toEqual([]);
}

/** No delivery was rejected, aborted or sent again. Those that n8n itself refused, because its database was slow, do not count. */
export function expectOneAttemptEach(sendings: readonly Sending[]): void {
	const hasReachedTrigger = ({ outcome }: Attempt) => outcome !== 'refused by n8n';
	const others = sendings.filter(({ attempts }) => attempts.filter(hasReachedTrigger).length > 1);
	expect(others).toEqual([]);
}

interface RunsOptions {
	/**
	 * Whether n8n has nothing left to run. By default this is read from its executions, which fails where a fault leaves
	 * some `new` or `running` forever.
	 */
	readonly isIdle?: () => Promise<boolean>;
	/** What the ledger says of an event, for the message of a failure. */
	readonly entryOf?: (eventId: string) => Promise<string>;
}

/** Each event was acknowledged, and `expectOneRunOf` them. */
export async function expectOneRunEach(
	workflow: CountedWorkflow,
	sendings: readonly Sending[],
	options?: RunsOptions,
): Promise<void> {
	expectAcknowledged(sendings);
	const events = new Map(sendings.map(({ event }) => [event.id, event]));
	await expectOneRunOf(workflow, [...events.values()], options);
}

/** Waits until n8n has nothing left to run. Each of these events has begun once, no others have, and their history keeps all promises. */
export async function expectOneRunOf(
	workflow: CountedWorkflow,
	events: readonly WithId[],
	options: RunsOptions = {},
): Promise<void> {
	const { counter, recorder } = workflow;
	recorder.expect(events);
	// The comparison below reports lost events, along with all others.
	const failure = await waitUntilAllRan(workflow, events, options).catch((error: unknown) => error);
	if (failure !== undefined) await reportWhy(workflow, events, failure, options);
	expect(counter.begun).toEqual(new Map(events.map(({ id }) => [id, 1])));
	if (failure instanceof Error) throw failure;
	await expectPromisesKept(workflow);
}

/** Prints why the waiting failed: the executions that did not succeed, and what happened to the events that never began. */
async function reportWhy(
	{ client, workflow, counter, recorder }: CountedWorkflow,
	events: readonly WithId[],
	failure: unknown,
	{ entryOf }: RunsOptions,
): Promise<void> {
	report(String(failure));
	await reportFailed(client, workflow.id);
	const lost = new Set(counter.lost(events));
	const isOfLost = (step: object) =>
		('event' in step && lost.has(String(step.event))) ||
		('events' in step && [step.events].flat().some((id) => lost.has(String(id))));
	for (const step of (await recorder.lines()).filter(isOfLost)) report(JSON.stringify(step));
	for (const id of entryOf ? lost : []) report(`${id} in the ledger: ${await entryOf?.(id)}`);
}

/** Prints the executions that did not succeed, with their errors. */
export async function reportFailed(
	client: Pick<N8nClient, 'listExecutions' | 'findExecution'>,
	workflowId: string,
): Promise<void> {
	for (const row of await client.listExecutions({ workflowId })) {
		const { id, mode, status, startedAt, stoppedAt } = row;
		if (status === 'success') continue;
		const execution = await client.findExecution(id);
		const { message, description } = (execution && errorOf(execution)) ?? {};
		report(
			JSON.stringify({ execution: id, mode, status, startedAt, stoppedAt, message, description }),
		);
	}
}

/** The rules of the simulation judge the workflow's history so far. It is kept in a file in `HISTORIES`, or if they find a violation. */
export async function expectPromisesKept({ recorder }: CountedWorkflow): Promise<void> {
	const history = await recorder.lines();
	const violations = check(history);
	const starts = history.filter(({ what }) => what === 'started').length;
	report(`${history.length} steps, ${starts} starts, judged by: ${judges(history).join('; ')}`);
	const folder = process.env['HISTORIES'] ?? (violations.length > 0 ? tmpdir() : undefined);
	if (folder !== undefined) {
		const file = join(folder, `history-${randomUUID()}.jsonl`);
		writeFileSync(file, textOf(history));
		report(`The history is in ${file}.`);
	}
	expect(violations).toEqual([]);
}

async function waitUntilAllRan(
	{ client, workflow, counter }: CountedWorkflow,
	events: readonly WithId[],
	{ isIdle }: RunsOptions,
): Promise<void> {
	let seen = '';
	await waitFor(
		async () => {
			const rows = await client.listExecutions({ workflowId: workflow.id });
			const number = (wanted: ExecutionStatus): number =>
				rows.filter(({ status }) => status === wanted).length;
			const before = seen;
			seen = JSON.stringify({
				calls: counter.calls.length,
				...Object.fromEntries(rows.map(({ status }) => [status, number(status)])),
			});
			const idle = isIdle ? await isIdle() : number('running') + number('new') === 0;
			// The same twice in a row, so that executions stored last have had time to start.
			const settled = idle && counter.waiting === 0 && seen === before;
			return settled && counter.lost(events).length === 0;
		},
		{
			what: 'every event to run',
			timeoutMs: 240_000,
			everyMs: 500,
			progress: () => seen,
			detail: () => `There are: ${seen}`,
		},
	);
}

/** Waits until one execution runs without ending and n8n has stored the others, which wait for their turn. */
export async function untilBacklog(trigger: CountedWorkflow, runs: number): Promise<void> {
	const { client, workflow, counter } = trigger;
	await waitFor(
		async () => {
			const stored = await client.listExecutions({ workflowId: workflow.id });
			return counter.waiting === 1 && stored.length === runs;
		},
		{ what: `${runs} runs to be stored and the first to begin`, timeoutMs: 60_000 },
	);
}

/** n8n is ready, its editor's API responds and the workflow is published, as without a fault. */
export async function expectUndisturbed(
	{ client, workflow }: CountedWorkflow,
	url: string,
	{ pids, withinMs }: { readonly pids: readonly number[]; readonly withinMs: number },
): Promise<void> {
	const withoutCore = watchCores(...pids);
	const asked = performance.now();
	expect((await fetch(`${url}/healthz/readiness`)).status).toBe(200);
	expect((await client.getWorkflow(workflow.id)).active).toBe(true);
	expect(performance.now() - asked).toBeLessThan(withinMs + withoutCore());
}

/** Waits until the workflow has been executed this many more times. */
export async function untilMoreRan({ counter }: CountedWorkflow, more: number): Promise<void> {
	const before = counter.calls.length;
	await waitFor(() => counter.calls.length >= before + more, {
		what: `${more} events to run`,
		timeoutMs: 120_000,
	});
}
