/** How long each connector was up in a period that has passed. docs/uptime.md has the rules. */
import type { INodeProperties } from 'n8n-workflow';
import { asText, isRecord, jsonIn } from '../../../../lib/shared/values';
import {
	connectionSettings,
	type Exclusion,
	pastUptime,
	split,
	type SplitBy,
	type Wants,
} from '../../../../lib/station';
import { unknown } from '../../../../lib/vendor/zod';
import {
	flag,
	type InputItem,
	parameter,
	parameterError,
	text,
	timeOfField,
	type Operation,
	type OperationRun,
} from '../../shared/operation';
import {
	ask,
	assetIdsField,
	lookBackField,
	options,
	periodFields,
	warnOfUnknown,
} from './question';

const PERS = ['connector', 'station'] as const;
const SPLITS = ['none', 'day', 'month'] as const satisfies readonly SplitBy[];
const UNKNOWNS = ['leftOut', 'up', 'down'] as const;

const perField: INodeProperties = {
	displayName: 'Per',
	name: 'per',
	type: 'options',
	options: [
		{ name: 'Connector', value: 'connector', description: 'An item for each connector' },
		{
			name: 'Station',
			value: 'station',
			description: 'A station is down if it is offline, or if all of its connectors are down',
		},
	],
	default: 'connector',
	description: 'What to return an item for',
};

const splitByField: INodeProperties = {
	displayName: 'Split By',
	name: 'splitBy',
	type: 'options',
	options: [
		{ name: 'Day', value: 'day', description: 'An item for each day' },
		{ name: 'Month', value: 'month', description: 'An item for each month' },
		{ name: 'None', value: 'none', description: 'One item for the whole period' },
	],
	default: 'none',
	description: 'How to split the period, in the time zone of the workflow',
};

const countUnavailableField: INodeProperties = {
	displayName: 'Count Unavailable',
	name: 'countUnavailable',
	type: 'boolean',
	default: true,
	description: 'Whether a connector is also down while it reports the status Unavailable',
};

const unknownAsField: INodeProperties = {
	displayName: 'Unknown Counts As',
	name: 'unknownAs',
	type: 'options',
	options: [
		{ name: 'Down', value: 'down', description: 'As if the connector had been down' },
		{ name: 'Left Out', value: 'leftOut', description: 'Neither up nor down' },
		{ name: 'Up', value: 'up', description: 'As if the connector had been up' },
	],
	default: 'leftOut',
	description:
		'What the time before the first status of a connector counts as in the percentage. Its minutes are shown in any case.',
};

const exclusionsField: INodeProperties = {
	displayName: 'Exclusions',
	name: 'exclusions',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add exclusion',
	default: {},
	description: 'Times that count neither as up nor as down, such as planned maintenance',
	options: [
		{
			displayName: 'Exclusion',
			name: 'exclusion',
			values: [
				{
					displayName: 'Asset ID',
					name: 'assetId',
					type: 'string',
					default: '',
					placeholder: 'e.g. asset_01HZX3',
					description: 'The station; all stations if it is empty',
				},
				{
					displayName: 'Connector',
					name: 'connector',
					type: 'string',
					default: '',
					placeholder: 'e.g. 1',
					description: 'The connector as items name it; all connectors if it is empty',
				},
				{
					displayName: 'From',
					name: 'from',
					type: 'dateTime',
					default: '',
					description: 'When the exclusion begins',
				},
				{
					displayName: 'Reason',
					name: 'reason',
					type: 'string',
					default: '',
					placeholder: 'e.g. Planned maintenance',
					description: 'For people who read the workflow',
				},
				{
					displayName: 'To',
					name: 'to',
					type: 'dateTime',
					default: '',
					description: 'When the exclusion ends',
				},
			],
		},
	],
};

