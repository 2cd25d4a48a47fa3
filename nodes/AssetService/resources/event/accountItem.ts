/** An event as Reconcile and Replay show it. */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { ListedAccount } from '../../../../lib/accounts';
import { type ApiClient, type ApiRecord, flattener, LISTS } from '../../../../lib/service';
import { messageOf } from '../../../../lib/shared/thrown';
import { asText, withoutSlashes } from '../../../../lib/shared/values';
import { MOST_RECORDS } from '../../shared/listOptions';
import type { OperationRun } from '../../shared/resource';

const { id, type, createdAt, assetId } = LISTS.event.fields;
const flat = flattener({ createdAt, id, type, assetId });
const named = flattener({ id: LISTS.asset.fields.id, name: LISTS.asset.fields.name });

/**
 * The fields that people read come first; null for values that the event or the ledger does not have. `more` follows the
 * state. `asset` is the ID until `withAssetNames`.
 */
export function accountItem(
	{ workflowId, context }: { readonly workflowId: string; readonly context: IExecuteFunctions },
	record: ApiRecord,
	{ state, executionId, begunAt, endedAt, attempts }: ListedAccount,
	more: ApiRecord = {},
): ApiRecord {
	const { createdAt, ...event } = flat(record);
	return {
		createdAt: createdAt ?? null,
		asset: event['assetId'] ?? null,
		state,
		...more,
		executionId: executionId ?? null,
		executionUrl: executionUrl(context, workflowId, executionId),
		begunAt: timeText(begunAt),
		endedAt: timeText(endedAt),
		attempts: attempts ?? null,
		...event,
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

/** Shows assets by their names, as far as the list of assets can be read. Changes the items. */
export async function withAssetNames(
	items: readonly ApiRecord[],
	{ client, warn }: Pick<OperationRun, 'client' | 'warn'>,
): Promise<ApiRecord[]> {
	if (items.every((item) => item['asset'] === null)) return [...items];
	const reading = namesBy.get(client) ?? assetNames(client);
	namesBy.set(client, reading);
	try {
		const names = await reading;
		for (const item of items) item['asset'] = names.get(asText(item['assetId'])) ?? item['asset'];
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
