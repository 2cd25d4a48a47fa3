/** Messages of stations as events for the simulator, dated some minutes ago, so that tests do not have to wait. */
import { randomUUID } from 'node:crypto';
import type { EventInput } from '../../../simulator';

type Payload = Readonly<Record<string, unknown>>;

export interface Station {
	readonly id: string;
	offline(minutesAgo: number): EventInput;
	online(minutesAgo: number): EventInput;
	/** A message of the station. `documented` services send the response to it as a separate event. */
	call(minutesAgo: number, action: string, payload: Payload, answer?: Payload): EventInput[];
}

export interface StoryTeller {
	/** A station that the service does not list, unless an asset's ID is given. */
	readonly station: (id?: string) => Station;
	/** In the service's format. */
	readonly time: (minutesAgo: number) => string;
}

/** All times are relative to one moment, on a whole second. */
export function storyTeller(profile: 'documented' | 'field'): StoryTeller {
	const now = Math.floor(Date.now() / 1000) * 1000;
	const time = (minutesAgo: number): string => new Date(now - minutesAgo * 60_000).toISOString();
	const station = (id = `asset_${randomUUID()}`): Station => {
		const event = (minutesAgo: number, type: string, data: Payload): EventInput => ({
			type,
			createdAt: time(minutesAgo),
			data: { asset: { id }, ...data },
		});
		const connectivity = (minutesAgo: number, status: string): EventInput =>
			event(minutesAgo, 'asset.connectivity', { status, timestamp: time(minutesAgo) });
		return {
			id,
			offline: (minutesAgo) => connectivity(minutesAgo, 'DISCONNECTED'),
			online: (minutesAgo) => connectivity(minutesAgo, 'CONNECTED'),
			call(minutesAgo, action, payload, answer = {}) {
				const common = { messageId: randomUUID(), protocol: 'ocpp1.6' };
				const message = (data: Payload): EventInput =>
					event(minutesAgo, 'ocpp.message', { ...common, ...data });
				return [
					message({
						messageType: 'CALL',
						action,
						payload: { timestamp: time(minutesAgo), ...payload },
					}),
					...(profile === 'documented'
						? [message({ messageType: 'CALL_RESULT', payload: answer })]
						: []),
				];
			},
		};
	};
	return { station, time };
}
