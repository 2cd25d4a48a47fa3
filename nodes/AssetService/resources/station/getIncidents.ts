/** The incidents that a Station Trigger with these settings would have reported in a period that has passed. */
import type { INodeProperties } from 'n8n-workflow';
import { connectionSettings, pastIncidents, pastSessions, WANTS_OF } from '../../../../lib/station';
import { readStationSettings } from '../../../../n8n/polling/station/settings';
import { incidentFields } from '../../../AssetServiceStationTrigger/description';
import { parameterError } from '../../shared/parameters';
import type { Operation, OperationRun } from '../../shared/resource';
import { ask, assetIdsField, lookBackField, optionsWith, periodFields } from './question';

const { triggerOn, statuses, otherStatuses, faultProperties, timeProperties } = incidentFields;

/** In an action node, expressions and AI agents may fill in what they cannot in a trigger. */
function asked({ noDataExpression: _never, ...field }: INodeProperties): INodeProperties {
	return field;
}

const kindField: INodeProperties = {
	...triggerOn,
	displayName: 'Incident',
	options: (triggerOn.options ?? []).flatMap((option) => {
		if (!('value' in option) || option.value === 'sessionEnded') return [];
		const { action: _action, ...kind } = option;
		return [kind];
	}),
	description: 'What to look for, as in the Asset Service Station Trigger',
};

export const getIncidents: Operation = {
	name: 'Get Incidents',
	description:
		'Find out which stations were offline, which connectors were stuck or faulted, since when and for how long. Takes a kind of incident and a period and returns one item per incident.',
	action: 'Get the incidents of stations',
	fields: [
		kindField,
		...[statuses, ...faultProperties, ...timeProperties].map(asked),
		...[assetIdsField, ...periodFields, lookBackField, optionsWith(asked(otherStatuses))],
	],
	run,
};

async function run(item: OperationRun) {
	const { context, itemIndex, client } = item;
	const { station, problems } = readStationSettings((name, fallback) =>
		context.getNodeParameter(name, itemIndex, fallback),
	);
	const [problem, ...others] = problems;
	if (problem !== undefined) {
		throw parameterError(item, [problem, ...others].join('. '), 'Correct it in the node.');
	}
	const settings = { ...station, ...connectionSettings(client.serviceInterface) };
	const question = await ask(item, WANTS_OF[settings.kind]);
	return settings.kind === 'sessionEnded'
		? await pastSessions(question, settings, false)
		: await pastIncidents(question, settings);
}
