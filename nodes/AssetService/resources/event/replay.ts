/** Runs events again that a workflow handled wrongly: reopens them in the ledger, so that its triggers start them. */
import type { INodeProperties } from 'n8n-workflow';
import {
	type Account,
	accountOf,
	canReopen,
	listedStates,
	MOST_REPLAYED,
	type Placed,
	pollTriggers,
	type Requested,
	requestReplay,
	wantedBy,
} from '../../../../lib/accounts';
import { createdAt } from '../../../../lib/event';
import { ledgerKey } from '../../../../lib/ledger';
import { RETENTION_MS } from '../../../../lib/poll';
import type { ApiClient, ApiRecord } from '../../../../lib/service';
import { counted } from '../../../../lib/shared/counted';
import { printable } from '../../../../lib/shared/printable';
import { asTexts } from '../../../../lib/shared/values';
import { unknown } from '../../../../lib/vendor/zod';
import { logLine } from '../../../../n8n/logLine';
import {
	flag,
	type InputItem,
	parameter,
	parameterError,
	wrongKindError,
} from '../../shared/parameters';
import type { Changing, Run } from '../../shared/resource';
import { type Accounts, openAccounts } from './account';
import { accountItem, withAssetNames } from './accountItem';
import { noTrace } from './reconcile';
import {
	PAGE_SIZE,
	type Selection,
	selectionFields,
	selectionOf,
	workflowFields,
} from './selection';

const DAY_MS = 24 * 60 * 60_000;
/** A poll trigger records once per hour that it exists, and polls at least once a day in any sensible schedule. */
const POLLS_WITHIN_MS = DAY_MS + 2 * 60 * 60_000;

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
	description: 'Start events again, for example after you fixed a workflow',
	action: 'Replay events of a workflow',
	fields: [...workflowFields, ...ownFields, ...selectionFields],
	prepare,
};

/** The states that start again unless others are selected. */
const BY_DEFAULT: Selection['states'] = new Set(['failed', 'interrupted', 'missing'] as const);

interface Choice extends Pick<Selection, 'states'> {
	/** The IDs in the parameter, which override the other fields; empty for none. */
	readonly ids: ReadonlySet<string>;
	readonly matches: Selection['matches'];
	/** How far back to read, in Unix milliseconds. */
	readonly backTo: number;
	/** What may be wrong with the selection, once the events are listed. */
	readonly doubts: () => readonly string[];
}

/** An event with its output. `reason`: why it does not start again. */
interface Chosen extends Requested {
	readonly record: ApiRecord;
	readonly account: Account;
	readonly reason: string | undefined;
	readonly nodeId: string | undefined;
}

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
		: `Reopened ${counted(count, 'event')}. Reconcile shows what becomes of them.`;
	context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
	if (isDryRun) return;
	context.logger.info(
		logLine(context, `replayed ${counted(count, 'event')} of workflow ${printable(workflowId)}`),
	);
}

/** @throws {NodeOperationError} for more events than a request may have, and for a workflow that the ledger does not know. */
async function choose(
	item: Omit<Run, 'client'>,
	accounts: Accounts,
	{ ids, states, matches, backTo, doubts, client }: Choice & Pick<Run, 'client'>,
): Promise<Chosen[]> {
	const { ledger, workflowId, publication } = accounts;
	const polls = pollTriggers(publication);
	const isWanted = wantedBy(publication);
	let count = 0;
	const { found, withoutId, isAnyKnown } = await listedStates(
		{ client, pageSize: PAGE_SIZE, backTo, now: Date.now() },
		{ ledger, workflowId, isWanted: matches, ...(ids.size > 0 && { ids }) },
		({ event, record, at, place, index }: Placed, account): Chosen | undefined => {
			if (states?.has(account.state) === false) return undefined;
			if (++count > MOST_REPLAYED) throw tooMany(item);
			return {
				...{ id: event.id, record, account, index },
				...(place !== undefined && { after: place }),
				...(at !== undefined && { createdAt: at }),
				reason: isWanted(event)
					? canReopen(account)
						? undefined
						: account.state
					: 'not wanted by the trigger',
				nodeId: polls.find(({ wants }) => wants(event))?.nodeId,
			};
		},
	);
	const listed = new Set(found.map(({ id }) => id));
	for (const id of ids) {
		if (listed.has(id)) continue;
		const account = accountOf(await ledger.look(ledgerKey(workflowId, id)));
		const unlisted = { index: -1, nodeId: undefined, reason: 'not listed' };
		found.push({ id, record: { id }, account, ...unlisted });
	}
	const isKnown = publication !== undefined || found.some(({ account }) => isThere(account));
	if (found.length > 0 && !isKnown && !(await isAnyKnown())) throw noTrace(item, accounts);
	if (withoutId > 0)
		item.warn(`Left out ${counted(withoutId, 'listed event')} without a readable ID.`);
	// Not in the log, since it names fields and values of events.
	for (const doubt of doubts()) item.warn(doubt, { inLog: false });
	return found;
}

const isThere = ({ state }: Account): boolean => state !== 'missing';

function tooMany(item: InputItem) {
	const most = MOST_REPLAYED.toLocaleString('en');
	return parameterError(
		item,
		`Replay takes at most ${most} events at a time, and more are selected`,
		"Nothing was reopened. Select fewer events, for example with 'Created Before', and replay the rest afterwards.",
	);
}

function choiceOf(item: InputItem): Choice {
	const ids = new Set(idsOf(item));
	const { createdAfter, states, survey, matches } = selectionOf(item);
	if (ids.size > MOST_REPLAYED) throw tooMany(item);
	if (ids.size > 0) {
		return {
			...{ ids, states: undefined, doubts: () => [] },
			matches: ({ id }) => ids.has(id),
			backTo: -Infinity,
		};
	}
	return {
		...{ ids, states: states ?? BY_DEFAULT, doubts: () => survey.doubts },
		// An event without a time may be an old one.
		matches: (event) => createdAt(event) !== undefined && matches(event),
		backTo: createdAfter,
	};
}

function idsOf(item: InputItem): string[] {
	const given = parameter(item, 'eventIds', unknown());
	const texts = typeof given === 'number' ? [String(given)] : asTexts(given);
	const isReadable = given === '' || texts.length > 0;
	if (!isReadable) throw wrongKindError(item, 'Event IDs', given);
	return texts.flatMap((text) => text.split(/\s/)).filter((id) => id !== '');
}
