/** Where the simulator's events come from: what they hold, and what a network has sent before the start. */
import type { Asset } from './assets';
import { ocppMessages } from './ocpp';
import { createRandom, type Random } from './random';

/** Known event types; the service's list is open. */
export const EVENT_TYPES = ['ocpp.message', 'asset.connectivity'] as const;

const HISTORY_STEP_MS = 5 * 60_000;

export interface EventContent {
	type: string;
	data: Record<string, unknown>;
}

/** Gives the same sequence at every start. */
export interface EventSource {
	/** The next event, or the next one of this type. */
	next(type: string | undefined, now: string): EventContent;
	/** So many events up to now, oldest first. */
	history(count: number, nowMs: number): (EventContent & { createdAt: string })[];
	/** What an asset that is none of these sends meanwhile; undefined when nothing comes between. */
	background(except: ReadonlySet<string>, now: string, random: Random): EventContent | undefined;
}

/** What the service's documentation shows: calls in both directions, and their answers. */
export function documentedEvents(assets: readonly Asset[]): EventSource {
	const random = createRandom(4711);
	const pickAsset = (): Asset | undefined => assets[random.int(assets.length)];
	const ocpp = ocppMessages(random, pickAsset);
	const connected = new Map<string, boolean>();

	const dataOf = (type: string, now: string): Record<string, unknown> => {
		if (type === 'ocpp.message') return ocpp(now);
		const asset = { id: pickAsset()?.id ?? 'asset_unknown' };
		if (type !== 'asset.connectivity') return { asset, timestamp: now };
		// Stations start connected: each one's events alternate, beginning with a loss.
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
				// Mostly messages, now and then a lost or regained connection, as a network has them.
				const type = age % 5 === 0 ? 'asset.connectivity' : 'ocpp.message';
				const createdAt = new Date(nowMs - age * HISTORY_STEP_MS).toISOString();
				return { createdAt, ...next(type, createdAt) };
			}),
		background: () => undefined,
	};
}
