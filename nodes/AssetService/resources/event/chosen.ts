/** The events that Replay is about: those with the given IDs, or those that the other fields select. */
import {
	type ListedAccount,
	accountOf,
	canReopen,
	listedStates,
	MOST_REPLAYED,
	type PlacedEvent,
	pollTriggers,
	type Requested,
	wantedBy,
	wantedByAny,
} from '../../../../lib/accounts';
import { createdAt } from '../../../../lib/event';
import { ledgerKey } from '../../../../lib/ledger';
import type { ApiRecord } from '../../../../lib/service';
import { counted } from '../../../../lib/shared/text';
import { DAY_MS } from '../../../../lib/shared/time';
import { asTexts } from '../../../../lib/shared/values';
import { unknown } from '../../../../lib/vendor/zod';
import { type InputItem, parameter, parameterError, wrongKindError } from '../../shared/parameters';
import type { OperationRun } from '../../shared/resource';
import type { Accounts } from './account';
import { incidentsOf, isOnlyStations } from './incidents';
import { noTrace } from './reconcile';
import { PAGE_SIZE, type Selection, selectionOf } from './selection';

/** The states that start again unless others are selected. */
const BY_DEFAULT: Selection['states'] = new Set(['failed', 'interrupted', 'missing'] as const);

export interface Choice extends Pick<Selection, 'states'> {
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
export interface Chosen extends Requested {
	readonly record: ApiRecord;
	readonly account: ListedAccount;
	readonly reason: string | undefined;
	readonly nodeId: string | undefined;
}

/** @throws {NodeOperationError} for more events than a request may have, and for a workflow that the ledger does not know. */
export async function choose(
	item: Omit<OperationRun, 'client'>,
	accounts: Accounts,
	{ client, ...choice }: Choice & Pick<OperationRun, 'client'>,
): Promise<Chosen[]> {
	const incidents = await chooseIncidents({ ...item, client }, accounts, choice);
	const rest = new Set(choice.ids);
	for (const { id } of incidents) rest.delete(id);
	const isDone = choice.ids.size > 0 && rest.size === 0;
	if (isDone || (choice.ids.size === 0 && isOnlyStations(accounts))) return incidents;
	const events = await chooseEvents(item, accounts, { ...choice, ids: rest, client });
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
				...{ from: Date.now() - LISTED_MS, to: undefined },
				hint: "Select them with 'States' and 'Created After' instead of 'Event IDs'.",
			}
		: { from: backTo, to, hint: "Choose a later time in 'Created After'." };
	const found = await incidentsOf(item, accounts, period);
	const chosen = found.filter(({ entry, account }) =>
		isById ? ids.has(entry.id) : states?.has(account.state) !== false,
	);
	if (chosen.length > MOST_REPLAYED) throw tooMany(item);
	return chosen.map(({ nodeId, entry: { id, t, assetId, item: report }, account }) => ({
		...{ id, index: 0, createdAt: t, nodeId, account, record: { id } },
		incident: { t, assetId, item: { ...report } },
		reason: canReopen(account) ? undefined : account.state,
	}));
}

/** Whether it is the ID of an item of a Station Trigger. */
const isOfIncident = (id: string): boolean => /^(inc|ses)_/.test(id);

async function chooseEvents(
	item: Omit<OperationRun, 'client'>,
	accounts: Accounts,
	{ ids, states, matches, backTo, doubts, client }: Choice & Pick<OperationRun, 'client'>,
): Promise<Chosen[]> {
	const { ledger, workflowId, publication } = accounts;
	const polls = pollTriggers(publication);
	const isWanted = wantedBy(publication);
	let count = 0;
	const { found, withoutId, isAnyKnown } = await listedStates(
		{ client, pageSize: PAGE_SIZE, backTo, now: Date.now() },
		{
			...{ ledger, workflowId, isWanted: matches, isExpected: wantedByAny(publication) },
			...(ids.size > 0 && { ids }),
		},
		({ event, record, at, place, index }: PlacedEvent, account): Chosen | undefined => {
			if (states?.has(account.state) === false) return undefined;
			if (++count > MOST_REPLAYED) throw tooMany(item);
			return {
				id: event.id,
				record,
				account,
				index,
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

const isThere = ({ state }: ListedAccount): boolean => state !== 'missing' && state !== 'ignored';

function tooMany(item: InputItem) {
	const most = MOST_REPLAYED.toLocaleString('en');
	return parameterError(
		item,
		`Replay takes at most ${most} events at a time, and more are selected`,
		"Nothing was changed. Select fewer events, for example with 'Created Before', and replay the rest afterwards.",
	);
}

export function choiceOf(item: InputItem): Choice {
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
