/**
 * Random true histories of sessions, the same for the same seed: transaction IDs, registers, readings and clocks as stations and
 * services have them, and what befalls the messages.
 */
import { createRandom, type Random } from '../../../simulator/data/random';
import { MINUTE } from '../../unit/station/stationWorld';
import { FROM, type History, type Noise, type Part, type Session, type Version } from './history';

export const LOSSES = ['none', 'start', 'response', 'reading', 'stop', 'any'] as const;
/** The message that sessions lack: `any` is another one for each. */
export type Loss = (typeof LOSSES)[number];
/** What befalls the others: each seed has one of these. */
const TROUBLES = ['none', 'none', 'repeated', 'reordered', 'late', 'waiting', 'all'] as const;
type Trouble = (typeof TROUBLES)[number];

const SECOND = 1_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LENGTH_MS = 8 * HOUR;

/** How transactions are named. */
type Naming =
	'across stations' | 'per station' | 'from 1 after each boot' | 'per connector' | 'at random';

interface Habits {
	readonly naming: Naming;
	readonly isFromZero: boolean;
	/** Of readings. */
	readonly named: 'all' | 'none' | 'some';
	readonly everyMs: number;
	readonly hasBegin: boolean;
	readonly hasEnd: boolean;
	/** Whether the list has the responses of the service. */
	readonly isAnswered: boolean;
	readonly kilowatts: number;
	readonly clock: 'right' | 'a bit wrong' | 'hours ahead' | 'not set at starts' | 'set meanwhile';
	readonly clockMs: number;
	readonly hasNoise: boolean;
}

export interface Plan {
	readonly seed: number;
	readonly loss: Loss;
	readonly trouble: Trouble;
	/** How many days longer than a few hours it is. */
	readonly days: number;
	readonly history: History;
}

/** In OCPP 2.0.1 no response belongs to a session. */
export const canLack = (version: Version, loss: Loss): boolean =>
	version === '1.6' || loss !== 'response';

export function planOf(seed: number, version: Version, loss: Loss, days = 0): Plan {
	const trouble = TROUBLES[seed % TROUBLES.length] ?? 'none';
	const random = createRandom(seed * 7 + 1);
	/** What was added later: so the histories of the other kinds of loss stay as they are. */
	const others = createRandom(seed * 7 + 2);
	const chance = (percent: number) => random.int(100) < percent;
	const naming = random.pick<Naming>([
		'across stations',
		'across stations',
		'per station',
		'from 1 after each boot',
		version === '1.6' ? 'per connector' : 'at random',
		'at random',
	]);
	const counters = new Map<string, number>();
	const first = random.pick([1, 20, 1_000, 91_262_367]);
	const stations = chance(50) ? ['s1', 's2'] : ['s1'];
	const noise: Noise[] = [];
	const lengthMs = LENGTH_MS + days * DAY;
	const drafts = stations.flatMap((station) => {
		const answered = habitsOf(random, naming, version);
		const habits = loss === 'any' && others.int(3) === 0 ? unanswered(answered) : answered;
		const boots = Array.from({ length: random.int(3) }, () => FROM + random.int(lengthMs)).sort(
			(a, b) => a - b,
		);
		if (habits.hasNoise || habits.naming === 'from 1 after each boot') {
			for (const at of boots) noise.push({ station, at, what: 'boot', connector: 0, value: '' });
		}
		const connectors = 1 + random.int(3);
		return Array.from({ length: connectors }, (_unused, n) =>
			draftsOf(random, { station, connector: n + 1, habits, boots, noise, lengthMs }),
		).flat();
	});
	// Those that begin first get the lower IDs.
	const sessions = drafts
		.sort((a, b) => a.startedAt - b.startedAt)
		.map((draft): Session => {
			const { habits, boots, ...session } = draft;
			const { station, connector, startedAt } = session;
			const life = boots.filter((at) => at < startedAt).length;
			const key = {
				...{ 'across stations': '', 'per station': station, 'at random': '' },
				...{ 'from 1 after each boot': `${station} ${life}` },
				'per connector': `${station} ${connector}`,
			}[naming];
			const number = counters.get(key) ?? (key === '' ? first : 1);
			counters.set(key, number + 1);
			if (naming !== 'at random') return { ...session, transaction: String(number) };
			const transaction = version === '1.6' ? String(1 + random.int(2 ** 31 - 2)) : random.text(36);
			return { ...session, transaction };
		});
	const history = {
		isEvseRepeated: chance(50),
		isMeasuredAtEnd: version === '2.0.1' && chance(15),
	};
	const most = loss === 'none' ? 0 : chance(50) ? 100 : 50;
	return {
		...{ seed, loss, trouble, days },
		history: {
			...{ ...history, version, noise },
			sessions: sessions.map((session) => {
				const told = withMessages(random, version, session, habitsByStation(drafts, session));
				const left = chance(most) ? withLoss(random, told, loss) : told;
				return troubled(random, left, trouble, { version, naming });
			}),
		},
	};
}

