/** What the Station Triggers of a workflow have reported, with the state of each item: their part of Reconcile and Replay. */
import {
	accountOf,
	type ListedAccount,
	stationTriggers,
	triggersOf,
} from '../../../../lib/accounts';
import { ledgerKey } from '../../../../lib/ledger';
import type { ApiRecord } from '../../../../lib/service';
import { chunksOf } from '../../../../lib/shared/pace';
import {
	connectionSettings,
	type ReportedEntry,
	reportedIn,
	watchedSettings,
} from '../../../../lib/station';
import { cancelSignal } from '../../../../n8n/api/apiClient';
import type { OperationRun } from '../../shared/resource';
import type { Accounts } from './account';
import { executionFields } from './accountItem';

export interface ListedIncident {
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
export function isOnlyStations({ publication }: Accounts): boolean {
	const triggers = triggersOf(publication);
	return triggers.length > 0 && triggers.every(({ kind }) => kind === 'station');
}

/** Oldest first, by trigger. What began before the period is only listed if the ledger knows it. */
export async function incidentsOf(
	{ client, context }: Pick<OperationRun, 'client' | 'context'>,
	{ ledger, workflowId, publication }: Accounts,
	period: IncidentPeriod,
): Promise<ListedIncident[]> {
	const signal = cancelSignal(context);
	const found: ListedIncident[] = [];
	for (const { nodeId, watches } of stationTriggers(publication)) {
		const watched = watchedSettings(watches);
		if (watched === undefined) continue;
		const entries = await reportedIn({
			...{ client, records: ledger, workflowId, nodeId, ...period },
			settings: { ...watched, ...connectionSettings(client.serviceInterface) },
			check: () => signal?.throwIfAborted(),
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
