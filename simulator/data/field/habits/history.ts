/**
 * Histories of stations with the habits of the field, and the truth about them: the same for the same seed. Between
 * losses of its connection, each connector of a station has sessions, faults and hours in one status.
 */
import type { DeliveredEvent } from '../../../shared/types';
import { activated, type Asset, generateAssets } from '../../assets';
import { type Protocol, protocolOf } from '../../ocppDialect';
import { createRandom, type Random } from '../../random';
import { type Loss, tellLostConnections } from './connections';
import { tellFault } from './faults';
import { fits, type HabitChoice, type HabitName, HABIT_NAMES, HABITS } from './habits';
import { AGAIN_MS, type Break, Meters, tellSession, type Visit } from './sessions';
import type { Truth, TrueSession } from './truth';
import { Voice, WHOLE_STATION } from './voice';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const STUCK = ['Preparing', 'Finishing', 'Reserved', 'Unavailable', 'SuspendedEV'] as const;

/** How much happens. Each is a mean. */
interface HistoryPace {
	/** Between two long losses of the connection. */
	readonly upMs: number;
	/** Between what happens at a connector. */
	readonly quietMs: number;
	/** One of the intervals that operators set, for each station, by default. */
	readonly heartbeatMs?: number;
}

/** In half a day, some of everything. */
export const BUSY: HistoryPace = { upMs: 3 * HOUR_MS, quietMs: 35 * MINUTE_MS };

interface HistoryOptions {
	readonly seed: number;
	/** Each speaks its version. */
	readonly assets: readonly Asset[];
	/** An empty list for stations that keep to the standard. */
	readonly habits: HabitChoice;
	readonly fromMs: number;
	readonly lengthMs: number;
	/** `BUSY` by default. */
	readonly pace?: HistoryPace | undefined;
}

export interface History {
	/** In the order of their creation. */
	readonly events: readonly DeliveredEvent[];
	readonly truth: Truth;
	/** By asset. */
	readonly habits: ReadonlyMap<string, ReadonlySet<HabitName>>;
}

export function fieldHistory(options: HistoryOptions): History {
	const random = createRandom(options.seed);
	const service = ofGroup(options.habits, (of) => of === 'service', random);
	const truth: Truth = { outages: [], faults: [], statuses: [], sessions: [] };
	const habits = new Map<string, ReadonlySet<HabitName>>();
	let transactions = 100_000 + random.int(1000);
	const said = options.assets.flatMap((asset) => {
		const own = ofGroup(options.habits, (of) => of !== 'service', random);
		const fitting = [...service, ...own].filter((name) => fits(name, protocolOf(asset)));
		const chosen = new Set(onePerGroup(fitting, random));
		habits.set(asset.id, chosen);
		const voice = new Voice(asset, chosen, random, truth);
		new Life(voice, options, () => ++transactions).tell();
		return voice.said;
	});
	const events = said.sort((a, b) => a.atMs - b.atMs).map(({ event }) => event);
	return { events, truth, habits };
}

/** Active stations that speak this version. */
export function stationsOf(protocol: Protocol, count: number): Asset[] {
	const version = protocol === 'ocpp1.6' ? 'OCPP_1_6' : 'OCPP_2_0_1';
	return generateAssets(count).map((asset) => {
		const { chargingStation, ...rest } = activated(asset);
		return { ...rest, chargingStation: { ...chargingStation, protocol: version } };
	});
}

function ofGroup(
	choice: HabitChoice,
	isWanted: (group: string) => boolean,
	random: Random,
): HabitName[] {
	return HABIT_NAMES.filter((name) => isWanted(HABITS[name].of)).filter((name) =>
		choice === 'mixed' ? random.int(1000) < HABITS[name].share : choice.includes(name),
	);
}

/** What a service does goes with everything. */
function onePerGroup(names: readonly HabitName[], random: Random): HabitName[] {
	const groups = Object.groupBy(names, (name) => HABITS[name].of);
	const { service = [], ...others } = groups;
	const chosen = Object.values(others).map((all) => all[random.int(all.length)] ?? all);
	const own = chosen.flat();
	// With both it is not certain which session came first.
	const isVague = own.includes('clockDaysBehind');
	return [...service, ...own.filter((name) => !isVague || HABITS[name].of !== 'transaction')];
}

class Life {
	private readonly meters: Meters;
	/** By connector, when it is free again. */
	private readonly free = new Map<number, number>();
	/** By connector, sessions that the station has forgotten. */
	private readonly forgotten = new Map<number, TrueSession>();
	private readonly pace: HistoryPace;
	private readonly endMs: number;
	private readonly random: Random;
	private readonly losses: Loss[] = [];
	/** Connectors that a session occupies through the loss. */
	private occupied = new Set<number>();

	constructor(
		private readonly voice: Voice,
		private readonly options: HistoryOptions,
		nextId: () => number,
	) {
		this.random = voice.random;
		this.meters = new Meters(voice, nextId);
		this.pace = options.pace ?? BUSY;
		this.endMs = options.fromMs + options.lengthMs;
	}

	tell(): void {
		const { voice, pace } = this;
		let at = this.options.fromMs;
		while (at < this.endMs) {
			const upUntil = at + this.about(pace.upMs);
			const loss = this.lossAt(upUntil);
			this.occupied = new Set();
			for (const connector of [WHOLE_STATION, ...voice.connectors]) {
				this.fill(connector, at, loss);
			}
			if (loss) this.losses.push(loss);
			if (loss?.isPowerCut) this.meters.boot();
			if (loss?.to !== undefined) this.afterLoss(loss, loss.to);
			at = loss?.to ?? Infinity;
		}
		tellLostConnections(voice, this.losses, {
			...{ fromMs: this.options.fromMs, toMs: this.endMs },
			heartbeatMs: pace.heartbeatMs,
		});
	}

