/** The parameters of the station trigger about faults: how many open an incident, and which belong to it. */
import type { INodeProperties } from 'n8n-workflow';
import {
	DEFAULT_WITHIN_MINUTES,
	MAX_FOR_MINUTES,
	MAX_TIMES,
} from '../../n8n/polling/station/settings';
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
		description: "Report at this number of faults. From 2 on, set 'Within (Minutes)'.",
	},
	{
		displayName: 'Within (Minutes)',
		name: 'withinMinutes',
		type: 'number',
		noDataExpression: true,
		displayOptions: { show: { triggerOn: ['connectorFault'] }, hide: { times: [1] } },
		typeOptions: whole(1, MAX_FOR_MINUTES),
		default: DEFAULT_WITHIN_MINUTES,
		description:
			'Time in which these faults have to be reported. After the same time without a fault, the incident is over.',
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
