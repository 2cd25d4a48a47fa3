/** The parameters of the station trigger about faults: how many open an incident, and which belong to it. */
import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_WITHIN_MINUTES, MAX_FOR_MINUTES, MAX_TIMES } from '../../n8n/station/settings';
import { whole } from './numbers';

export const faultProperties: INodeProperties[] = [
	{
		displayName: 'Number of Faults',
		name: 'times',
		type: 'number',
		noDataExpression: true,
		displayOptions: { show: { triggerOn: ['connectorFault'] } },
		typeOptions: whole(1, MAX_TIMES),
		default: 1,
		description: 'How many faults within a time open an incident',
	},
	{
		displayName: 'Within (Minutes)',
		name: 'withinMinutes',
		type: 'number',
		noDataExpression: true,
		displayOptions: { show: { triggerOn: ['connectorFault'] }, hide: { times: [1] } },
		typeOptions: whole(1, MAX_FOR_MINUTES),
		default: DEFAULT_WITHIN_MINUTES,
		description: 'The incident resolves when no fault was reported for this time',
	},
	{
		displayName: 'One Incident Per',
		name: 'scope',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { triggerOn: ['connectorFault'] } },
		options: [
			{ name: 'Connector', value: 'connector', description: 'All faults of a connector' },
			{
				name: 'Connector and Code',
				value: 'code',
				description: 'Faults of a connector with the same error code and vendor error code',
			},
			{ name: 'Station', value: 'station', description: 'All faults of a station' },
		],
		default: 'code',
		description: 'Which faults belong to the same incident',
	},
];
