/** Finds out which responses are the stations'. */
import { RESPONSE_MS } from '../common/settings';
import type { EventFacts, Fact, Sent } from '../facts';

/**
 * The events with what is quiet in them, without messages that the service sent. A response is the station's if the
 * service sent a call with its ID shortly before, and the station none: both may number their calls alike. The calls are
 * `among` the events by default.
 */
export function ofStations(
	events: readonly EventFacts[],
	among: readonly EventFacts[] = events,
): EventFacts[] {
	let calls: Calls | undefined;
	const isOfStation = (sent: Sent, { assetId, at }: EventFacts): boolean => {
		if (sent.by !== undefined) return sent.by === 'station';
		calls ??= callsIn(among);
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

type Calls = ReadonlyMap<string, readonly { readonly at: number; readonly by: Sent['by'] }[]>;

function callsIn(events: readonly EventFacts[]): Calls {
	const calls = new Map<string, { readonly at: number; readonly by: Sent['by'] }[]>();
	for (const { assetId, at, facts } of events) {
		for (const fact of facts) {
			if (fact.about !== 'sent' || fact.isResponse || fact.messageId === undefined) continue;
			const key = `${assetId} ${fact.messageId}`;
			const known = calls.get(key);
			if (known === undefined) calls.set(key, [{ at, by: fact.by }]);
			else known.push({ at, by: fact.by });
		}
	}
	return calls;
}
