/** What the station trigger passes on: to two outputs, where an incident opens and resolves. */
import type {
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeExecutionData,
	IDataObject,
} from 'n8n-workflow';
import type { ApiClient } from '../../../lib/service';
import { explained } from '../../../lib/shared/errors';
import { counted } from '../../../lib/shared/text';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/shared/time';
import {
	connectionSettings,
	type Found,
	incidentsToChoose,
	newestIncidents,
	type Kind,
} from '../../../lib/station';
import { hintAt } from '../../log/nodeError';
import type { readStationSettings } from './settings';

type ReadSettings = ReturnType<typeof readStationSettings>;

export function toOutputs(
	items: INodeExecutionData[],
	{ hasTwoOutputs }: ReadSettings,
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
	settings: ReadSettings,
): Promise<INodeExecutionData[][]> {
	const { station, hasTwoOutputs, testWith } = settings;
	const asking = askingFor(context, client, settings);
	const found = testWith === '' ? await newestIncidents(asking) : await incidentsToChoose(asking);
	const chosen = found.all.find(({ id }) => id === testWith);
	const hint = chosen === undefined ? aboutFound(found, settings) : undefined;
	if (hint !== undefined) {
		context.addExecutionHints({ message: hint, type: 'info', location: 'outputPane' });
	}
	if (found.unnamed !== undefined) {
		hintAt(context, [`stations appear by ID: ${explained(found.unnamed)}`]);
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
	{ station }: ReadSettings,
) {
	return {
		client,
		settings: { ...station, ...connectionSettings(client.serviceInterface) },
		owner: { workflowId: context.getWorkflow().id ?? '', nodeId: context.getNode().id },
	};
}

function aboutFound(found: Found, { station: { kind }, testWith }: ReadSettings): string {
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

const STATION: IDataObject = {
	name: 'Sample station',
	id: 'asset_1',
	type: 'CHARGING_STATION',
	status: 'ACTIVE',
	serialNumber: 'NL22-004711',
	make: 'Nordstrom Laden',
	model: 'NL-22 Duo',
	firmwareVersion: '3.2.4',
	protocol: 'ocpp1.6',
	updatedAt: '2026-11-01T08:00:00.000Z',
};
const SINCE = '2026-11-23T09:00:10.000Z';
const UNTIL = '2026-11-23T11:30:00.000Z';
const FAULT = { errorCode: 'GroundFailure', vendorErrorCode: 'E-031', info: 'Residual current' };

const DETAILS: Readonly<Record<Exclude<Kind, 'sessionEnded'>, IDataObject>> = {
	stationOffline: { connector: null, status: 'DISCONNECTED' },
	connectorStatus: { connector: '1', status: 'Finishing' },
	connectorFault: {
		connector: '1',
		...FAULT,
		errorCodes: ['GroundFailure'],
		vendorErrorCodes: ['E-031'],
		count: 1,
		faults: [{ at: SINCE, connector: '1', ...FAULT }],
	},
};

const SESSION: IDataObject = {
	connector: '1',
	startedAt: '2026-11-23T09:00:10.000Z',
	stoppedAt: '2026-11-23T11:02:15.000Z',
	minutes: 122,
	energyKwh: 11.292,
	meterStartWh: 711112,
	meterStopWh: 722404,
	energyFrom: 'start to stop',
	transactionId: '100001',
	reason: 'Local',
	startFoundBy: 'response',
	receivedAt: '2026-11-23T11:02:15.600Z',
	id: 'ses_2kP0vT7aR5cW9xB1nL4dHq',
	kind: 'sessionEnded',
};

/** What people read first comes first, as in real items. `test: true` distinguishes them from items that happened. */
function sampleOf(kind: Kind, state: 'opened' | 'resolved'): IDataObject {
	if (kind === 'sessionEnded') return { station: STATION, ...SESSION, test: true };
	const incident = 'inc_Qm4x9aZ1k7Hq0P2c1Jr2Wd';
	const isOver = state === 'resolved';
	const { connector = null, ...details } = DETAILS[kind];
	return {
		...{ station: STATION, connector, since: SINCE, minutes: isOver ? 149 : 122 },
		...{ until: isOver ? UNTIL : null, ...(isOver && { endedBy: 'report' }) },
		...details,
		...{ state, kind, id: `${incident}.${state}`, incident },
		events: isOver ? ['whevt_1', 'whevt_2'] : ['whevt_1'],
		...{ together: 1, test: true },
	};
}
