/** Generates event data of the types that the service is known to send. */
import type { Asset } from './assets';
import { ocppMessages } from './ocpp';
import { createRandom } from './random';

/** Known event types; the service's list is open. */
export const EVENT_TYPES = ['ocpp.message', 'asset.connectivity'] as const;

export interface EventDataGenerator {
	/** Data for an event of this type; only the asset and the time for a type that is not known. */
	next(type: string, now: string): Record<string, unknown>;
}

/** The same sequence at every start, about the given assets. */
export function createEventData(assets: readonly Asset[]): EventDataGenerator {
	const random = createRandom(4711);
	const pickAsset = (): Asset | undefined => assets[random.int(assets.length)];
	const ocpp = ocppMessages(random, pickAsset);
	const connected = new Map<string, boolean>();
	return {
		next(type, now) {
			if (type === 'ocpp.message') return ocpp(now);
			const asset = { id: pickAsset()?.id ?? 'asset_unknown' };
			if (type !== 'asset.connectivity') return { asset, timestamp: now };
			// Stations start connected: each one's events alternate, beginning with a loss.
			const isConnected = !(connected.get(asset.id) ?? true);
			connected.set(asset.id, isConnected);
			return { asset, status: isConnected ? 'CONNECTED' : 'DISCONNECTED', timestamp: now };
		},
	};
}
