/** Sources of the simulator's events: their content, and the history from before the start. */
import type { Asset } from './assets';
import type { Mark } from './incidents';
import { ocppMessages } from './ocppPairs';
import { createRandom, type Random } from './random';

/** Known event types; the service's list is open. */
export const EVENT_TYPES = ['ocpp.message', 'asset.connectivity'] as const;

const HISTORY_STEP_MS = 5 * 60_000;

export interface EventContent {
	type: string;
	data: Record<string, unknown>;
	/** What it shows of its station, for the record of incidents. */
	marks?: readonly Mark[];
}

/** Gives the same sequence at every start. */
export interface EventSource {
	/** The next event, or the next one of this type. */
	next(type: string | undefined, now: string): EventContent;
	/** `count` events up to now, oldest first. */
	history(count: number, nowMs: number): (EventContent & { createdAt: string })[];
	/** A message that an asset outside `except` sends in the meantime; undefined if there is none. */
	background(except: ReadonlySet<string>, now: string, random: Random): EventContent | undefined;
}

/** Events as the service's documentation shows them: calls in both directions and their responses. */
export function documentedEvents(assets: readonly Asset[]): EventSource {
	const random = createRandom(4711);
	const pickAsset = (): Asset | undefined => assets[random.int(assets.length)];
	const ocpp = ocppMessages(random, pickAsset);
	const connected = new Map<string, boolean>();

	const dataOf = (type: string, now: string): Record<string, unknown> => {
		if (type === 'ocpp.message') return ocpp(now);
		const asset = { id: pickAsset()?.id ?? 'asset_unknown' };
		if (type !== 'asset.connectivity') return { asset, timestamp: now };
		// Stations start connected, so each one's events alternate, starting with a lost connection.
		const isConnected = !(connected.get(asset.id) ?? true);
		connected.set(asset.id, isConnected);
		return { asset, status: isConnected ? 'CONNECTED' : 'DISCONNECTED', timestamp: now };
	};
	const next = (type: string = EVENT_TYPES[0], now: string): EventContent => {
		return { type, data: dataOf(type, now) };
	};
	return {
		next,
		history: (count, nowMs) =>
			Array.from({ length: count }, (_, index) => {
				const age = count - index;
				// Mostly messages, with an occasional lost or restored connection, as in a real network.
				const type = age % 5 === 0 ? 'asset.connectivity' : 'ocpp.message';
				const createdAt = new Date(nowMs - age * HISTORY_STEP_MS).toISOString();
				return { createdAt, ...next(type, createdAt) };
			}),
		background: () => undefined,
	};
}
