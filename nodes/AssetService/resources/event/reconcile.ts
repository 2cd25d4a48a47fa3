/** Reports for each listed event whether it started a workflow, to show the missing ones. Read-only: starts and writes nothing. */
import { NodeOperationError } from 'n8n-workflow';
import { listedStates } from '../../../../lib/accounts';
import type { ApiRecord } from '../../../../lib/service';
import { counted, printable } from '../../../../lib/shared/text';
import { hintAt } from '../../../../n8n/log/nodeError';
import { DEFAULT_PAGE_SIZE } from '../../../../n8n/polling/poll';
import type { Operation, OperationRun } from '../../shared/operation';
import { type Accounts, openAccounts, workflowField } from './account';
import { accountItem, withAssetNames, incidentItem, incidentsOf, isOnlyStations } from './items';
import { type Selection, selectionFields, selectionOf } from './selection';

export const reconcile: Operation = {
	name: 'Reconcile',
	description:
		'Compare the listed events that the triggers of a workflow want with those that started it, to find missing events. Takes a workflow ID and filters and returns one item per event with its state and execution.',
	action: 'Reconcile events with a workflow to find missing or failed ones, without starting any',
	fields: [workflowField, ...selectionFields],
	run,
};

async function run(item: OperationRun): Promise<ApiRecord[]> {
	const { context } = item;
	const selection = selectionOf(item);
	const accounts = await openAccounts(item);
	const incidents = await incidentItems(item, accounts, selection);
	if (!isOnlyStations(accounts)) {
		return [...incidents, ...(await eventItems(item, accounts, selection))];
	}
	if (incidents.length === 0) {
		const message = 'The Station Triggers of the workflow have no such incident in this period.';
		hintAt(context, [message], 'info');
	}
	return incidents;
}

const HINT = "Choose a later time in 'Created After'.";

async function incidentItems(
	item: OperationRun,
	accounts: Accounts,
	{ createdAfter: from, createdBefore: to, states }: Selection,
): Promise<ApiRecord[]> {
	const incidents = await incidentsOf(item, accounts, { from, to, hint: HINT });
	const scope = { workflowId: accounts.workflowId, context: item.context };
	const items = incidents
		.filter(({ account }) => states?.has(account.state) !== false)
		.map(({ entry, account }) => incidentItem(scope, entry, account));
	return await withAssetNames(items, item);
}

async function eventItems(
	item: OperationRun,
	accounts: Accounts,
	{ createdAfter, states, survey, matches }: Selection,
): Promise<ApiRecord[]> {
	const { client, context, warn } = item;
	const { ledger, workflowId, publication, triggers } = accounts;
	const since = publication?.publishedAt ?? 0;
	const counts = { early: 0, missing: 0, ignored: 0, all: 0 };
	const { found, isAnyKnown } = await listedStates(
		{ client, pageSize: DEFAULT_PAGE_SIZE, backTo: createdAfter, now: Date.now() },
		{ ledger, workflowId, isWanted: matches, isExpected: triggers.isWanted },
		({ at, record }, account) => {
			if (account.state === 'ignored') {
				counts.ignored += 1;
				// Most events of a network: only for those who ask.
				if (states?.has('ignored') !== true) return undefined;
				return accountItem({ workflowId, context }, record, account);
			}
			const isMissing = account.state === 'missing';
			if (isMissing && (at ?? since) < since) {
				counts.early += 1;
				return undefined;
			}
			counts.all += 1;
			counts.missing += Number(isMissing);
			if (states?.has(account.state) === false) return undefined;
			return accountItem({ workflowId, context }, record, account);
		},
	);
	const isListed = survey.inspected > 0;
	if (isListed && publication === undefined && !(await isAnyKnown())) throw noTrace(item, accounts);

	if (counts.early > 0) {
		warn(
			`Left out ${counted(counts.early, 'event')} from before the workflow was first published.`,
		);
	}
	// Not in the log, since it names fields and values of events.
	for (const doubt of survey.doubts) warn(doubt, { inLog: false });
	if (counts.all > 0 && counts.missing === counts.all) {
		warn(
			`${counts.all === 1 ? 'The only event is' : `All ${counts.all.toLocaleString('en')} events are`} missing: none of them has reached the workflow. ${whatToCheck(accounts)}`,
		);
	}
	if (counts.ignored > 0 && states?.has('ignored') !== true) {
		const message = `Left out ${counted(counts.ignored, 'event')} that no trigger of the workflow wants. To list them, select the state 'Ignored'.`;
		hintAt(context, [message], 'info');
	}
	if (!isListed) {
		const message =
			publication === undefined
				? `The service lists no events in this period, and the event ledger has no trace of the workflow "${printable(workflowId)}": check 'Workflow ID'.`
				: 'The service lists no events in this period.';
		hintAt(context, [message], 'info');
	}
	return await withAssetNames(found, item);
}

/** What may keep all events from the workflow, by the triggers that it has. */
function whatToCheck({ triggers }: Accounts): string {
	const kinds = new Set(triggers.all.map(({ kind }) => kind));
	const ways = [
		...(kinds.has('webhook') ? ['that the service delivers to its production URL'] : []),
		...(kinds.has('poll') ? ['with Get Rejections when its poll trigger last polled'] : []),
	];
	return `Check ${['that the workflow is published', ...ways].join(', and ')}.`;
}

/** The error if the ledger knows neither the workflow nor any of the events. */
export function noTrace(
	{ context, itemIndex }: Pick<OperationRun, 'context' | 'itemIndex'>,
	{ workflowId, isOwn }: Accounts,
): NodeOperationError {
	const which = isOwn
		? "They were compared with the workflow that this node is in: if they start another one, enter it in 'Workflow ID'."
		: "Check 'Workflow ID'.";
	return new NodeOperationError(
		context.getNode(),
		`No listed event has reached the workflow "${printable(workflowId)}"`,
		{
			itemIndex,
			description: `The event ledger has no trace of this workflow. ${which} If it is right, publish it with an Asset Service Trigger or an Asset Service Poll Trigger.`,
		},
	);
}
