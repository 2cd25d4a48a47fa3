/** Starts events again that a workflow handled wrongly: reopens them in the ledger, so that its triggers start them. */
import type { INodeProperties } from 'n8n-workflow';
import {
	canReopen,
	requestReplay,
	type ListedAccount,
	accountOf,
	listedStates,
	MOST_REPLAYED,
	type Requested,
} from '../../../../lib/accounts';
import { createdAt } from '../../../../lib/event';
import { ledgerKey } from '../../../../lib/ledger';
import type { ApiClient, ApiRecord } from '../../../../lib/service';
import { counted, printable } from '../../../../lib/shared/text';
import { DAY_MS, HOUR_MS } from '../../../../lib/shared/time';
import { asTexts } from '../../../../lib/shared/values';
import { RETENTION_MS } from '../../../../lib/start';
import { unknown } from '../../../../lib/vendor/zod';
import { logLine } from '../../../../n8n/log/log';
import { hintAt } from '../../../../n8n/log/nodeError';
import { DEFAULT_PAGE_SIZE } from '../../../../n8n/polling/poll';
import {
	flag,
	type InputItem,
	parameter,
	parameterError,
	wrongKindError,
	type Changing,
	type OperationRun,
} from '../../shared/operation';
import { type Accounts, openAccounts, workflowField } from './account';
import { accountItem, withAssetNames, incidentItem, incidentsOf, isOnlyStations } from './items';
import { noTrace } from './reconcile';
import { selectionFields, type Selection, selectionOf } from './selection';

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
	action: 'Replay events so that a workflow runs again, only after a dry run and a confirmation',
	fields: [workflowField, ...ownFields, ...selectionFields],
	prepare,
};

