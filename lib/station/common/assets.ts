/** What the asset list says of the places of a station: its connectors, and their last status. */
import type { ApiRecord } from '../../service';
import { timeOf } from '../../shared/time';
import { asText, isRecord, numberOf, valueAt } from '../../shared/values';

export interface ListedConnector {
	/** Connector 1 of OCPP 1.6, and the only connector of EVSE 1 in OCPP 2.0.1. */
	readonly number: string;
	/** The last status, and since when; absent if it is no word of OCPP, or has no time. */
	readonly status?: string;
	readonly updatedAt?: number;
	readonly connectorType?: string;
	readonly powerType?: string;
}

export interface ListedStation {
	/** It is not in operation yet: that it says nothing means nothing. */
	readonly isPlanned: boolean;
	readonly is201: boolean;
	readonly connectors: readonly ListedConnector[];
}

const STATUSES: ReadonlyMap<string, string> = new Map(
	[
		'Available',
		'Preparing',
		'Charging',
		'SuspendedEV',
		'SuspendedEVSE',
		'Finishing',
		'Reserved',
		'Unavailable',
		'Faulted',
		'Occupied',
	].map((status) => [status.toLowerCase(), status]),
);

export function listedStation(record: ApiRecord): ListedStation {
	const station = isRecord(record['chargingStation']) ? record['chargingStation'] : {};
	const status = asText(record['status'] ?? station['status']);
	const connectors = Array.isArray(station['connectors']) ? station['connectors'] : [];
	const protocol = asText(record['protocol'] ?? station['protocol']);
	const isPlanned = status.toUpperCase() === 'PLANNED';
	const known = connectors.flatMap((one, n) => connectorOf(one, n, asText(station['powerType'])));
	return {
		isPlanned,
		is201: /2[._]\d/.test(protocol),
		connectors: isPlanned ? known.map(withoutStatus) : known,
	};
}

/** Of a station that is not there yet, the list knows no status. */
const withoutStatus = ({
	status: _status,
	updatedAt: _updatedAt,
	...connector
}: ListedConnector): ListedConnector => connector;

function connectorOf(one: unknown, n: number, powerOfStation: string): ListedConnector[] {
	const number = numberOf(valueAt(one, 'id')) ?? n + 1;
	if (!Number.isSafeInteger(number) || number <= 0) return [];
	const [status, updatedAt] = [
		STATUSES.get(asText(valueAt(one, 'status')).toLowerCase()),
		timeOf(valueAt(one, 'updatedAt')),
	];
	const type = asText(valueAt(one, 'connectorType')) || asText(valueAt(one, 'connectionType'));
	const power = asText(valueAt(one, 'powerType')) || powerOfStation;
	return [
		{
			number: String(number),
			...(status !== undefined && updatedAt !== undefined && { status, updatedAt }),
			...(type !== '' && { connectorType: type }),
			...(power !== '' && { powerType: power }),
		},
	];
}
