/**
 * What one station of the computed network sends in one block of time: at most one story, and heartbeats. It depends on
 * nothing but the station, the block and the pace of the network, so any block can be computed at any time.
 */
import type { Asset } from '../assets';
import { type Message, Station, WHOLE_STATION } from '../field/station';
import { STORIES, type Step } from '../field/stories';
import { createRandom, type Random } from '../random';
import { type Pace, REAL_ROUND_MS } from './pace';

/** Long enough for the longest story, an outage of ten and a half hours. */
const BLOCK_ROUNDS = 32;
/** A story begins in one of the first rounds of its block. */
const LATEST_START = 4;
/** Half of the blocks have a session; the others have each story by its share of this, or none. */
const OF_BLOCKS = 50;
/** More than a station delivers in a block, so its meters only rise. */
const BLOCK_WH = 200_000;

/** The messages of a block by tick; undefined for ticks at which the station cannot send. */
export type Plan = ReadonlyMap<number, Message | undefined>;

const BLOCK_TICKS = 2 * BLOCK_ROUNDS;

/** The block of a station that has this tick. Blocks of different stations begin at different times. */
export function blockOf(place: number, tick: number): number {
	return Math.floor((tick + phaseOf(place)) / BLOCK_TICKS);
}

function phaseOf(place: number): number {
	return 2 * createRandom(place).int(BLOCK_ROUNDS);
}

export function planOf(asset: Asset, place: number, block: number, pace: Pace): Plan {
	const random = createRandom(Math.imul(place + 1, 0x9e3779b1) ^ Math.imul(block + 1, 0x85ebca6b));
	const station = new Station(asset, random, block * BLOCK_WH);
	const first = block * BLOCK_TICKS - phaseOf(place) + 2 * random.int(LATEST_START);
	return placed(tell(station, random, block * pace.stations + place + 1), first, place, pace);
}

function tell(station: Station, random: Random, transactionId: number): Step[] {
	let chance = random.int(OF_BLOCKS);
	const story =
		random.int(2) === 0 ? STORIES[0] : STORIES.find(({ share }) => (chance -= share) < 0);
	if (!story) return [];
	const connector = station.connectors[random.int(station.connectors.length)] ?? WHOLE_STATION;
	return story.tell(station, connector, { random, newTransactionId: () => transactionId });
}

/** Gives each message the first free tick at its time, or up to the time between two ticks of a pair before. */
function placed(steps: readonly Step[], first: number, place: number, pace: Pace): Plan {
	const plan = new Map<number, Message | undefined>();
	let tick = first - 1;
	let dueMs = pace.timeOf(place, first) - pace.gapMs;
	let isSilent = false;
	for (const [afterMs, message] of steps) {
		dueMs += (afterMs * pace.roundMs) / REAL_ROUND_MS;
		if (!message) continue;
		do {
			tick += 1;
			if (isSilent) plan.set(tick, undefined);
		} while (pace.timeOf(place, tick) < dueMs);
		plan.set(tick, message);
		isSilent = message('').data['status'] === 'DISCONNECTED';
	}
	return plan;
}
