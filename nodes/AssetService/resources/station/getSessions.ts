/** The charging sessions of a period that has passed. */
import type { INodeProperties } from 'n8n-workflow';
import { connectionSettings, pastSessions, WANTS_OF } from '../../../../lib/station';
import { readStationSettings } from '../../../../n8n/polling/station/settings';
import { flag } from '../../shared/parameters';
import type { Operation, OperationRun } from '../../shared/resource';
import { ask, assetIdsField, lookBackField, optionsWith, periodFields } from './question';

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

export const getSessions: Operation = {
	name: 'Get Sessions',
	description:
		'Get the charging sessions that ended in a period, with their energy in kWh. Takes a period and asset IDs and returns one item per session.',
	action: 'Get the charging sessions of stations',
	fields: [
		...[assetIdsField, ...periodFields, includeOpenField, lookBackField],
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