const exclusionListField: INodeProperties = {
	displayName: 'Exclusion List',
	name: 'exclusionList',
	type: 'string',
	default: '',
	placeholder: "e.g. {{ $('Maintenance').all() }}",
	description:
		'Further exclusions, as an expression that returns items or objects with assetId, connector, from and to',
};

const CONNECTIONS_AND_STATES: Wants = { connections: true, states: true };

export const getUptime: Operation = {
	name: 'Get Uptime',
	description:
		'Calculate the uptime of connectors or stations in percent, with the minutes up, down and unknown. Takes a period and asset IDs and returns one item per connector, or per station.',
	action: 'Get the uptime of stations in percent for a period, not its outages or the status now',
	fields: [
		...[assetIdsField, ...periodFields, perField, splitByField, countUnavailableField],
		...[unknownAsField, exclusionsField, exclusionListField, lookBackField, options],
	],
	run,
};

async function run(item: OperationRun) {
	const { context, client } = item;
	const splitBy = choice(item, splitByField, SPLITS);
	const question = {
		per: choice(item, perField, PERS),
		countUnavailable: flag(item, 'countUnavailable', 'Count Unavailable', true),
		unknownAs: choice(item, unknownAsField, UNKNOWNS),
		exclusions: exclusionsOf(item),
		words: connectionSettings(client.serviceInterface),
	};
	const asked = await ask(item, CONNECTIONS_AND_STATES);
	const excluded = question.exclusions.flatMap(({ assetId = [] }) => assetId);
	warnOfUnknown(asked, excluded, exclusionsField.displayName, item.warn);
	const parts = split(asked.past, splitBy, context.getTimezone());
	return await pastUptime(asked, { ...question, parts });
}

function choice<T extends string>(
	item: InputItem,
	{ name, displayName, default: fallback }: INodeProperties,
	known: readonly T[],
): T {
	const value = parameter(item, name, text, fallback);
	const found = known.find((each) => each.toLowerCase() === value.toLowerCase());
	if (found !== undefined) return found;
	throw parameterError(
		item,
		`'${displayName}' has no '${value}'`,
		`Use one of ${known.join(', ')}.`,
	);
}

/** From the form and from an expression. */
function exclusionsOf(item: InputItem): Exclusion[] {
	const form = parameter(item, 'exclusions', unknown(), {});
	const given = parameter(item, exclusionListField.name, unknown());
	const list = typeof given === 'string' ? jsonIn(given.trim() || '[]') : given;
	if (!Array.isArray(list)) throw wrongExclusion(item, exclusionListField, 'is not a list');
	const entered = isRecord(form) ? form['exclusion'] : undefined;
	return [
		...(Array.isArray(entered) ? entered : []).map(exclusionIn(item, exclusionsField)),
		...list.map(exclusionIn(item, exclusionListField)),
	];
}

function exclusionIn(item: InputItem, field: INodeProperties): (each: unknown) => Exclusion {
	return (each) => {
		const one = isRecord(each) && isRecord(each['json']) ? each['json'] : each;
		if (!isRecord(one)) throw wrongExclusion(item, field, 'has an entry that is not an object');
		const from = timeOfField(item, 'From', one['from']);
		const to = timeOfField(item, 'To', one['to']);
		if (from === undefined || to === undefined) {
			throw wrongExclusion(item, field, "has an entry without 'From' or 'To'");
		}
		if (from >= to) {
			throw wrongExclusion(item, field, "has an entry whose 'From' is not before its 'To'");
		}
		return { assetId: named(one['assetId']), connector: named(one['connector']), from, to };
	};
}

function named(value: unknown): string | undefined {
	const name = asText(value);
	return name === '' ? undefined : name;
}

const wrongExclusion = (item: InputItem, { displayName }: INodeProperties, what: string) =>
	parameterError(
		item,
		`'${displayName}' ${what}`,
		'Each exclusion has a beginning and an end: an expression returns a list of objects, or items, with assetId, connector, from and to.',
	);
