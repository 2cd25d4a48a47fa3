/** What the station trigger passes on: to two outputs, where an incident opens and resolves. */
import type { IExecuteFunctions, ILoadOptionsFunctions, INodeExecutionData } from 'n8n-workflow';
import type { ApiClient } from '../../lib/service';
import { counted } from '../../lib/shared/counted';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/shared/durations';
import {
	connectionSettings,
	type Found,
	incidentsToChoose,
	newestIncidents,
} from '../../lib/station';
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

/**
 * For "Fetch Test Event": the newest incident of each output, or the one that was chosen, otherwise a sample. Each is marked
 * with `test: true`, so that a workflow can leave out what acts on a station. A hint says what the settings would have reported.
 */
export async function testItems(
	context: IExecuteFunctions,
	client: ApiClient,
	settings: StationTriggerSettings,
): Promise<INodeExecutionData[][]> {
	const { station, hasTwoOutputs, testWith } = settings;
	const asking = askingFor(context, client, settings);
	const found = testWith === '' ? await newestIncidents(asking) : await incidentsToChoose(asking);
	const chosen = found.all.find(({ id }) => id === testWith);
	const hint = chosen === undefined ? aboutFound(found, settings) : undefined;
	if (hint !== undefined) {
		context.addExecutionHints({ message: hint, type: 'info', location: 'outputPane' });
	}
	const shown = chosen === undefined ? found.all : [chosen];
	const itemOf = (state: 'opened' | 'resolved'): INodeExecutionData => {
		const items = shown.map(({ items: all }) => all.get(state) ?? all.get(undefined));
		const real = items.find((item) => item !== undefined);
		const together = station.kind !== 'sessionEnded' && { together: 1 };
		const json = real === undefined ? sampleOf(station.kind, state) : { ...real, ...together };
		return { json: { ...json, test: true } };
	};
	return hasTwoOutputs ? [[itemOf('opened')], [itemOf('resolved')]] : [[itemOf('opened')]];
}

/** What incidents of the past are asked for with. */
export function askingFor(
	context: Pick<IExecuteFunctions | ILoadOptionsFunctions, 'getWorkflow' | 'getNode'>,
	client: ApiClient,
	{ station }: StationTriggerSettings,
) {
	return {
		client,
		settings: { ...station, ...connectionSettings(client.serviceInterface) },
		owner: { workflowId: context.getWorkflow().id ?? '', nodeId: context.getNode().id },
	};
}

function aboutFound(found: Found, { station: { kind }, testWith }: StationTriggerSettings): string {
	const { all, incidents, stations, countedMs, readMs, events } = found;
	const noun = kind === 'sessionEnded' ? 'session' : 'incident';
	const gone = testWith === '' ? '' : `The selected ${noun} was not found. `;
	if (all.length === 0) {
		return `${gone}No ${noun} fits these settings in the last ${spanOf(readMs)} (${counted(events, 'event')}): the item is a sample.`;
	}
	const reported =
		incidents === 0
			? `no ${noun}`
			: `${counted(incidents, noun)} of ${counted(stations, 'station')}`;
	const newest = incidents === 0 ? ' The item is the newest one before.' : '';
	return `${gone}In the last ${spanOf(countedMs)}, these settings would have reported ${reported}.${newest}`;
}

/** Such as `24 hours`. */
function spanOf(ms: number): string {
	const hours = Math.round(ms / HOUR_MS);
	if (hours > 48) return counted(Math.round(ms / DAY_MS), 'day');
	return hours >= 2 ? counted(hours, 'hour') : counted(Math.round(ms / MINUTE_MS), 'minute');
}
