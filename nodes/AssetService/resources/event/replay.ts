/** Runs events again that a workflow handled wrongly: reopens them in the ledger, so that its triggers start them. */
import type { INodeProperties } from 'n8n-workflow';
import {
	eventIdOf,
	eventTypeFilter,
	readConditions,
	Survey,
	type Wanted,
} from '../../../../lib/event';
import { ledgerKey } from '../../../../lib/ledger';
import {
	type Account,
	accountOf,
	lastPolledAt,
	listedStates,
	replay as replayEvents,
} from '../../../../lib/poll';
import { type ApiClient, type ApiRecord, createdAtOf } from '../../../../lib/service';
import { counted } from '../../../../lib/shared/counted';
import { asTexts } from '../../../../lib/shared/values';
import { unknown } from '../../../../lib/vendor/zod';
import { conditionsProperty } from '../../../../n8n/conditions';
import { eventTypeProperties } from '../../../../n8n/eventTypeProperties';
import { eventTypesOf } from '../../shared/eventTypes';
import { onlyParallelChanges } from '../../shared/parallelItems';
import { flag, type InputItem, parameter, wrongKindError } from '../../shared/parameters';
import type { Changing, Run } from '../../shared/resource';
import { createdAfterField, createdAfterOf, timeOfField } from '../../shared/times';
import {
	accountItem,
	conditionsOf,
	ledgerOf,
	warnOfMissingFields,
	workflowField,
	workflowIdOf,
} from './account';

const DAYS_BACK = 1;
const DAY_MS = 24 * 60 * 60_000;
/** A poll trigger records once per hour that it exists, and polls at least once a day in any sensible schedule. */
const POLLS_WITHIN_MS = DAY_MS + 2 * 60 * 60_000;

const fields: INodeProperties[] = [
	workflowField,
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
			'IDs of the events to start again, separated by commas. If set, the fields below are ignored.',
		hint: 'Leave empty to select events by type, condition and time',
	},
	...eventTypeProperties({
		description: 'Event types to start again',
		hint: 'Leave empty for all event types',
	}),
	{
		...conditionsProperty,
		description: 'Only events that meet all conditions start again',
	},
	createdAfterField({
		description: 'Only events created at this time or later',
		hint: 'Leave empty for the last 24 hours',
	}),
	{
		displayName: 'Created Before',
		name: 'createdBefore',
		type: 'dateTime',
		default: '',
		description: 'Only events created before this time',
	},
	onlyParallelChanges,
];

export const replay: Changing = {
	name: 'Replay',
	description: 'Start events again, for example after you fixed a workflow',
	action: 'Replay events of a workflow',
	fields,
	prepare,
};

interface Choice {
	readonly workflowId: string;
	/** The IDs in the parameter, which override the other fields; empty for none. */
	readonly ids: ReadonlySet<string>;
	readonly createdAfter: number | undefined;
	readonly wanted: Wanted;
	readonly matches: (record: ApiRecord) => boolean;
}

function prepare(item: Parameters<Changing['prepare']>[0]) {
	const choice = choiceOf(item);
	const isDryRun = flag(item, 'dryRun', 'Dry Run', true);
	return async (client: ApiClient): Promise<ApiRecord[]> => {
		const ledger = await ledgerOf(item);
		const { workflowId } = choice;
		const survey = new Survey(choice.wanted);
		const { listed, withoutId } = await listedStates(
			matching(client, choice),
			{ ledger, workflowId, isWanted: survey.look },
			(record, account) => ({ record, account }),
		);
		if (withoutId > 0) {
			item.warn(`Left out ${counted(withoutId, 'listed event')} without a readable ID.`);
		}
		warnOfMissingFields(item, survey);
		const chosen = listed.map((each) => ({ id: eventIdOf(each.record) ?? '', ...each }));
		const seen = new Set(chosen.map((event) => event.id));
		for (const eventId of choice.ids) {
			if (seen.has(eventId)) continue;
			const entry = await ledger.look(ledgerKey(workflowId, eventId));
			chosen.push({ id: eventId, record: { id: eventId }, account: accountOf(entry) });
		}
		const isFree = ({ state }: Account) => state !== 'pending' && state !== 'running';
		const shown = (account: Account, n: number): ApiRecord => ({
			...accountItem(chosen[n]?.record ?? {}, account),
			reopened: !isDryRun && isFree(account),
		});
		if (isDryRun) {
			item.warn(
				`Dry run: ${counted(chosen.filter(({ account }) => isFree(account)).length, 'event')} would start again. Turn off 'Dry Run' to start them.`,
			);
			warnWithoutPoll(item, await lastPolledAt(ledger, workflowId), Date.now());
			return chosen.map(({ account }, n) => shown(account, n));
		}
		const now = Date.now();
		const { before, polledAt } = await replayEvents({ ledger, workflowId, now }, chosen);
		warnWithoutPoll(item, polledAt, now);
		return before.map(shown);
	};
}

const WITHOUT_POLL =
	'No Asset Service Poll Trigger of the workflow has polled in the last day, so the events only start when the service delivers them again. Use Delivery > Resend, or add a poll trigger to the workflow and publish it.';

function warnWithoutPoll(
	{ warn }: Pick<Run, 'warn'>,
	polledAt: number | undefined,
	now: number,
): void {
	if (now - (polledAt ?? 0) > POLLS_WITHIN_MS) warn(WITHOUT_POLL);
}

function choiceOf(item: InputItem): Choice {
	const workflowId = workflowIdOf(item);
	const ids = new Set(idsOf(item));
	const conditions = conditionsOf(item);
	const isWantedType = eventTypeFilter(eventTypesOf(item, 'eventTypes'));
	const createdAfter = createdAfterOf(item, DAYS_BACK, Date.now());
	const before = timeOfField(item, 'Created Before', parameter(item, 'createdBefore', unknown()));
	if (ids.size > 0) {
		return {
			...{ workflowId, ids, createdAfter: undefined },
			wanted: { isWantedType: () => true, conditions: readConditions({}) },
			matches: (record) => ids.has(eventIdOf(record) ?? ''),
		};
	}
	return {
		...{ workflowId, ids, createdAfter },
		wanted: { isWantedType, conditions },
		matches: (record) => {
			const time = createdAtOf(record);
			return time !== undefined && time >= createdAfter && time < (before ?? Infinity);
		},
	};
}

function idsOf(item: InputItem): string[] {
	const given = parameter(item, 'eventIds', unknown());
	const ids = typeof given === 'number' ? [String(given)] : asTexts(given);
	const isReadable = given === '' || ids.length > 0;
	if (isReadable) return ids.map((each) => each.trim()).filter((each) => each !== '');
	throw wrongKindError(item, 'Event IDs', given);
}

/** Ends as soon as every event that was requested by ID is found. */
async function* matching(
	client: ApiClient,
	{ ids, createdAfter, matches }: Choice,
): AsyncGenerator<ApiRecord> {
	const options = createdAfter === undefined ? {} : { createdAfter };
	let found = 0;
	for await (const record of client.list('event', options)) {
		if (!matches(record)) continue;
		yield record;
		found += 1;
		if (ids.size > 0 && found === ids.size) return;
	}
}
