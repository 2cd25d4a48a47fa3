/** Items for a test in the editor where the list shows no incident. */
import type { IDataObject } from 'n8n-workflow';
import type { Kind } from '../../lib/station';

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
export function sampleOf(kind: Kind, state: 'opened' | 'resolved'): IDataObject {
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
