/** The events of the field profile: the messages that a network's stations send. */
import type { Asset } from '../assets';
import { EVENT_TYPES, type EventContent, type EventSource } from '../events';
import { FieldNetwork } from './network';
import type { Message } from './station';

/** Less than the 30 days that events are kept. */
const LONGEST_HISTORY_MS = 27 * 86_400_000;

/** @throws {RangeError} without assets */
export function fieldEvents(assets: readonly Asset[]): EventSource {
	const network = new FieldNetwork(assets);
	/** Messages skipped while looking for another type. They are sent later, so no session has gaps. */
	const passedOver: Message[] = [];

	const next = (type: string | undefined, now: string): EventContent => {
		if (type !== undefined && !EVENT_TYPES.some((known) => known === type)) {
			return { type, data: { asset: network.next().message(now).data['asset'], timestamp: now } };
		}
		const fits = (message: Message) => type === undefined || message(now).type === type;
		const index = passedOver.findIndex(fits);
		const [found] = index === -1 ? [] : passedOver.splice(index, 1);
		if (found) return found(now);
		for (;;) {
			const { message } = network.next();
			if (fits(message)) return message(now);
			passedOver.push(message);
		}
	};
	return {
		next,
		history(count, nowMs) {
			const sent = Array.from({ length: count }, () => network.next());
			const lastMs = sent.at(-1)?.atMs ?? 0;
			const span = lastMs - (sent[0]?.atMs ?? 0);
			const scale = Math.min(1, LONGEST_HISTORY_MS / Math.max(span, 1));
			return sent.map(({ atMs, message }) => {
				const createdAt = new Date(nowMs - (lastMs - atMs) * scale).toISOString();
				return { createdAt, ...message(createdAt) };
			});
		},
		background: (except, now, random) => network.routine(except, random)?.(now),
	};
}
