/** Cost of ten conditions per event, read from the parameters and checked as for each delivery: `npx tsx scripts/bench/conditions.bench.ts`. */
import { readConditions } from '../../lib/event';
import { median } from './median';

const ROUNDS = 25;
const EVENTS_PER_ROUND = 2_000;

const parameter = {
	condition: [
		{ field: 'type', operator: 'equals', value: 'ocpp.message' },
		{ field: 'data.asset.id', operator: 'startsWith', value: 'asset_' },
		{ field: 'data.messageType', operator: 'equals', value: 'CALL' },
		{ field: 'data.action', operator: 'equals', value: 'StatusNotification, StopTransaction' },
		{ field: 'data.payload.connectorId', operator: 'greaterThan', value: '0' },
		{ field: 'data.payload.status', operator: 'notEquals', value: 'Available, Preparing' },
		{ field: 'data.payload.errorCode', operator: 'exists', value: '' },
		{ field: 'data.payload.vendorErrorCode', operator: 'contains', value: 'E1, E2, E3' },
		{ field: 'data.payload.info.codes.code', operator: 'lessThan', value: '90' },
		{ field: 'data.payload.reason', operator: 'notExists', value: '' },
	],
};
const event = {
	id: 'whevt_1',
	type: 'ocpp.message',
	data: {
		asset: { id: 'asset_1' },
		messageType: 'CALL',
		action: 'StatusNotification',
		payload: {
			connectorId: 2,
			status: 'Faulted',
			errorCode: 'GroundFailure',
			vendorErrorCode: 'E3',
			info: { codes: [{ code: 99 }, { code: 12 }] },
		},
	},
};

const times = Array.from({ length: ROUNDS }, () => {
	const before = process.cpuUsage();
	for (let n = 0; n < EVENTS_PER_ROUND; n++) {
		const unmet = readConditions(parameter).unmet(event);
		if (unmet !== undefined) throw new Error(`The event does not meet ${unmet}`);
	}
	const { user, system } = process.cpuUsage(before);
	return (user + system) / EVENTS_PER_ROUND;
});
console.log(`\nten conditions, all met: ${median(times).toFixed(1)} µs per event`);
