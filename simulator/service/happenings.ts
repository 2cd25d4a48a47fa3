/** What a person lets happen at a station, in the OCPP version of that station. */
import type { Asset } from '../data/assets';
import { type Message, Station } from '../data/field/station';
import { createRandom } from '../data/random';
import type { Happened, Happening, HappenOptions, Simulator } from '../shared/types';

const CONNECTOR = 1;
const FAULT = { errorCode: 'GroundFailure', vendorErrorCode: 'E-031' };
const MINUTE_MS = 60_000;
const SESSION = { minutes: 42, energyWh: 7_500 };

/** A message, and how many minutes before the event the station says that it was. */
type Told = readonly [message: Message | undefined, minutesBefore?: number];

/** What it needs of the service. */
interface World extends Pick<Simulator, 'emit' | 'incidents'> {
	readonly assets: readonly Asset[];
	readonly now: () => number;
}

export class Happenings {
	private readonly stations = new Map<string, Station>();
	private readonly offline: string[] = [];
	private readonly faulted: string[] = [];
	private sessions = 9_000;

	constructor(private readonly service: World) {}

	/**
	 * Records the messages, and delivers them unless `deliver` is false.
	 * @throws {RangeError} if there is no such station, or none that was offline or faulted
	 */
	async happen(kind: Happening, options: HappenOptions = {}): Promise<Happened> {
		const { secondsAgo = 0, deliver = true } = options;
		const station = this.choose(kind, options.assetId);
		const createdMs = this.service.now() - secondsAgo * 1000;
		const createdAt = new Date(createdMs).toISOString();
		const events: Happened['events'][number][] = [];
		for (const [message, minutesBefore = 0] of this.tell(kind, station)) {
			if (message === undefined) continue;
			const said = message(new Date(createdMs - minutesBefore * MINUTE_MS).toISOString());
			events.push((await this.service.emit({ ...said, createdAt }, { deliver })).event);
		}
		const { id, chargingStation } = station.asset;
		return { assetId: id, name: chargingStation.name, events };
	}

	private tell(kind: Happening, station: Station): readonly Told[] {
		const { id } = station;
		switch (kind) {
			case 'offline':
				this.offline.push(id);
				return [[station.connectivity('DISCONNECTED')]];
			case 'online':
				remove(this.offline, id);
				return [[station.connectivity('CONNECTED')]];
			case 'fault':
				this.faulted.push(id);
				return [
					[station.problem(CONNECTOR, FAULT, false)],
					[station.status(CONNECTOR, 'Faulted', FAULT)],
				];
			case 'repaired':
				remove(this.faulted, id);
				return [
					[station.status(CONNECTOR, 'Available')],
					[station.problem(CONNECTOR, FAULT, true)],
				];
			case 'session': {
				this.sessions += 1;
				const meterStartWh = station.meter(CONNECTOR, 0);
				const begin = { connector: CONNECTOR, transactionId: this.sessions, idTag: 'TAG1' };
				const session = station.session({ ...begin, meterStartWh });
				const meterStopWh = station.meter(CONNECTOR, SESSION.energyWh);
				return [[session.started(), SESSION.minutes], [session.ended(meterStopWh, 'Local')]];
			}
		}
	}

	private choose(kind: Happening, assetId: string | undefined): Station {
		const ended = { online: this.offline, repaired: this.faulted }[kind as string];
		const wanted = assetId ?? ended?.at(-1);
		if (wanted === undefined && ended !== undefined) {
			throw new RangeError(`No station is ${kind === 'online' ? 'offline' : 'faulted'}.`);
		}
		const asset =
			wanted === undefined ? this.quiet() : this.service.assets.find(({ id }) => id === wanted);
		if (asset === undefined) throw new RangeError('There is no such station.');
		const known = this.stations.get(asset.id) ?? new Station(asset, createRandom(0), 10_000);
		this.stations.set(asset.id, known);
		return known;
	}

	/** The first active station at which nothing has happened; one of OCPP 1.6 if there is one. */
	private quiet(): Asset | undefined {
		const troubled = new Set(this.service.incidents().map(({ assetId }) => assetId));
		const quiet = this.service.assets.filter(
			({ id, chargingStation: { status } }) =>
				status === 'ACTIVE' && !troubled.has(id) && !this.stations.has(id),
		);
		return quiet.find(({ chargingStation }) => chargingStation.protocol === 'OCPP_1_6') ?? quiet[0];
	}
}

function remove(ids: string[], id: string): void {
	const at = ids.lastIndexOf(id);
	if (at >= 0) ids.splice(at, 1);
}
