/** Starts events again that a workflow handled wrongly: reopens them in the ledger, so that its triggers start them. */
import type { INodeProperties } from 'n8n-workflow';
import { canReopen, pollTriggers, requestReplay } from '../../../../lib/accounts';
import { RETENTION_MS } from '../../../../lib/poll';
import type { ApiClient, ApiRecord } from '../../../../lib/service';
import { counted } from '../../../../lib/shared/counted';
import { DAY_MS, HOUR_MS } from '../../../../lib/shared/durations';
import { printable } from '../../../../lib/shared/printable';
import { logLine } from '../../../../n8n/log/logLine';
import { flag, type InputItem } from '../../shared/parameters';
import type { Changing } from '../../shared/resource';
import { type Accounts, openAccounts } from './account';
import { accountItem, withAssetNames } from './accountItem';
import { choiceOf, choose } from './chosen';
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
			'IDs of the events to start again, whatever their state, separated by commas, spaces or lines. If set, the fields below are ignored.',
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
		const items = chosen.map(({ id, record, account: looked, reason }) => {
			const account = late.get(id) ?? looked;
			const isReplayed = !isDryRun && reason === undefined && canReopen(account);
			const why = reason ?? (isDryRun ? 'dry run' : account.state);
			const outcome = { replayed: isReplayed, reason: isReplayed ? null : why };
			return accountItem({ workflowId, context: item.context }, record, account, outcome);
		});
		const count = isDryRun ? able.length : items.filter((each) => each['replayed']).length;
		report(item, accounts, { count, isDryRun });
		const polls = pollTriggers(publication);
		if (count > 0 && polls.every(({ seenAt }) => now - seenAt > POLLS_WITHIN_MS)) {
			item.warn(WITHOUT_POLL);
		}
		return await withAssetNames(items, { ...item, client });
	};
}

const WITHOUT_POLL =
	'No Asset Service Poll Trigger of the workflow has polled in the last day, so the events only start when the service delivers them again. Use Delivery > Resend, or add a poll trigger to the workflow and publish it.';

function report(
	{ context }: InputItem,
	{ workflowId }: Accounts,
	{ count, isDryRun }: { readonly count: number; readonly isDryRun: boolean },
): void {
	const message = isDryRun
		? `Dry run: ${counted(count, 'event')} would start again. Turn off 'Dry Run' to start them.`
		: `${counted(count, 'event')} ${count === 1 ? 'starts' : 'start'} again at the next poll. To follow them, use Reconcile.`;
	context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
	if (isDryRun) return;
	context.logger.info(
		logLine(context, `replayed ${counted(count, 'event')} of workflow ${printable(workflowId)}`),
	);
}
