/** How long each connector, port or station was up in a period that has passed, and each time that it was down. docs/uptime.md has the rules. */
import type { INodeProperties } from 'n8n-workflow';
import { someOf } from '../../../../lib/shared/text';
import {
	type Asked,
	connectionSettings,
	type Exclusion,
	type OutageQuestion,
	type Per,
	pastOutages,
	pastUptime,
	split,
	type SplitBy,
	type Wants,
} from '../../../../lib/station';
import {
	flag,
	type InputItem,
	parameter,
	parameterError,
	text,
	type Fetching,
	type OperationRun,
} from '../../shared/operation';
import { exclusionListField, exclusionsField, exclusionsOf, warnOfUnfitting } from './exclusions';
import { ask, lookBackField, periodFields, silenceOptions, stationFields } from './question';

const PERS = ['connector', 'port', 'station'] as const satisfies readonly Per[];
const SPLITS = [
	'none',
	'quarterHour',
	'hour',
	'day',
	'month',
] as const satisfies readonly SplitBy[];
const PORTS = ['connector', 'station'] as const;
const UNKNOWNS = ['leftOut', 'up', 'down'] as const;

const perField: INodeProperties = {
	displayName: 'Per',
	name: 'per',
	type: 'options',
	options: [
		{ name: 'Connector', value: 'connector', description: 'An item for each connector' },
		{
			name: 'Port',
			value: 'port',
			description:
				'An item for each place where one vehicle at a time can charge: an EVSE, or a connector of OCPP 1.6. It is down if all of its connectors are.',
		},
		{
			name: 'Station',
			value: 'station',
			description: 'A station is down if it is offline, or if all of its ports are down',
		},
	],
	default: 'connector',
	description: 'What to return an item for',
};

const portIsField: INodeProperties = {
	displayName: 'Port Is',
	name: 'portIs',
	type: 'options',
	options: [
		{ name: 'Connector', value: 'connector', description: 'Each connector can charge a vehicle' },
		{
			name: 'Station',
			value: 'station',
			description: 'The station charges one vehicle at a time, with one of its connectors',
		},
	],
	default: 'connector',
	description: 'What a port is for stations of OCPP 1.6, whose messages do not show it',
	displayOptions: { show: { per: ['port'] } },
};

const splitByField: INodeProperties = {
	displayName: 'Split By',
	name: 'splitBy',
	type: 'options',
	options: [
		{ name: 'Day', value: 'day', description: 'An item for each day' },
		{ name: 'Hour', value: 'hour', description: 'An item for each hour' },
		{ name: 'Month', value: 'month', description: 'An item for each month' },
		{ name: 'None', value: 'none', description: 'One item for the whole period' },
		{ name: 'Quarter Hour', value: 'quarterHour', description: 'An item for each 15 minutes' },
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

const CONNECTIONS_AND_STATES: Wants = { connections: true, states: true, silence: true };

const PLACES: readonly INodeProperties[] = [
	...stationFields,
	...periodFields,
	perField,
	portIsField,
];
const EXCLUSIONS: readonly INodeProperties[] = [
	exclusionsField,
	exclusionListField,
	lookBackField,
	silenceOptions,
];

export const getUptime: Fetching = {
	name: 'Get Uptime',
	description:
		'Calculate the uptime of connectors, ports or stations in percent, with the minutes up, down and unknown. Takes a period and asset IDs and returns one item per connector, port or station.',
	action: 'Get the uptime of stations in percent for a period, not its outages or the status now',
	fields: [...PLACES, splitByField, countUnavailableField, unknownAsField, ...EXCLUSIONS],
	run: async (item) => {
		const unknownAs = choice(item, unknownAsField, UNKNOWNS);
		return await withExclusions(item, (asked, question) =>
			pastUptime(asked, { ...question, unknownAs }),
		);
	},
};

export const getOutages: Fetching = {
	name: 'Get Outages',
	description:
		'List each time that connectors, ports or stations were down, with its minutes and cause: offline, silent, faulted or unavailable. Takes a period and asset IDs and returns one item per outage.',
	action: 'Get outages of stations in a period: when, how long and why; not the uptime in percent',
	fields: [...PLACES, splitByField, countUnavailableField, ...EXCLUSIONS],
	run: async (item) => await withExclusions(item, pastOutages),
};

async function withExclusions<T>(
	item: OperationRun,
	find: (asked: Asked, question: OutageQuestion) => Promise<T>,
): Promise<T> {
	const exclusions = exclusionsOf(item);
	const fitting = new Set<Exclusion>();
	const removed: string[] = [];
	const question = {
		per: choice(item, perField, PERS),
		portIs: choice(item, portIsField, PORTS),
		countUnavailable: flag(item, 'countUnavailable', 'Count Unavailable', true),
		words: connectionSettings(item.client.serviceInterface),
		exclusions,
		onFit: (exclusion: Exclusion) => fitting.add(exclusion),
		onRemoved: (assetId: string, at: number) => {
			removed.push(`${assetId} (${new Date(at).toISOString()})`);
		},
	};
	const splitBy = choice(item, splitByField, SPLITS);
	const asked = await ask(item, CONNECTIONS_AND_STATES);
	const parts = split(asked.past, splitBy, item.context.getTimezone());
	const found = await find(asked, { ...question, parts });
	warnOfUnfitting(asked, exclusions, fitting, item.warn);
	if (removed.length > 0) {
		const text = `Not in the asset list any more, so counted up to the last sign: ${someOf(removed)}.`;
		item.warn(text, { inLog: false });
	}
	return found;
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
