/** Reads n8n's executions over REST: lists of all pages, one with its data, and waits until the expected ones are there. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import { waitFor } from '../wait';
import {
	type Execution,
	ExecutionShape,
	type ExecutionStatus,
	type ExecutionSummary,
	ExecutionsPageShape,
} from './answers';
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
	/** As a person does in the editor, whether the execution has begun or waits for its turn. */
	stopExecution(id: string): Promise<void>;
	/** Retries an execution that has failed, as a person does in the editor, and resolves with the new one's end. */
	retryExecution(id: string): Promise<{ readonly id: string; readonly status: ExecutionStatus }>;
	/** Waits until the execution has ended (2 minutes unless told) and gives it with its data. */
	waitForExecution(id: string, options?: { readonly timeoutMs?: number }): Promise<Execution>;
	/**
	 * Waits until at least `count` executions have ended and none is under way, and gives all that have ended:
	 * more than `count` means that something ran too often. Throws after `timeoutMs` (2 minutes) with what was there.
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
	 * All pages of n8n's public list, newest first. The editor's own list will not do: its pages follow the ids, but are
	 * sorted by the start, so that with several workers some executions come twice and some not at all.
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
			// Without a status the public list leaves out what this n8n itself is running. Running ones first: one that
			// ends between the two lists is then in both, and the later entry counts.
			const running = await list({ ...filter, status: 'running' }, limit);
			const others = await list(filter, limit);
			const byId = new Map([...running, ...others].map((execution) => [execution.id, execution]));
			return [...byId.values()].sort((a, b) => Number(b.id) - Number(a.id)).slice(0, limit);
		},

		async getExecution(id) {
			const path = `/rest/executions/${encodeURIComponent(id)}`;
			return (await session.send('GET', path, z.object({ data: ExecutionShape }))).data;
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
					detail: () => `There are ${seen.length}: ${JSON.stringify(countByStatus(seen))}.`,
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
