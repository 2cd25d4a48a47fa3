/** A day of two stations of OCPP 1.6, in the list of the simulator: an outage, a session, two faults, and an outage that lasts. */
import type { Simulator } from '../../simulator';
import { type Asset, generateAssets } from '../../simulator/data/assets';
import { type Message, Station } from '../../simulator/data/field/station';
import { createRandom } from '../../simulator/data/random';

const MINUTE = 60_000;
const FAULT = { errorCode: 'InternalError', vendorErrorCode: 'E-7' };

interface ToldStation {
	readonly id: string;
	readonly name: string;
}

/** Offline for 30 minutes, with a session of 7.5 kWh, and faulted now; and offline now. They are among the first 12 assets. */
export async function tellStations(
	simulator: Pick<Simulator, 'emit'>,
): Promise<readonly [faulted: ToldStation, offline: ToldStation]> {
	const isOlder = ({ chargingStation: { protocol, name } }: Asset) =>
		protocol === 'OCPP_1_6' && /^[\w ]+$/.test(name);
	const [first, second] = generateAssets(12).filter(isOlder);
	if (first === undefined || second === undefined) throw new Error('There are no such stations.');
	const [faulted, offline] = [first, second].map(
		(asset) => new Station(asset, createRandom(0), 10_000),
	) as [Station, Station];
	const sent = async (minutesAgo: number, message: Message | undefined): Promise<void> => {
		const createdAt = new Date(Date.now() - minutesAgo * MINUTE).toISOString();
		if (message) await simulator.emit({ ...message(createdAt), createdAt }, { deliver: false });
	};
	const session = faulted.session({
		...{ connector: 1, transactionId: 501, idTag: 'TAG1', meterStartWh: 1000 },
	});
	await sent(1200, faulted.status(1, 'Available'));
	await sent(1199, offline.status(1, 'Available'));
	await sent(400, session.started());
	await sent(340, session.ended(8500, 'Local'));
	await sent(300, faulted.connectivity('DISCONNECTED'));
	await sent(270, faulted.connectivity('CONNECTED'));
	await sent(100, faulted.status(1, 'Faulted', FAULT));
	await sent(82, faulted.status(1, 'Available'));
	await sent(50, faulted.status(1, 'Faulted', FAULT));
	await sent(25.5, offline.connectivity('DISCONNECTED'));
	const told = ({ id, chargingStation: { name } }: Asset): ToldStation => ({ id, name });
	return [told(first), told(second)];
}
