/** Reconcile and Replay of the action node for another workflow, as a user runs them. */
import { ACTION_TYPE, manualTrigger } from '../nodes';
import { buildWorkflow } from '../workflow';
import { apiCredential, type ServiceAccess } from './credentials';
import type { Recorder } from './recorder';
import { itemsOf, type Workflow } from './responses';
import type { N8nClient } from './rest';

/** One item of Reconcile or Replay. */
export interface Account {
	readonly state: string;
	readonly executionId?: string;
	readonly attempts?: number;
	/** Of an execution that failed or succeeded, in Unix milliseconds. */
	readonly endedAt?: number;
	/** Replay: whether the event starts again. */
	readonly replayed?: boolean;
}

export interface Accounts {
	/** The events that the service lists, by ID. Rejects if none of them has arrived. */
	reconcile(): Promise<Map<string, Account>>;
	/** Asks for the events to start again, by ID or as `parameters` select them; returns their accounts from before. */
	replay(ids: readonly string[], parameters?: object): Promise<Map<string, Account>>;
}

/** Lets any workflow reconcile and replay the events of the trigger. */
export const OPEN_TO_ALL = { options: { accountAccess: 'anyWorkflow' } };

/** The workflow must be `OPEN_TO_ALL`. A recorder notes what both return. */
export async function accountsOf(
	client: N8nClient,
	{ id: workflowId }: Pick<Workflow, 'id'>,
	service: ServiceAccess,
	recorder?: Pick<Recorder, 'note'>,
): Promise<Accounts> {
	const credential = await client.createCredential(apiCredential(service));

	let requests = 0;
	const run = async (operation: string, parameters: object = {}) => {
		const node = {
			type: ACTION_TYPE,
			typeVersion: 1,
			parameters: { resource: 'event', operation, workflowId, eventTypes: [], ...parameters },
			credentials: [credential],
		};
		const { id } = await client.createWorkflow(
			buildWorkflow({
				nodes: { Start: manualTrigger, Events: node },
				chains: [['Start', 'Events']],
			}),
		);
		const execution = await client.waitForExecution(await client.runManually(id, 'Start'));
		if (execution.status !== 'success') {
			throw new Error(`${operation} failed: ${JSON.stringify(execution.data.resultData.error)}`);
		}
		return new Map(
			itemsOf(execution, 'Events').map(({ json }) => [String(json['id']), accountIn(json)]),
		);
	};

	return {
		async reconcile() {
			const accounts = await run('reconcile');
			const events = [...accounts].map(([event, { state, executionId: execution }]) => {
				return { event, state, ...(execution !== undefined && { execution }) };
			});
			recorder?.note({ what: 'reconciled', events });
			return accounts;
		},
		async replay(ids, parameters = { eventIds: ids.join(',') }) {
			const request = (requests += 1);
			recorder?.note({ what: 'replay asked', request, events: ids });
			const accounts = await run('replay', { dryRun: false, ...parameters });
			const events = [...accounts].map(([event, { state, replayed = false }]) => {
				return { event, state, replayed };
			});
			recorder?.note({ what: 'replayed', request, events });
			return accounts;
		},
	};
}

function accountIn(item: Readonly<Record<string, unknown>>): Account {
	const { state, executionId, attempts, endedAt, replayed } = item;
	return {
		state: String(state),
		...(typeof executionId === 'string' && { executionId }),
		...(typeof attempts === 'number' && { attempts }),
		...(typeof endedAt === 'string' && { endedAt: Date.parse(endedAt) }),
		...(typeof replayed === 'boolean' && { replayed }),
	};
}
