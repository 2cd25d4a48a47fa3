/** What stations report, as events for the simulator: each some minutes ago, so that nobody has to wait for anything. */
import { randomUUID } from 'node:crypto';
import type { EventInput } from '../../../simulator';

type Payload = Readonly<Record<string, unknown>>;

export interface Station {
	readonly id: string;
	offline(minutesAgo: number): EventInput;
	online(minutesAgo: number): EventInput;
	/** A message of the station. `documented` services send the answer to it as an event of its own. */
	call(minutesAgo: number, action: string, payload: Payload, answer?: Payload): EventInput[];
}

export interface StoryTeller {
	/** One that the service does not list, unless it is given an asset's ID. */
	readonly station: (id?: string) => Station;
	/** As the service writes it. */
	readonly time: (minutesAgo: number) => string;
}

/** All times count from one moment, on a whole second. */
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