function prepare(item: Parameters<Changing['prepare']>[0]) {
	const choice = choiceOf(item);
	const isDryRun = flag(item, 'dryRun', 'Dry Run', true);
	return async (client: ApiClient): Promise<ApiRecord[]> => {
		const run = { ...item, client };
		const accounts = await openAccounts(item);
		const chosen = await choose(run, accounts, choice);
		const able = chosen
			.filter(({ reason }) => reason === undefined)
			.sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
		const { ledger, workflowId, triggers } = accounts;
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
		const isSilent = (some: readonly { readonly seenAt: number }[]) =>
			count > 0 && some.every(({ seenAt }) => now - seenAt > POLLS_WITHIN_MS);
		if (!able.every(isOfStations) && isSilent(triggers.polls)) item.warn(WITHOUT_POLL);
		if (able.some(isOfStations) && isSilent(triggers.stations)) {
			item.warn(WITHOUT_STATION_POLL);
		}
		return await withAssetNames(items, run);
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
	{ count, isDryRun, noun }: { count: number; isDryRun: boolean; noun: string },
): void {
	const what = counted(count, noun);
	const start = count === 1 ? 'starts' : 'start';
	const message = isDryRun
		? `Dry run: ${what} would start again. Turn off 'Dry Run' to start them.`
		: `${what} ${start} again at the next poll. To follow them, use Reconcile.`;
	hintAt(context, [message], 'info');
	if (isDryRun) return;
	const line = `${what} of workflow ${printable(workflowId)} ${start} again`;
	context.logger.info(logLine(context, line));
}

/** The states that start again unless others are selected. */
const BY_DEFAULT: Selection['states'] = new Set(['failed', 'interrupted', 'missing'] as const);

interface Choice extends Pick<Selection, 'states'> {
	/** The IDs in the parameter, which override the other fields; empty for none. */
	readonly ids: ReadonlySet<string>;
	readonly matches: Selection['matches'];
	/** How far back to read, in Unix milliseconds. */
	readonly backTo: number;
	/** The end of the period; undefined for now. */
	readonly to: number | undefined;
	/** What may be wrong with the selection, once the events are listed. */
	readonly doubts: () => readonly string[];
}

/** An event with its output, or an incident. `reason`: why it does not start again. */
interface Chosen extends Requested {
	readonly record: ApiRecord;
	readonly account: ListedAccount;
	readonly reason: string | undefined;
	readonly nodeId: string | undefined;
}

/** @throws {NodeOperationError} for more events than a request may have, and for a workflow that the ledger does not know. */
async function choose(item: OperationRun, accounts: Accounts, choice: Choice): Promise<Chosen[]> {
	const incidents = await chooseIncidents(item, accounts, choice);
	const rest = new Set(choice.ids);
	for (const { id } of incidents) rest.delete(id);
	const isDone = choice.ids.size > 0 && rest.size === 0;
	if (isDone || (choice.ids.size === 0 && isOnlyStations(accounts))) return incidents;
	const events = await chooseEvents(item, accounts, { ...choice, ids: rest });
	if (incidents.length + events.length > MOST_REPLAYED) throw tooMany(item);
	return [...incidents, ...events];
}

/** The service lists an event for 30 days. */
const LISTED_MS = 30 * DAY_MS;

async function chooseIncidents(
	item: OperationRun,
	accounts: Accounts,
	{ ids, states, backTo, to }: Choice,
): Promise<Chosen[]> {
	const isById = ids.size > 0;
	if (isById && ![...ids].some(isOfIncident)) return [];
	const period = isById
		? {
				from: Date.now() - LISTED_MS,
				to: undefined,
				hint: "Select them with 'States' and 'Created After' instead of 'Event IDs'.",
			}
		: { from: backTo, to, hint: "Choose a later time in 'Created After'." };
	const found = await incidentsOf(item, accounts, period);
	const chosen = found.filter(({ entry, account }) =>
		isById ? ids.has(entry.id) : states?.has(account.state) !== false,
	);
	if (chosen.length > MOST_REPLAYED) throw tooMany(item);
	return chosen.map(({ nodeId, entry: { id, t, assetId, item: report }, account }) => ({
		id,
		index: 0,
		createdAt: t,
		nodeId,
		account,
		record: { id },
		incident: { t, assetId, item: { ...report } },
		reason: canReopen(account) ? undefined : account.state,
	}));
}

/** Whether it is the ID of an item of a Station Trigger. */
const isOfIncident = (id: string): boolean => /^(inc|ses)_/.test(id);

async function chooseEvents(
	item: OperationRun,
	accounts: Accounts,
	{ ids, states, matches, backTo, doubts }: Choice,
): Promise<Chosen[]> {
	const { ledger, workflowId, publication, triggers } = accounts;
	let count = 0;
	const { found, isAnyKnown } = await listedStates(
		{ client: item.client, pageSize: DEFAULT_PAGE_SIZE, backTo, now: Date.now() },
		{
			ledger,
			workflowId,
			isWanted: matches,
			isExpected: triggers.isWanted,
			...(ids.size > 0 && { ids }),
		},
		({ event, record, at, place, index }, account): Chosen | undefined => {
			if (states?.has(account.state) === false) return undefined;
			if (++count > MOST_REPLAYED) throw tooMany(item);
			return {
				id: event.id,
				record,
				account,
				index,
				...(place !== undefined && { after: place }),
				...(at !== undefined && { createdAt: at }),
				reason: triggers.isReplayed(event)
					? canReopen(account)
						? undefined
						: account.state
					: 'not wanted by the trigger',
				nodeId: triggers.polls.find(({ wants }) => wants(event))?.nodeId,
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
	// Not in the log, since it names fields and values of events.
	for (const doubt of doubts()) item.warn(doubt, { inLog: false });
	return found;
}

const isThere = ({ state }: ListedAccount): boolean => state !== 'missing' && state !== 'ignored';

function tooMany(item: InputItem) {
	const most = MOST_REPLAYED.toLocaleString('en');
	return parameterError(
		item,
		`Replay takes at most ${most} events at a time, and more are selected`,
		"Nothing was changed. Select fewer events, for example with 'Created Before', and replay the rest afterwards.",
	);
}

function choiceOf(item: InputItem): Choice {
	const ids = new Set(idsOf(item));
	const { createdAfter, createdBefore, states, survey, matches } = selectionOf(item);
	if (ids.size > MOST_REPLAYED) throw tooMany(item);
	if (ids.size > 0) {
		return {
			ids,
			states: undefined,
			doubts: () => [],
			matches: ({ id }) => ids.has(id),
			backTo: -Infinity,
			to: undefined,
		};
	}
	return {
		ids,
		states: states ?? BY_DEFAULT,
		doubts: () => survey.doubts,
		// An event without a time may be an old one.
		matches: (event) => createdAt(event) !== undefined && matches(event),
		backTo: createdAfter,
		to: createdBefore,
	};
}

function idsOf(item: InputItem): string[] {
	const given = parameter(item, 'eventIds', unknown());
	const texts = typeof given === 'number' ? [String(given)] : asTexts(given);
	const isReadable = given === '' || texts.length > 0;
	if (!isReadable) throw wrongKindError(item, 'Event IDs', given);
	return texts.flatMap((text) => text.split(/\s/)).filter((id) => id !== '');
}
