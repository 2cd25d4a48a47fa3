/** Stations: what happened at them, and how they are now, from the list of events; each question about the past is an operation. */
import type { INodeProperties } from 'n8n-workflow';
import { counted } from '../../../../lib/shared/text';
import {
	connectionSettings,
	pastIncidents,
	pastSessions,
	stationStatus,
	type Wants,
	WANTS_OF,
} from '../../../../lib/station';
import { readStationSettings } from '../../../../n8n/polling/station/settings';
import { incidentFields } from '../../../AssetServiceStationTrigger/description';
import {
	flag,
	type Fetching,
	type OperationRun,
	parameterError,
	type Resource,
} from '../../shared/operation';
import { getOutages, getUptime } from './getUptime';
import {
	ask,
	lookBackField,
	optionsWith,
	silenceOptions,
	periodFields,
	stationFields,
} from './question';
import { isSimple, problemIn, simplifiable } from './simplify';

const { triggerOn, statuses, faultProperties, reportAfter, ifSet } = incidentFields;

const kindField: INodeProperties = {
	...triggerOn,
	noDataExpression: true,
	displayName: 'Incident',
	options: (triggerOn.options ?? []).flatMap((option) => {
		if (!('value' in option) || option.value === 'sessionEnded') return [];
		const { action: _action, ...kind } = option;
		return [kind];
	}),
	description: 'What to look for, as in the Asset Service Station Trigger',
};

const getIncidents: Fetching = {
	name: 'Get Incidents',
	description:
		'Find out which stations were offline, which connectors were stuck or faulted, since when and for how long. Takes a kind of incident and a period and returns one item per incident.',
	action: 'Get incidents of stations in a period: offline, stuck or faulted; not the status now',
	fields: [
		kindField,
		statuses,
		...faultProperties,
		...reportAfter,
		...ifSet,
		...stationFields,
		...periodFields,
		lookBackField,
		optionsWith(...incidentFields.options),
	],
	run: incidentsIn,
};

async function incidentsIn(item: OperationRun) {
	const { context, itemIndex, client } = item;
	const { station, problems } = readStationSettings((name, fallback) =>
		context.getNodeParameter(name, itemIndex, fallback),
	);
	const [problem, ...others] = problems;
	if (problem !== undefined) {
		throw parameterError(item, [problem, ...others].join('. '), 'Correct it in the node.');
	}
	const settings = { ...station, ...connectionSettings(client.serviceInterface) };
	const question = await ask(item, WANTS_OF[settings.kind], { incidents: settings });
	return settings.kind === 'sessionEnded'
		? await pastSessions(question, settings, false)
		: await pastIncidents(question, settings);
}

const includeOpenField: INodeProperties = {
	displayName: 'Include Open Sessions',
	name: 'includeOpen',
	type: 'boolean',
	default: false,
	description: 'Whether to return also the sessions that have not ended, with their energy so far',
};

const includeIdTag: INodeProperties = {
	displayName: 'Include ID Tag',
	name: 'includeIdTag',
	type: 'boolean',
	default: false,
	description: 'Whether a session has the RFID tag or token of the driver, which is personal data',
};

const getSessions: Fetching = {
	name: 'Get Sessions',
	description:
		'Get the charging sessions that ended in a period, with their energy in kWh. Takes a period and asset IDs and returns one item per session.',
	action: 'Get charging sessions of stations with times and energy, not outages or the status now',
	fields: [
		...stationFields,
		...periodFields,
		includeOpenField,
		lookBackField,
		optionsWith(includeIdTag),
	],
	run: async (item: OperationRun) => {
		const { client } = item;
		const includeOpen = flag(item, 'includeOpen', 'Include Open Sessions', false);
		const hasTag = flag(item, 'options.includeIdTag', 'Include ID Tag', false);
		const given: Readonly<Record<string, unknown>> = {
			triggerOn: 'sessionEnded',
			options: { includeIdTag: hasTag },
		};
		const { station } = readStationSettings((name, fallback) => given[name] ?? fallback);
		const settings = { ...station, ...connectionSettings(client.serviceInterface) };
		return await pastSessions(await ask(item, WANTS_OF.sessionEnded), settings, includeOpen);
	},
};

const EVERYTHING: Wants = { connections: true, states: true, sessions: true, silence: true };

const onlyProblemsField: INodeProperties = {
	displayName: 'Only Problems',
	name: 'onlyProblems',
	type: 'boolean',
	default: false,
	description:
		'Whether to return only the stations that something is wrong with, or of which nothing is known. With Simplify, items have only what is wrong.',
};

const getStatus: Fetching = {
	name: 'Get Status',
	description:
		'Find out whether stations are connected, the status of their connectors, open faults and running sessions, and since when. Takes asset IDs and returns one item per station.',
	action:
		'Get the status of stations now: offline, faulted or in use, and since when; not the past',
	fields: [...stationFields, onlyProblemsField, lookBackField, silenceOptions],
	run: async (item) => {
		const { name, displayName } = onlyProblemsField;
		const onlyProblems = flag(item, name, displayName, false);
		const found = await stationStatus(
			await ask(item, EVERYTHING, { hasPeriod: false }),
			connectionSettings(item.client.serviceInterface),
			onlyProblems,
		);
		const silent = found.filter(({ lastSeenAt }) => lastSeenAt === null).length;
		if (silent > 0) {
			const text = `${counted(silent, 'station')} sent nothing in this time: raise '${lookBackField.displayName}' to see the last sign.`;
			item.warn(text, { inLog: false });
		}
		return onlyProblems && isSimple(item) ? found.map(problemIn) : found;
	},
};

const questions = { getIncidents, getOutages, getSessions, getStatus, getUptime };

export const station: Resource = {
	name: 'Station',
	description: 'Incidents, outages, charging sessions, uptime and status of charging stations',
	operations: Object.fromEntries(
		Object.entries(questions).map(([name, question]) => [name, simplifiable(question)]),
	),
};
