/**
 * What the station trigger passes on: to two outputs, where an incident opens and resolves; and for a test in the editor, the
 * incident that was chosen from a list of those of the past.
 */
import type {
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeExecutionData,
	INodeListSearchResult,
	IDataObject,
} from 'n8n-workflow';
import type { ApiClient } from '../../../lib/service';
import { explained } from '../../../lib/shared/errors';
import { counted } from '../../../lib/shared/text';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/shared/time';
import { asText, own } from '../../../lib/shared/values';
import {
	connectionSettings,
	type Found,
	incidentsToChoose,
	newestIncidents,
	type Kind,
	type Shown,
} from '../../../lib/station';
import { apiClientFor } from '../../api/apiClient';
import { hintAt, toNodeError } from '../../log/nodeError';
import { NEWEST, readStationSettings, type ReadStationSettings } from './settings';

export function toOutputs(
	items: INodeExecutionData[],
	{ hasTwoOutputs }: ReadStationSettings,
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
	settings: ReadStationSettings,
): Promise<INodeExecutionData[][]> {
	const { station, hasTwoOutputs, testWith } = settings;
	const asking = askingFor(context, client, settings);
	const found = testWith === '' ? await newestIncidents(asking) : await incidentsToChoose(asking);
	const chosen = found.all.find(({ id }) => id === testWith);
	const hint = chosen === undefined ? aboutFound(found, settings) : undefined;
	if (hint !== undefined) hintAt(context, [hint], 'info');
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

const MOST_CHOICES = 100;

/** The incidents of the last 7 days that fit the settings of the node, with `filter` in the text that the list shows. */
export async function searchIncidents(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	try {
		const settings = readStationSettings(
			(name, fallback) => this.getCurrentNodeParameter(name) ?? fallback,
		);
		const asking = askingFor(this, await apiClientFor(this), settings);
		const { all } = await incidentsToChoose(asking);
		const timeZone = this.getTimezone();
		const choices = [
			{ name: 'Newest', value: NEWEST },
			...all.map((shown) => ({ name: lineOf(shown, timeZone), value: shown.id })),
		];
		const wanted = filter.trim().toLowerCase();
		const matching = choices.filter(({ name }) => name.toLowerCase().includes(wanted));
		return { results: matching.slice(0, MOST_CHOICES) };
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

/** Such as `Harbour Street 1, connector 1, GroundFailure, 24 Nov 09:12, 18 min`. */
function lineOf({ at, items, assetId }: Shown, timeZone: string): string {
	const item = items.get('resolved') ?? items.get('opened') ?? items.get(undefined) ?? {};
	const { connector, minutes } = item;
	const time = new Intl.DateTimeFormat('en-GB', {
		timeZone,
		day: 'numeric',
		month: 'short',
		hour: '2-digit',
		minute: '2-digit',
	}).format(at);
	const parts = [
		asText(own(item['station'], 'name')) || assetId,
		connector === null ? '' : `connector ${asText(connector)}`,
		asText(item['errorCode'] ?? item['status'] ?? item['reason']),
		time.replace(',', ''),
		minutes === null ? '' : `${asText(minutes)} min`,
	];
	return parts.filter((part) => part !== '').join(', ');
}

/** What incidents of the past are asked for with. */
function askingFor(
	context: Pick<IExecuteFunctions | ILoadOptionsFunctions, 'getWorkflow' | 'getNode'>,
	client: ApiClient,
	{ station }: ReadStationSettings,
) {
	return {
		client,
		settings: { ...station, ...connectionSettings(client.serviceInterface) },
		owner: { workflowId: context.getWorkflow().id ?? '', nodeId: context.getNode().id },
	};
}

function aboutFound(found: Found, { station: { kind }, testWith }: ReadStationSettings): string {
	const { all, incidents, stations, countedMs, readMs, events, isAll } = found;
	const noun = kind === 'sessionEnded' ? 'session' : 'incident';
	const gone = testWith === '' ? '' : `The selected ${noun} was not found. `;
	if (all.length === 0) {
		const older = isAll && events > 0 ? ' and none before' : '';
		return `${gone}The list has ${counted(events, 'event')} of the last ${spanOf(readMs)}${older}, and no ${noun} that fits these settings: the item is a sample.`;
	}
	const reported =
		incidents === 0
			? `no ${noun}`
			: `${counted(incidents, noun)} of ${counted(stations, 'station')}`;
	const newest = incidents === 0 ? ' The item is the newest one before.' : '';
	// It can reach back further than what was counted.
	const whole = isAll && countedMs === readMs ? ', as far back as the list goes' : '';
	return `${gone}In the last ${spanOf(countedMs)}${whole}, these settings would have reported ${reported}.${newest}`;
}

/** Such as `24 hours`. */
function spanOf(ms: number): string {
	const hours = Math.round(ms / HOUR_MS);
	if (hours > 48) return counted(Math.round(ms / DAY_MS), 'day');
	return hours >= 2 ? counted(hours, 'hour') : counted(Math.ceil(ms / MINUTE_MS), 'minute');
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
		station: STATION,
		connector,
		since: SINCE,
		minutes: isOver ? 149 : 122,
		until: isOver ? UNTIL : null,
		...(isOver && { endedBy: 'report' }),
		...details,
		state,
		kind,
		id: `${incident}.${state}`,
		incident,
		events: isOver ? ['whevt_1', 'whevt_2'] : ['whevt_1'],
		together: 1,
		test: true,
	};
}