type Draft = Omit<Session, 'transaction' | 'parts'> & {
	readonly parts: readonly Part[];
	readonly habits: Habits;
	readonly boots: readonly number[];
};

const habitsByStation = (drafts: readonly Draft[], { station }: Session): Habits => {
	const habits = drafts.find((draft) => draft.station === station)?.habits;
	if (habits === undefined) throw new Error(`There is no station ${station}`);
	return habits;
};

function habitsOf(random: Random, naming: Naming, version: Version): Habits {
	const chance = (percent: number) => random.int(100) < percent;
	return {
		naming,
		isFromZero: chance(30),
		named: random.pick(['all', 'all', 'none', 'some']),
		everyMs: random.pick([5, 10, 15, 15, 60]) * MINUTE,
		hasBegin: version === '1.6' && chance(30),
		hasEnd: version === '1.6' && chance(40),
		isAnswered: true,
		kilowatts: random.pick([3, 7, 11, 22, 50, 150]),
		clock: random.pick([
			...(['right', 'right', 'right', 'a bit wrong'] as const),
			...(['hours ahead', 'not set at starts', 'set meanwhile'] as const),
		]),
		clockMs: (random.int(18) - 9) * MINUTE + random.int(60) * SECOND,
		hasNoise: chance(50),
	};
}

/** What shows the ID of a session before the next one begins is its readings: it has several, so that one can be lost. */
const unanswered = (habits: Habits): Habits => ({
	...habits,
	...{ isAnswered: false, named: 'all', hasBegin: true },
});

interface Connector {
	readonly station: string;
	readonly connector: number;
	readonly habits: Habits;
	readonly boots: readonly number[];
	readonly noise: Noise[];
	readonly lengthMs: number;
}

/** One session after the other, without their messages. */
function draftsOf(
	random: Random,
	{ station, connector, habits, boots, noise, lengthMs }: Connector,
): Draft[] {
	const drafts: Draft[] = [];
	let wh = 10_000 + random.int(9_000_000);
	let at = FROM + random.int(2 * HOUR);
	const status = (when: number, value: string) => {
		if (!habits.hasNoise) return;
		noise.push({ station, at: when, what: 'status', connector, value });
	};
	const isLong = lengthMs > LENGTH_MS;
	/** Sessions and pauses of many hours, next to short ones. */
	const slower = () => (isLong ? random.pick([1, 4, 16]) : 1);
	while (at < FROM + lengthMs && drafts.length < (isLong ? 10 : 5)) {
		const startedAt = at + random.int(1_000);
		const length = slower() * (3 + random.int(random.pick([15, 90]))) * MINUTE + random.int(MINUTE);
		const boot = boots.find((when) => when > startedAt && when < startedAt + length);
		// Most stations send the stop when they have booted, with the time of then.
		const isForgotten = boot !== undefined && random.int(3) === 0;
		const endedAt = boot ?? startedAt + length;
		const share = 0.4 + random.int(60) / 100;
		const used = Math.max(
			1,
			Math.round((habits.kilowatts * 1000 * share * (endedAt - startedAt)) / HOUR),
		);
		const fromWh = habits.isFromZero ? 0 : wh;
		status(startedAt - 20 * SECOND, 'Preparing');
		status(startedAt + 2 * SECOND, 'Charging');
		drafts.push({
			...{ station, connector, startedAt, fromWh, toWh: fromWh + used, parts: [], habits, boots },
			...{ endedAt, isForgotten, clockMs: clockOf(habits) },
		});
		wh += used;
		status(endedAt + 2 * SECOND, 'Available');
		const gap =
			slower() *
			random.pick([
				...([20 * SECOND, 90 * SECOND] as const),
				...([(5 + random.int(20)) * MINUTE, (20 + random.int(60)) * MINUTE] as const),
			]);
		// By a wrong clock, what is between two sessions may seem to be in one.
		if (habits.hasNoise && !habits.isFromZero && habits.clock === 'right' && random.int(3) === 0) {
			const idle = { what: 'idle reading', value: String(wh) } as const;
			noise.push({ station, connector, at: endedAt + gap / 2, ...idle });
		}
		at = endedAt + gap;
	}
	return drafts;
}

function clockOf({ clock, clockMs }: Habits): readonly [number, number] {
	if (clock === 'right') return [0, 0];
	if (clock === 'a bit wrong') return [clockMs, clockMs];
	if (clock === 'hours ahead') return [2 * HOUR, 2 * HOUR];
	return clock === 'not set at starts' ? [NaN, 0] : [clockMs, 0];
}

