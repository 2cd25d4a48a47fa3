/** Generates charging stations in the shape that the service is known to return, the same ones at every start. */
import { createRandom, type Random } from './random';

export interface Connector {
	id: string;
	status: string;
	connectionType: string;
	format: string;
	maxAmperage: number;
	maxVoltage: number;
	updatedAt: string;
}

export interface Asset {
	id: string;
	type: 'CHARGING_STATION';
	network: { id: string };
	sitePartners: { id: string; name: string }[];
	/** Missing for a station that belongs to no group. */
	assetGroup?: { id: string };
	createdAt: string;
	updatedAt: string;
	chargingStation: {
		serialNumber: string;
		name: string;
		status: string;
		powerType: string;
		protocol: 'OCPP_1_6' | 'OCPP_2_0_1';
		geoLocation: { latitude: number; longitude: number };
		connectors: Connector[];
		manufacturingInfo: {
			chargePointVendor: string;
			chargePointModel: string;
			firmwareVersion: string;
		};
	};
}

interface Model {
	vendor: string;
	model: string;
	powerType: string;
	connectionType: string;
	format: string;
	amperage: number;
	voltage: number;
	connectors: number;
	firmware: readonly [string, ...string[]];
}

const AC = { powerType: 'AC_3_PHASE', connectionType: 'IEC_62196_T2', format: 'SOCKET' };
const DC = { powerType: 'DC', connectionType: 'IEC_62196_T2_COMBO', format: 'CABLE' };

const MODELS: readonly [Model, ...Model[]] = [
	{
		...AC,
		vendor: 'Nordstrom Laden',
		model: 'NL-22 Duo',
		amperage: 32,
		voltage: 400,
		connectors: 2,
		firmware: ['3.1.0', '3.2.4', '4.0.1'],
	},
	{
		...AC,
		powerType: 'AC_1_PHASE',
		vendor: 'Nordstrom Laden',
		model: 'NL-7 Home',
		amperage: 32,
		voltage: 230,
		connectors: 1,
		firmware: ['1.8.2', '2.0.0'],
	},
	{
		...DC,
		vendor: 'Ampère & Fils',
		model: 'Rapide 150',
		amperage: 375,
		voltage: 920,
		connectors: 2,
		firmware: ['2024.06', '2024.11', '2025.02'],
	},
	{
		...DC,
		connectionType: 'CHADEMO',
		vendor: 'Kaminari Power',
		model: 'KP-50',
		amperage: 125,
		voltage: 500,
		connectors: 1,
		firmware: ['R5.12', 'R6.01'],
	},
];
const PLACES: readonly [Place, ...Place[]] = [
	['Hauptbahnhof', 48.14, 11.558],
	['Gare du Nord', 48.88, 2.355],
	['Kallhäll Centrum', 59.453, 17.806],
	['Harbour Street', 51.501, -0.02],
	['Plaza Mayor', 40.415, -3.707],
];
type Place = readonly [string, number, number];

const STATION_STATUSES = ['ACTIVE', 'ACTIVE', 'ACTIVE', 'PLANNED', 'INACTIVE'] as const;
const CONNECTOR_STATUSES = [
	'Available',
	'Available',
	'Preparing',
	'Charging',
	'Finishing',
	'Unavailable',
	'Faulted',
] as const;
const GROUPS = 8;
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2024, 0, 1);
const LAST_DAY = Date.UTC(2026, 0, 1);

/** `count` assets in the order in which they were created. */
export function generateAssets(count: number): Asset[] {
	const random = createRandom(230);
	const network = { id: `net_${random.text(16)}` };
	const groups = Array.from({ length: GROUPS }, () => `ag_${random.text(16)}`);
	const partners = Array.from({ length: 5 }, (_, index) => ({
		id: `sp_${random.text(16)}`,
		name: `Site partner ${index + 1}`,
	}));
	return Array.from({ length: count }, (_, index): Asset => {
		const group = groups[random.int(GROUPS + 2)];
		const partner = partners[random.int(partners.length)];
		const createdAt = FIRST_DAY + index * 3_600_000 + random.int(3_600_000);
		const updatedAt = Math.max(createdAt, LAST_DAY - random.int(30 * DAY_MS));
		return {
			id: `asset_${random.text(20)}`,
			type: 'CHARGING_STATION',
			network,
			sitePartners: partner ? [partner] : [],
			...(group !== undefined && { assetGroup: { id: group } }),
			createdAt: new Date(createdAt).toISOString(),
			updatedAt: new Date(updatedAt).toISOString(),
			chargingStation: chargingStation(random, index, updatedAt),
		};
	});
}

/** The same station in operation. */
export function activated(asset: Asset): Asset {
	return { ...asset, chargingStation: { ...asset.chargingStation, status: 'ACTIVE' } };
}

function chargingStation(
	random: Random,
	index: number,
	updatedAt: number,
): Asset['chargingStation'] {
	const model = random.pick(MODELS);
	const [place, latitude, longitude] = random.pick(PLACES);
	const status = random.pick(STATION_STATUSES);
	const nearby = (degrees: number) => Number((degrees + random.int(1000) / 1e5).toFixed(5));
	return {
		serialNumber: random.text(12).toUpperCase(),
		name: `${place} ${index + 1}`,
		status,
		powerType: model.powerType,
		protocol: random.pick(['OCPP_1_6', 'OCPP_2_0_1']),
		geoLocation: { latitude: nearby(latitude), longitude: nearby(longitude) },
		connectors: Array.from({ length: model.connectors }, (_, number) => ({
			id: String(number + 1),
			// A station that does not work has no connector that does.
			status: status === 'ACTIVE' ? random.pick(CONNECTOR_STATUSES) : 'Unavailable',
			connectionType: model.connectionType,
			format: model.format,
			maxAmperage: model.amperage,
			maxVoltage: model.voltage,
			updatedAt: new Date(updatedAt).toISOString(),
		})),
		manufacturingInfo: {
			chargePointVendor: model.vendor,
			chargePointModel: model.model,
			firmwareVersion: random.pick(model.firmware),
		},
	};
}