	/** From half of it to one and a half times it. */
	private about(ms: number): number {
		return Math.round((ms * (500 + this.random.int(1000))) / 1000);
	}

	private lossAt(from: number): Loss | undefined {
		const { random, endMs } = this;
		const isPowerCut = random.int(2) === 0;
		const length = random.int(3) === 0 ? 1 + random.int(12) : 8 + random.int(150);
		const to = from + length * MINUTE_MS + random.int(60) * SECOND_MS;
		if (to < endMs - HOUR_MS) return { from, to, isPowerCut };
		const isLasting = random.int(4) === 0 && from < endMs - HOUR_MS;
		return isLasting ? { from, to: undefined, isPowerCut } : undefined;
	}

	/** What happens at a connector until the loss, or until the end. */
	private fill(connector: number, from: number, loss: Loss | undefined): void {
		const isWhole = connector === WHOLE_STATION;
		const until = (loss?.from ?? this.endMs) - 2 * MINUTE_MS;
		const quiet = () => this.about(this.pace.quietMs * (isWhole ? 8 : 1));
		let free = Math.max(from + 3 * MINUTE_MS, this.free.get(connector) ?? 0);
		for (;;) {
			const at = free + quiet();
			const end = isWhole ? this.fault(connector, at, until) : this.episode(connector, at, until);
			if (end === undefined) break;
			free = end;
		}
		this.free.set(connector, free);
		if (!isWhole && loss?.to !== undefined && this.random.int(2) === 0) {
			this.through(connector, free + MINUTE_MS, loss, loss.to);
		}
	}

	/** Returns when it is over, or nothing if there is no time for it. */
	private episode(connector: number, at: number, until: number): number | undefined {
		const kind = this.random.int(10);
		if (kind < 5) return this.session(connector, at, until);
		return kind < 8 ? this.fault(connector, at, until) : this.stuck(connector, at, until);
	}

	private session(connector: number, from: number, until: number): number | undefined {
		const stop = from + MINUTE_MS + this.about(45 * MINUTE_MS);
		const to = stop + this.about(8 * MINUTE_MS);
		if (to + AGAIN_MS > until) return undefined;
		this.visit({ connector, from, stop, to });
		return this.voice.has('stopAgain') ? to + AGAIN_MS : to;
	}

	private visit(visit: Visit): void {
		const { connector } = visit;
		const session = tellSession(this.voice, this.meters, visit);
		this.voice.truth.sessions.push(session);
		// A session without an end is over when the next one begins.
		this.forgotten.get(connector)?.endShownAt.push(session.startedAt);
		this.forgotten.delete(connector);
		if (visit.break?.way === 'lost') this.forgotten.set(connector, session);
	}

	private fault(connector: number, from: number, until: number): number | undefined {
		const length = this.random.int(4) === 0 ? 2 * MINUTE_MS : 30 * MINUTE_MS;
		const to = from + this.about(length);
		if (to > until) return undefined;
		tellFault(this.voice, connector, from, to);
		return to;
	}

	private stuck(connector: number, from: number, until: number): number | undefined {
		const to = from + this.about(this.random.pick([10, 40, 90]) * MINUTE_MS);
		if (to > until) return undefined;
		const status = this.random.pick(STUCK);
		this.voice.status(from, connector, status);
		if (this.random.int(3) === 0) this.voice.status((from + to) / 2, connector, status);
		this.voice.status(to, connector, 'Available');
		return to;
	}

	/** A session that the loss falls into. */
	private through(connector: number, free: number, loss: Loss, to: number): void {
		const { random } = this;
		const from = loss.from - (8 + random.int(30)) * MINUTE_MS;
		const way = this.wayThrough(loss);
		if (from < free || way === undefined) return;
		const during = loss.from + 2 * MINUTE_MS + random.int(to - loss.from);
		const stop = way === 'late' ? during : to + (4 + random.int(30)) * MINUTE_MS;
		const left = Math.max(stop, to) + MINUTE_MS + this.about(5 * MINUTE_MS);
		if (left + AGAIN_MS > this.endMs) return;
		this.occupied.add(connector);
		this.visit({ connector, from, stop, to: left, break: { from: loss.from, to, way } });
		this.free.set(connector, way === 'lost' ? to + 2 * MINUTE_MS : left);
	}

	private wayThrough({ isPowerCut }: Loss): Break['way'] | undefined {
		const { voice } = this;
		if (!isPowerCut) {
			const isClockWrong = [...voice.habits].some((name) => HABITS[name].of === 'clock');
			return isClockWrong ? undefined : 'late';
		}
		if (voice.has('resumedFromZero')) return 'resumed';
		return voice.has('stopNeverSent') ? 'lost' : undefined;
	}

	/** A station that had no power boots, and reports the statuses that it knows. */
	private afterLoss({ isPowerCut }: Loss, to: number): void {
		const { voice } = this;
		if (!isPowerCut) return;
		voice.boot(to + 2 * SECOND_MS);
		voice.say(to + 3 * SECOND_MS, voice.speak.security('StartupOfTheDevice'));
		for (const connector of [WHOLE_STATION, ...voice.connectors]) {
			if (this.occupied.has(connector)) continue;
			voice.status(to + (4 + connector) * SECOND_MS, connector, 'Available');
		}
	}
}