function withMessages(random: Random, version: Version, session: Session, habits: Habits): Session {
	const { startedAt, endedAt: end, isForgotten, fromWh, toWh } = session;
	const isNamed = () => habits.named === 'all' || (habits.named === 'some' && random.int(2) === 0);
	const reading = (at: number, wh: number, context?: Part['context']): Part => ({
		...{ kind: 'reading', at, wh, isNamed: isNamed() },
		...(context !== undefined && { context }),
	});
	const parts: Part[] = [{ kind: 'start', at: startedAt, wh: fromWh, isNamed: true }];
	if (version === '1.6' && habits.isAnswered) {
		parts.push({ kind: 'response', at: startedAt + 200, wh: 0, isNamed: true });
	}
	if (habits.hasBegin) parts.push(reading(startedAt + 400, fromWh, 'Transaction.Begin'));
	for (let at = startedAt + habits.everyMs; at < end - 5 * SECOND; at += habits.everyMs) {
		const share = (at - startedAt) / (end - startedAt);
		parts.push(reading(at, fromWh + Math.floor((toWh - fromWh) * share)));
	}
	if (!isForgotten) {
		if (habits.hasEnd) parts.push(reading(end - 100, toWh, 'Transaction.End'));
		parts.push({ kind: 'stop', at: end, wh: toWh, isNamed: true });
	}
	return { ...session, parts };
}

function withLoss(random: Random, session: Session, loss: Loss): Session {
	const own = session.parts.filter(({ kind }) => loss === 'any' || kind === loss);
	const lost = own[random.int(own.length)];
	const parts = session.parts.map((part) => (part === lost ? { ...part, isLost: true } : part));
	return { ...session, parts };
}

interface Ways {
	readonly version: Version;
	readonly naming: Naming;
}

function troubled(random: Random, session: Session, trouble: Trouble, ways: Ways): Session {
	const { version } = ways;
	const all = ['repeated', 'reordered', 'late', 'waiting'] as const;
	const own = trouble === 'all' ? random.pick(all) : trouble;
	if (own === 'none' || random.int(3) === 0) return session;
	const isClockRight = session.clockMs.every((ms) => ms === 0);
	// Without responses, what counts is the order: a station without a connection keeps that of all its sessions.
	const isAnswered = version === '2.0.1' || session.parts.some(({ kind }) => kind === 'response');
	if (own === 'waiting') return isClockRight && isAnswered ? waiting(random, session) : session;
	if (own === 'repeated') return repeated(random, session, ways);
	const parts = session.parts.map((part): Part => {
		if (random.int(3) > 0) return part;
		if (own === 'late') return { ...part, lateMs: random.int(random.pick([90, 540])) * SECOND };
		const waitsMs = random.int(part.kind === 'reading' ? 120 : 3) * SECOND;
		return part.kind === 'response' ? part : { ...part, waitsMs };
	});
	return { ...session, parts };
}

/** What a station without a connection would have sent, it sends afterwards, in order, with the times of then. */
function waiting(random: Random, session: Session): Session {
	const { startedAt, endedAt } = session;
	const from = startedAt + random.int(endedAt - startedAt) - random.int(5) * MINUTE;
	const to = from + (2 + random.int(40)) * MINUTE;
	let sent = 0;
	let heldMs = 0;
	const parts = session.parts.map((part): Part => {
		// The service responds to the start when it gets it.
		if (part.kind === 'response') return heldMs > 0 ? { ...part, waitsMs: heldMs } : part;
		heldMs = part.at < from || part.at > to ? 0 : to + ++sent * SECOND - part.at;
		return heldMs > 0 ? { ...part, waitsMs: heldMs } : part;
	});
	return { ...session, parts };
}

/** Sent again since the response was lost: at once, or after a boot. */
function repeated(random: Random, session: Session, { version, naming }: Ways): Session {
	const { parts } = session;
	const one = parts[random.int(parts.length)];
	const againMs = random.pick([20 * SECOND, 90 * SECOND, 15 * MINUTE]);
	const isStart = one?.kind === 'start' || one?.kind === 'response';
	// A start that is sent again is another one for the service, which may choose another ID for it.
	const hasOther = version === '1.6' && naming === 'across stations' && random.int(2) === 0;
	const startMs = Math.min(againMs, 90 * SECOND);
	const againId = hasOther ? { againId: String(Number(session.transaction) + 500_000) } : {};
	return {
		...session,
		parts: parts.map((part): Part => {
			if (isStart && part.kind === 'response') return { ...part, againMs: startMs, ...againId };
			if (isStart && part.kind === 'start') return { ...part, againMs: startMs };
			return part === one ? { ...part, againMs } : part;
		}),
	};
}
