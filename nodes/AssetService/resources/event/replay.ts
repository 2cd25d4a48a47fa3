/** Starts events again that a workflow handled wrongly: reopens them in the ledger, so that its triggers start them. */
import type { INodeProperties } from 'n8n-workflow';
import { canReopen, pollTriggers, requestReplay, stationTriggers } from '../../../../lib/accounts';
import type { ApiClient, ApiRecord } from '../../../../lib/service';
import { counted, printable } from '../../../../lib/shared/text';
import { DAY_MS, HOUR_MS } from '../../../../lib/shared/time';
import { RETENTION_MS } from '../../../../lib/start';
import { logLine } from '../../../../n8n/log/log';
import { flag, type InputItem } from '../../shared/parameters';
import type { Changing } from '../../shared/resource';
import { type Accounts, openAccounts } from './account';
import { accountItem, withAssetNames } from './accountItem';
import { choiceOf, choose, type Chosen } from './chosen';
import { incidentItem } from './incidents';
import { selectionFields, workflowFields } from './selection';

/** A poll trigger records once per hour that it exists, and polls at least once a day in any sensible schedule. */
const POLLS_WITHIN_MS = DAY_MS + 2 * HOUR_MS;

const ownFields: readonly INodeProperties[] = [
	{
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: true,
		description: 'Whether to only list the events that would start again, without starting them',
	},
	{
		displayName: 'Event IDs',
		name: 'eventIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. whevt_1, whevt_2',
		description:
			'IDs of the events or incidents to start again, whatever their state, separated by commas, spaces or lines. If set, the fields below are ignored.',
		hint: 'Leave empty to select events by type, condition, state and time',
	},
];

export const replay: Changing = {
	name: 'Replay',
	description:
		"Start events of a workflow again, for example after you fixed it. Takes event IDs or filters and returns one item per event with whether it was replayed. With 'Dry Run', nothing starts: an agent must show its result and ask the user for confirmation before it turns 'Dry Run' off.",
	action: 'Replay events of a workflow',
	fields: [...workflowFields, ...ownFields, ...selectionFields],
	prepare,
};

function prepare(item: Parameters<Changing['prepare']>[0]) {
	const choice = choiceOf(item);
	const isDryRun = flag(item, 'dryRun', 'Dry Run', true);
	return async (client: ApiClient): Promise<ApiRecord[]> => {
		const accounts = await openAccounts(item);
		const chosen = await choose(item, accounts, { ...choice, client });
		const able = chosen
			.filter(({ reason }) => reason === undefined)
			.sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
		const { ledger, workflowId, publication } = accounts;
		const now = Date.now();
		const request = { ledger, workflowId, retentionMs: RETENTION_MS, now };
		const before = isDryRun ? [] : await requestReplay(request, able);
		const late = new Map(able.map(({ id }, n) => [id, before[n]]));
		const scope = { workflowId, context: item.context };
		const items = chosen.map(({ id, record, account: looked, reason, incident }) => {
			const account = late.get(id) ?? looked;
			const isReplayed = !isDryRun && reason === undefined && canReopen(account);
			const why = reason ?? (isDryRun ? 'dry run' : account.state);
			const outcome = { replayed: isReplayed, reason: isReplayed ? null : why };
			return incident === undefined
				? accountItem(scope, record, account, outcome)
				: incidentItem(scope, { id, ...incident }, account, outcome);
		});
		const count = isDryRun ? able.length : items.filter((each) => each['replayed']).length;
		report(item, accounts, { count, isDryRun, noun: nounFor(able) });
		const isOfStations = (one: Chosen) => one.incident !== undefined;
		const isSilent = (triggers: readonly { readonly seenAt: number }[]) =>
			count > 0 && triggers.every(({ seenAt }) => now - seenAt > POLLS_WITHIN_MS);
		if (!able.every(isOfStations) && isSilent(pollTriggers(publication))) item.warn(WITHOUT_POLL);
		if (able.some(isOfStations) && isSilent(stationTriggers(publication))) {
			item.warn(WITHOUT_STATION_POLL);
		}
		return await withAssetNames(items, { ...item, client });
	};
}

const WITHOUT_POLL =
	'No Asset Service Poll Trigger of the workflow has polled in the last day, so the events only start when the service delivers them again. Use Delivery > Resend, or add a poll trigger to the workflow and publish it.';

const WITHOUT_STATION_POLL =
	'The Station Trigger of the workflow has not polled in the last day, so the incidents do not start yet. Check that the workflow is published.';

/** What starts again, in one word. */
function nounFor(able: readonly Chosen[]): string {
	const incidents = able.filter(({ incident }) => incident !== undefined).length;
	if (incidents === 0) return 'event';
	return incidents === able.length ? 'incident' : 'item';
}

function report(
	{ context }: InputItem,
	{ workflowId }: Accounts,
	{
		count,
		isDryRun,
		noun,
	}: { readonly count: number; readonly isDryRun: boolean; readonly noun: string },
): void {
	const message = isDryRun
		? `Dry run: ${counted(count, noun)} would start again. Turn off 'Dry Run' to start them.`
		: `${counted(count, noun)} ${count === 1 ? 'starts' : 'start'} again at the next poll. To follow them, use Reconcile.`;
	context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
	if (isDryRun) return;
	context.logger.info(
		logLine(
			context,
			`${counted(count, noun)} of workflow ${printable(workflowId)} ${count === 1 ? 'starts' : 'start'} again`,
		),
	);
}
