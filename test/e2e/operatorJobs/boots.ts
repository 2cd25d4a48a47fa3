/** A story of charging stations that boot with different firmware, and the expected report. */
import { randomUUID } from 'node:crypto';
import type { EventInput } from '../../../simulator';
import { generateAssets } from '../../../simulator/data/assets';

const HOUR_MS = 3_600_000;

/** The simulator lists the same ones at every start. */
export const NETWORK = generateAssets(14);

/** The ID of a station that is listed with this firmware. */
function station(model: string, firmware: string, index = 0): string {
	const fitting = NETWORK.filter(({ chargingStation: { manufacturingInfo: made } }) => {
		return made.chargePointModel === model && made.firmwareVersion === firmware;
	});
	const found = fitting[index];
	if (!found) throw new Error(`There is no such ${model}.`);
	return found.id;
}

const HOME = 'NL-7 Home';
const looping = station(HOME, '2.0.0');
const ahead = station(HOME, '2.0.0', 1);
const behind = station(HOME, '1.8.2');
const updated = station(HOME, '1.8.2', 1);
const usual = station('Rapide 150', '2024.11');
const newer = station('NL-22 Duo', '3.1.0');
const longAgo = station('KP-50', 'R6.01');
const UNLISTED = 'asset_unlisted';

/** Not in order of time. */
export function bootsOfANetwork(nowMs: number): EventInput[] {
	const message = (assetId: string, hoursAgo: number, data: object): EventInput => ({
		createdAt: new Date(nowMs - hoursAgo * HOUR_MS).toISOString(),
		data: { asset: { id: assetId }, messageId: randomUUID(), ...data },
	});
	const call = (assetId: string, hoursAgo: number, payload: object, protocol = 'ocpp1.6') =>
		message(assetId, hoursAgo, {
			...{ protocol, messageType: 'CALL', action: 'BootNotification', payload },
		});
	const boot = (assetId: string, hoursAgo: number, firmwareVersion: string) =>
		call(assetId, hoursAgo, {
			...{ chargePointVendor: 'Vendor', chargePointModel: 'Model', firmwareVersion },
		});
	return [
		boot(looping, 20, '2.0.0'),
		...[24.3, 24.2, 24.1].map((hoursAgo) => boot(looping, hoursAgo, '1.8.2')),
		boot(ahead, 30, '2.1.0'),
		boot(ahead, 100, '2.0.0'),
		boot(behind, 150, '1.8.2'),
		boot(updated, 2, '2.0.0'),
		message(updated, 1, { messageType: 'CALL', action: 'Heartbeat', payload: {} }),
		boot(usual, 3, '2024.11'),
		// OCPP 1.6 allows this; it contains nothing new.
		call(usual, 1, { chargePointVendor: 'Vendor', chargePointModel: 'Model' }),
		call(newer, 5, { chargingStation: { firmwareVersion: '3.2.4' } }, 'ocpp2.0.1'),
		boot(longAgo, 9 * 24, 'R5.12'),
		boot(UNLISTED, 4, '7.0'),
	];
}

/** Six of nine of the model NL-7 Home run 2.0.0; the entries of `drift` are sorted by asset. */
export const REPORT = {
	...{ stations: NETWORK.length, booted: 7, drifting: 4, unlisted: [UNLISTED] },
	drift: [
		drifting(ahead, { listed: '2.0.0', running: '2.1.0', usual: '2.0.0' }),
		drifting(behind, { listed: '1.8.2', running: '1.8.2', usual: '2.0.0' }),
		drifting(updated, { listed: '1.8.2', running: '2.0.0', usual: '2.0.0' }),
		drifting(newer, { listed: '3.1.0', running: '3.2.4', usual: '3.2.4' }),
	].sort(byAsset),
};

export function byAsset(one: Drifting, other: Drifting): number {
	return one.assetId < other.assetId ? -1 : 1;
}

export interface Drifting extends Readonly<Record<string, unknown>> {
	readonly assetId: string;
}

function drifting(
	assetId: string,
	versions: { listed: string; running: string; usual: string },
): Drifting {
	const { listed, running } = versions;
	return {
		...{ assetId, ...versions },
		differsFromList: listed !== running,
		differsFromModel: versions.usual !== running,
	};
}
