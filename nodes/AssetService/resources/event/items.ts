/** An event or an incident as Reconcile and Replay show it, and the incidents that the Station Triggers of a workflow have reported. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { type ListedAccount, accountOf } from '../../../../lib/accounts';
import { ledgerKey } from '../../../../lib/ledger';
import {
	type ApiClient,
	type ApiRecord,
	flattener,
	LISTS,
	recordsOf,
} from '../../../../lib/service';
import { messageOf } from '../../../../lib/shared/errors';
import { chunksOf } from '../../../../lib/shared/pace';
import { asText, withoutSlashes } from '../../../../lib/shared/values';
import {
	connectionSettings,
	type ReportedEntry,
	reportedIn,
	watchedSettings,
} from '../../../../lib/station';
import { cancelSignal } from '../../../../n8n/api/apiClient';
import { MOST_RECORDS } from '../../shared/lists';
import type { OperationRun } from '../../shared/operation';
import type { Accounts } from './account';

const { id, type, createdAt, assetId } = LISTS.event.fields;
const flat = flattener({ createdAt, id, type, assetId });
const named = flattener({ id: LISTS.asset.fields.id, name: LISTS.asset.fields.name });

interface ItemScope {
	readonly workflowId: string;
	readonly context: IExecuteFunctions;
}

/**
 * The fields that people read come first; null for values that the event or the ledger does not have. `more` follows the
 * state. `asset` is the ID until `withAssetNames`.
 */
export function accountItem(
	scope: ItemScope,
	record: ApiRecord,
	account: ListedAccount,
	more: ApiRecord = {},
): ApiRecord {
	const { createdAt, ...event } = flat(record);
	return {
		createdAt: createdAt ?? null,
		asset: event['assetId'] ?? null,
		state: account.state,
		...more,
		...executionFields(scope, account),
		...event,
	};
}

/** The last execution and how it ended. */
function executionFields(
	{ workflowId, context }: ItemScope,
	{ executionId, begunAt, endedAt, attempts }: ListedAccount,
): ApiRecord {
	return {
		executionId: executionId ?? null,
		executionUrl: executionUrl(context, workflowId, executionId),
		begunAt: timeText(begunAt),
		endedAt: timeText(endedAt),
		attempts: attempts ?? null,
	};
}

function timeText(time: number | undefined): string | null {
	return time === undefined ? null : new Date(time).toISOString();
}

function executionUrl(
	context: Partial<Pick<IExecuteFunctions, 'getInstanceBaseUrl'>>,
	workflowId: string,
	executionId: string | undefined,
): string | null {
	const base = withoutSlashes(asText(context.getInstanceBaseUrl?.()));
	if (base === '' || executionId === undefined) return null;
	const [workflow, execution] = [workflowId, executionId].map(encodeURIComponent);
	return `${base}/workflow/${workflow}/executions/${execution}`;
}

/** By client: there is one per execution, which reads the list once. */
const namesBy = new WeakMap<ApiClient, Promise<ReadonlyMap<string, string>>>();

/** Shows assets by their names in `asset` or `station`, as far as the list of assets can be read. Changes the items. */
export async function withAssetNames(
	items: readonly ApiRecord[],
	{ client, warn }: Pick<OperationRun, 'client' | 'warn'>,
): Promise<ApiRecord[]> {
	const shown = (item: ApiRecord) => item['asset'] ?? item['station'] ?? null;
	if (items.every((item) => shown(item) === null)) return [...items];
	const reading = namesBy.get(client) ?? assetNames(client);
	namesBy.set(client, reading);
	try {
		const names = await reading;
		for (const item of items) {
			const field = 'station' in item ? 'station' : 'asset';
			item[field] = names.get(asText(item['assetId'])) ?? item[field];
		}
	} catch (error) {
		warn(`Assets appear by ID, since the list of assets could not be read: ${messageOf(error)}`);
	}
	return [...items];
}

async function assetNames(client: ApiClient): Promise<Map<string, string>> {
	const names = new Map<string, string>();
	const options = { readAhead: true, mostRecords: MOST_RECORDS };
	for await (const asset of recordsOf(client.list('asset', options))) {
		const { id, name } = named(asset);
		if (asText(name) !== '') names.set(asText(id), asText(name));
	}
	return names;
}

interface ListedIncident {
	/** The trigger that reports it. */
	readonly nodeId: string;
	readonly entry: ReportedEntry;
	readonly account: ListedAccount;
}

interface IncidentPeriod {
	/** In Unix milliseconds. */
	readonly from: number;
	readonly to: number | undefined;
	/** What to do if the list has too many events in it. */
	readonly hint: string;
}

/** Looked up in parallel: one round trip to Redis. */
const AT_ONCE = 100;

/** Whether the workflow starts for incidents only, so that no event by itself counts. */
export function isOnlyStations({ triggers }: Accounts): boolean {
	return triggers.all.length > 0 && triggers.all.length === triggers.stations.length;
}

/** Oldest first, by trigger. What began before the period is only listed if the ledger knows it. */
export async function incidentsOf(
	{ client, context }: Pick<OperationRun, 'client' | 'context'>,
	{ ledger, workflowId, triggers }: Accounts,
	period: IncidentPeriod,
): Promise<ListedIncident[]> {
	const signal = cancelSignal(context);
	const found: ListedIncident[] = [];
	for (const { nodeId, watches } of triggers.stations) {
		const watched = watchedSettings(watches);
		if (watched === undefined) continue;
		const entries = await reportedIn({
			client,
			records: ledger,
			workflowId,
			nodeId,
			...period,
			settings: { ...watched, ...connectionSettings(client.serviceInterface) },
			signal,
		});
		for (const some of chunksOf(entries, AT_ONCE)) {
			const looked = some.map(async (entry): Promise<ListedIncident> => {
				const account = accountOf(await ledger.look(ledgerKey(workflowId, entry.id)));
				return { nodeId, entry, account };
			});
			found.push(...(await Promise.all(looked)));
		}
	}
	return found.filter(({ entry, account }) => entry.isWhole || account.state !== 'missing');
}

/** The fields that people read come first. `station` is the ID until `withAssetNames`. `more` follows the state. */
export function incidentItem(
	scope: Parameters<typeof executionFields>[0],
	{ assetId, id, item }: Pick<ReportedEntry, 'assetId' | 'id' | 'item'>,
	account: ListedAccount,
	more: ApiRecord = {},
): ApiRecord {
	return {
		station: assetId,
		connector: item['connector'] ?? null,
		since: item['since'] ?? item['startedAt'] ?? item['stoppedAt'] ?? null,
		kind: item['kind'] ?? null,
		state: account.state,
		...more,
		reports: item['state'] ?? 'ended',
		...executionFields(scope, account),
		id,
		incident: item['incident'] ?? id,
		assetId,
	};
}
