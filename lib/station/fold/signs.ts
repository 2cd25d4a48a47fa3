/** Finds out which responses are the stations'. */
import { RESPONSE_MS } from '../common/settings';
import type { EventFacts, Fact, Sent } from '../facts';

/**
 * The events with what is quiet in them, without messages that the service sent. A response is the station's if the
 * service sent a call with its ID shortly before, and the station none: both may number their calls alike.
 */
export function ofStations(events: readonly EventFacts[]): EventFacts[] {
	const calls = new Map<string, { readonly at: number; readonly by: Sent['by'] }[]>();
	for (const { assetId, at, facts } of events) {
		for (const fact of facts) {
			if (fact.about !== 'sent' || fact.isResponse || fact.messageId === undefined) continue;
			const key = `${assetId} ${fact.messageId}`;
			calls.set(key, [...(calls.get(key) ?? []), { at, by: fact.by }]);
		}
	}
	const isOfStation = (sent: Sent, { assetId, at }: EventFacts): boolean => {
		if (sent.by !== undefined) return sent.by === 'station';
		const near = (calls.get(`${assetId} ${sent.messageId ?? ''}`) ?? []).filter(
			(call) => at - call.at <= RESPONSE_MS && call.at - at <= RESPONSE_MS,
		);
		return near.some((call) => call.at <= at) && near.every(({ by }) => by === 'service');
	};
	return events.flatMap((event) => {
		const isLeft = (fact: Fact) =>
			fact.about === 'sent' ? isOfStation(fact, event) : fact.about === 'problem' && !fact.isActive;
		const facts = event.facts.filter(isLeft);
		return facts.length > 0 ? [{ ...event, facts }] : [];
	});
}
