/** What the station trigger passes on: to two outputs, where an incident opens and resolves. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { ApiClient } from '../../lib/service';
import { connectionSettings, newestIncidents } from '../../lib/station';
import { sampleOf } from './samples';
import type { StationTriggerSettings } from './settings';

export function toOutputs(
	items: INodeExecutionData[],
	{ hasTwoOutputs }: StationTriggerSettings,
): INodeExecutionData[][] {
	if (!hasTwoOutputs) return [items];
	const isResolved = ({ json }: INodeExecutionData) => json['state'] === 'resolved';
	return [items.filter((item) => !isResolved(item)), items.filter(isResolved)];
}

/** For "Fetch Test Event": the newest incident of each output, otherwise a sample. */
export async function testItems(
	client: Pick<ApiClient, 'list' | 'serviceInterface'>,
	settings: StationTriggerSettings,
): Promise<INodeExecutionData[][]> {
	const { station, hasTwoOutputs } = settings;
	const connection = connectionSettings(client.serviceInterface);
	const found = await newestIncidents(client, { ...station, ...connection });
	const first = found.get('opened') ?? found.get(undefined) ?? sampleOf(station.kind, 'opened');
	const opened = [{ json: first as IDataObject }];
	if (!hasTwoOutputs) return [opened];
	const second = found.get('resolved') ?? sampleOf(station.kind, 'resolved');
	return [opened, [{ json: second as IDataObject }]];
}
