/** Says which event each execution of a workflow ran, to tell what was lost and what ran twice. */
import { z } from 'zod/v4';
import { waitFor } from '../wait';
import { type Execution, type ExecutionStatus, itemsOf } from './answers';
import type { N8nClient } from './rest';
import { TRIGGER_NAME } from './trigger-workflow';

export interface Run {
	readonly executionId: string;
	readonly status: ExecutionStatus;
	/** Of the event that started it. */
	readonly eventId: string;
}

export interface Runs {
	/** In the order in which n8n stored them. */
	readonly all: readonly Run[];
	of(eventId: string): readonly Run[];
	/** Ids of events without a run that ended with success. */
	lost(events: readonly { readonly id: string }[]): string[];
	/** Ids of events with more than one execution, whatever became of it. */
	doubled(events: readonly { readonly id: string }[]): string[];
}

/**
 * Waits until `count` executions have succeeded and none is running or queued, and reads them all.
 * With `mayNeverStart`, executions that no worker ever gets are not waited for: a process died before it queued them.
 */
export async function waitForRuns(
	client: N8nClient,
	workflowId: string,
	count: number,
	{ timeoutMs = 120_000, mayNeverStart = false } = {},
): Promise<Runs> {
	let seen = '';
	await waitFor(
		async () => {
			const statuses = (await client.listExecutions({ workflowId })).map(({ status }) => status);
			const number = (wanted: ExecutionStatus): number =>
				statuses.filter((status) => status === wanted).length;
			const before = seen;
			seen = JSON.stringify(Object.fromEntries(statuses.map((status) => [status, number(status)])));
			const underWay = number('running') + (mayNeverStart ? 0 : number('new'));
			// Twice the same: what was just stored has had the time to be started.
			return number('success') >= count && underWay === 0 && seen === before ? true : undefined;
		},
		{
			what: `${count} executions to succeed`,
			timeoutMs,
			everyMs: 500,
			detail: () => `There are: ${seen}`,
		},
	);
	return await readRuns(client, workflowId);
}

/** Reads the executions as they are now. */
export async function readRuns(client: N8nClient, workflowId: string): Promise<Runs> {
	const executions = await client.readExecutions({ workflowId });
	const runs = executions
		.map((execution) => ({
			executionId: execution.id,
			status: execution.status,
			eventId: eventIdOf(execution),
		}))
		.reverse();
	const byEvent = new Map<string, Run[]>();
	for (const run of runs) byEvent.set(run.eventId, [...(byEvent.get(run.eventId) ?? []), run]);
	const of = (eventId: string): readonly Run[] => byEvent.get(eventId) ?? [];
	return {
		all: runs,
		of,
		lost: (events) =>
			events.map(({ id }) => id).filter((id) => !of(id).some(({ status }) => status === 'success')),
		doubled: (events) => events.map(({ id }) => id).filter((id) => of(id).length > 1),
	};
}

/** What an execution that has not begun is to begin with. */
const Waiting = z.looseObject({
	executionData: z.looseObject({
		nodeExecutionStack: z.array(
			z.looseObject({
				data: z.looseObject({
					main: z.array(z.array(z.looseObject({ json: z.looseObject({ id: z.string() }) }))),
				}),
			}),
		),
	}),
});

function eventIdOf(execution: Execution): string {
	const id = itemsOf(execution, TRIGGER_NAME)[0]?.json.id;
	if (typeof id === 'string') return id;
	const waiting = Waiting.safeParse(execution.data);
	const first = waiting.data?.executionData.nodeExecutionStack[0]?.data.main[0]?.[0];
	if (!first) throw new Error(`Execution ${execution.id} (${execution.status}) names no event.`);
	return first.json.id;
}
