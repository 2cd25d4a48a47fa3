/** All charging stations of the field profile, of both OCPP versions: their messages in order of time, on a clock of their own. */
import type { Asset } from '../assets';
import { createRandom, type Random } from '../random';
import { type Message, Station, WHOLE_STATION } from './station';
import { STORIES, type Step, type StoryWorld } from './stories';

/** OCPP leaves the interval to the back end. With half an hour, a station sends as many messages as an operator counted. */
const HEARTBEAT_MS = 30 * 60_000;

/** A message and its time, in milliseconds since the network started. */
export interface Sent {
	readonly atMs: number;
	readonly message: Message;
}

export class FieldNetwork {
	private readonly stations: readonly Station[];
	private readonly upcoming: Sent[] = [];
	private readonly world: StoryWorld;
	private beats = 0;

	/**
	 * Messages of the active stations, the same at every start.
	 * @throws {RangeError} if there is no such station
	 */
	constructor(
		assets: readonly Asset[],
		private readonly random: Random = createRandom(1402),
	) {
		this.stations = assets
			.filter(({ chargingStation: { status } }) => status === 'ACTIVE')
			.map((asset) => new Station(asset, random));
		if (this.stations.length === 0) {
			throw new RangeError('The field profile needs at least one active station.');
		}
		let transactions = 100_000;
		this.world = { random, newTransactionId: () => ++transactions };
	}

	next(): Sent {
		for (;;) {
			const atMs = Math.floor((this.beats * HEARTBEAT_MS) / this.stations.length);
			const due = this.upcoming[0];
			if (due && due.atMs <= atMs) {
				this.upcoming.shift();
				return due;
			}
			// The stations take turns, so the heartbeats of each are regular.
			const station = this.stations[this.beats++ % this.stations.length];
			if (!station || station.isBusy(WHOLE_STATION, atMs)) continue;
			this.begin(station, atMs);
			return { atMs, message: station.heartbeat() };
		}
	}

	/** A routine message from a station outside `except`; undefined if there is no other station. */
	routine(except: ReadonlySet<string>, random: Random): Message | undefined {
		const others = this.stations.filter(({ id }) => !except.has(id));
		const station = others[random.int(others.length)];
		if (random.int(4) > 0) return station?.heartbeat();
		return station?.status(WHOLE_STATION, 'Available') ?? station?.heartbeat();
	}

	/** Sometimes starts a story at a station. */
	private begin(station: Station, atMs: number): void {
		let chance = this.random.int(1000);
		const story = STORIES.find(({ share }) => (chance -= share) < 0);
		if (!story) return;
		const free = station.connectors.filter((connector) => !station.isBusy(connector, atMs));
		const connector = story.of === 'connector' ? free[this.random.int(free.length)] : WHOLE_STATION;
		if (connector === undefined) return;
		if (connector === WHOLE_STATION && !station.isIdle(atMs)) return;
		station.keepBusy(connector, this.plan(atMs, story.tell(station, connector, this.world)));
	}

	/** Returns the time of the last step. */
	private plan(fromMs: number, steps: readonly Step[]): number {
		let atMs = fromMs;
		for (const [afterMs, message] of steps) {
			atMs += afterMs;
			if (message) this.upcoming.push({ atMs, message });
		}
		this.upcoming.sort((one, other) => one.atMs - other.atMs);
		return atMs;
	}
}
