/** Reads n8n's executions over REST: all pages of a list, or one with its data. Waits for expected executions. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import { waitFor } from '../wait';
import {
	type Execution,
	ExecutionShape,
	type ExecutionStatus,
	type ExecutionSummary,
	ExecutionsPageShape,
} from './responses';
import type { Session } from './session';

interface ExecutionFilter {
	readonly workflowId?: string;
	readonly status?: ExecutionStatus;
}

export interface ExecutionsClient {
	/** Newest first; all pages, or the newest `limit`. */
	listExecutions(
		filter?: ExecutionFilter & { readonly limit?: number },
	): Promise<ExecutionSummary[]>;
	getExecution(id: string): Promise<Execution>;
	/** Undefined if n8n has its row, but no data: its database hung in between. */
	findExecution(id: string): Promise<Execution | undefined>;
	/** Stops an execution as a user does in the editor, whether it has begun or waits for its turn. */
	stopExecution(id: string): Promise<void>;
	/** Retries a failed execution, as a user does in the editor, and resolves when the new one has ended. */
	retryExecution(id: string): Promise<{ readonly id: string; readonly status: ExecutionStatus }>;
	/** Waits until the execution has ended (2 minutes by default) and returns it with its data. */
	waitForExecution(id: string, options?: { readonly timeoutMs?: number }): Promise<Execution>;
	/**
	 * Waits until at least `count` executions have ended and none is running, and returns all that have ended: more than
	 * `count` means that something ran too often. After `timeoutMs` (2 minutes), throws an error with the current state.
	 */
	waitForExecutions(
		filter: ExecutionFilter,
		count: number,
		options?: { readonly timeoutMs?: number },
	): Promise<ExecutionSummary[]>;
}

const PAGE = 250;
const WAIT_MS = 120_000;

const UNDER_WAY: ReadonlySet<ExecutionStatus> = new Set(['new', 'running', 'waiting', 'unknown']);

export function createExecutionsClient(session: Session): ExecutionsClient {
	let key: Promise<string> | undefined;
	const apiKey = (): Promise<string> =>
		(key ??= session
			.send('POST', '/rest/api-keys', z.object({ data: z.object({ rawApiKey: z.string() }) }), {
				label: randomUUID(),
				expiresAt: null,
				scopes: ['execution:list', 'execution:read'],
			})
			.then(({ data }) => data.rawApiKey));

	/**
	 * All pages of n8n's public list, newest first. The editor's own list does not work: its pages follow the IDs but are
	 * sorted by start time, so with several workers some executions appear twice and some not at all.
	 */
	const list = async (
		query: Readonly<Record<string, string>>,
		limit: number,
	): Promise<ExecutionSummary[]> => {
		const found: ExecutionSummary[] = [];
		let cursor: string | null = null;
		do {
			const parameters = new URLSearchParams({
				...query,
				limit: String(Math.min(PAGE, limit - found.length)),
				...(cursor !== null && { cursor }),
			});
			const page: z.infer<typeof ExecutionsPageShape> = await session.send(
				'GET',
				`/api/v1/executions?${parameters.toString()}`,
				ExecutionsPageShape,
				undefined,
				{ 'x-n8n-api-key': await apiKey() },
			);
			found.push(...page.data);
			cursor = page.nextCursor;
		} while (cursor !== null && found.length < limit);
		return found;
	};

	const client: ExecutionsClient = {
		async listExecutions({ limit = Infinity, ...filter } = {}) {
			if (filter.status) return await list(filter, limit);
			// Without a status, the public list omits executions that this process itself is running. Running ones first: one
			// that ends between the two lists is then in both, and the later entry counts.
			const running = await list({ ...filter, status: 'running' }, limit);
			const others = await list(filter, limit);
			const byId = new Map([...running, ...others].map((execution) => [execution.id, execution]));
			return [...byId.values()].sort((a, b) => Number(b.id) - Number(a.id)).slice(0, limit);
		},

		async getExecution(id) {
			const execution = await client.findExecution(id);
			if (execution === undefined) throw new Error(`n8n has no data of execution ${id}`);
			return execution;
		},

		async findExecution(id) {
			const path = `/rest/executions/${encodeURIComponent(id)}`;
			const shape = z.object({ data: ExecutionShape.optional() });
			return (await session.send('GET', path, shape)).data;
		},

		async stopExecution(id) {
			await session.send('POST', `/rest/executions/${encodeURIComponent(id)}/stop`, z.unknown());
		},

		async retryExecution(id) {
			const path = `/rest/executions/${encodeURIComponent(id)}/retry`;
			const shape = z.object({ data: ExecutionShape.pick({ id: true, status: true }) });
			return (await session.send('POST', path, shape, { loadWorkflow: false })).data;
		},

		async waitForExecution(id, { timeoutMs = WAIT_MS } = {}) {
			return await waitFor(
				async () => {
					const execution = await client.getExecution(id);
					return UNDER_WAY.has(execution.status) ? undefined : execution;
				},
				{ what: `execution ${id} to end`, timeoutMs },
			);
		},

		async waitForExecutions(filter, count, { timeoutMs = WAIT_MS } = {}) {
			let seen: ExecutionSummary[] = [];
			const counts = () => JSON.stringify(countByStatus(seen));
			return await waitFor(
				async () => {
					seen = await client.listExecutions(filter);
					const settled = seen.every(({ status }) => !UNDER_WAY.has(status));
					return settled && seen.length >= count ? seen : undefined;
				},
				{
					what: `${count} executions to end`,
					timeoutMs,
					everyMs: 250,
					progress: counts,
					detail: () => `There are ${seen.length}: ${counts()}.`,
				},
			);
		},
	};
	return client;
}

function countByStatus(executions: readonly ExecutionSummary[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { status } of executions) counts[status] = (counts[status] ?? 0) + 1;
	return counts;
}
