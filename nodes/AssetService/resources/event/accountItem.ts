/** An event as Reconcile and Replay show it. */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { ListedAccount } from '../../../../lib/accounts';
import { type ApiClient, type ApiRecord, flattener, LISTS } from '../../../../lib/service';
import { messageOf } from '../../../../lib/shared/errors';
import { asText, withoutSlashes } from '../../../../lib/shared/values';
import { MOST_RECORDS } from '../../shared/listOptions';
import type { OperationRun } from '../../shared/resource';

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
export function executionFields(
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
	for await (const asset of client.list('asset', options)) {
		const { id, name } = named(asset);
		if (asText(name) !== '') names.set(asText(id), asText(name));
	}
	return names;
}
