/** Finds out which responses are the stations'. */
import { RESPONSE_MS, type StationSettings } from '../common/settings';
import type { EventFacts, Fact, Sent } from '../facts';
import { isQuiet } from './quiet';

/** The events with what is quiet in them, without messages that the service sent. */
export function ofStations(
	events: readonly EventFacts[],
	settings: Pick<StationSettings, 'kind'>,
): EventFacts[] {
	let calls: Calls | undefined;
	const callsOf = (): Calls => {
		if (calls !== undefined) return calls;
		calls = new Calls();
		for (const event of events) calls.add(event);
		return calls;
	};
	return events.flatMap((event) => {
		const isLeft = (fact: Fact) =>
			fact.about === 'sent' ? isOfStation(fact, event, () => [callsOf()]) : isQuiet(fact, settings);
		const facts = event.facts.filter(isLeft);
		return facts.length > 0 ? [{ ...event, facts }] : [];
	});
}

/**
 * A response is the station's if the service sent a call with its ID shortly before, and the station none: both may number
 * their calls alike.
 */
export function isOfStation(
	{ by, messageId = '' }: Sent,
	{ assetId, at }: Pick<EventFacts, 'assetId' | 'at'>,
	calls: () => readonly Calls[],
): boolean {
	if (by !== undefined) return by === 'station';
	const near = calls()
		.flatMap((some) => some.named(assetId, messageId))
		.filter((call) => at - call.at <= RESPONSE_MS && call.at - at <= RESPONSE_MS);
	return near.some((call) => call.at <= at) && near.every((call) => call.by === 'service');
}

/**
 * Messages that say nothing but that somebody sent them: most of a list, and of use only to a station whose connection may be
 * lost. In columns, because nearly all of them are dropped at the end of a poll.
 */
export class BareMessages {
	readonly assetIds: string[] = [];
	readonly #times: number[] = [];
	readonly #eventIds: string[] = [];
	readonly #sent: Sent[] = [];
	#places: Map<string, number[]> | undefined;

	/** Whether the event is one: otherwise it is not added. */
	add({ assetId, at, eventId, facts }: EventFacts): boolean {
		const [sent] = facts;
		if (sent?.about !== 'sent' || facts.length > 1) return false;
		this.assetIds.push(assetId);
		this.#times.push(at);
		this.#eventIds.push(eventId);
		this.#sent.push(sent);
		this.#places = undefined;
		return true;
	}

	get all(): EventFacts[] {
		return this.assetIds.flatMap((_, n) => this.#at(n));
	}

	of(assetId: string): EventFacts[] {
		this.#places ??= Map.groupBy(this.assetIds.keys(), (n) => this.assetIds[n] ?? '');
		return (this.#places.get(assetId) ?? []).flatMap((n) => this.#at(n));
	}

	#at(n: number): EventFacts[] {
		const [assetId, at, eventId] = [this.assetIds[n], this.#times[n], this.#eventIds[n]];
		const sent = this.#sent[n];
		if (assetId === undefined || at === undefined || eventId === undefined || !sent) return [];
		return [{ assetId, at, eventId, facts: [sent] }];
	}
}

interface SentCall {
	readonly at: number;
	readonly by: Sent['by'];
}

/** Calls of a stretch of the list, in columns: objects would be most of what a reading allocates. */
export class Calls {
	readonly #assetIds: string[] = [];
	readonly #messageIds: string[] = [];
	readonly #times: number[] = [];
	readonly #senders: Sent['by'][] = [];
	/** Where those with an ID are. Few lists have responses that need it. */
	#places: Map<string, number[]> | undefined;

	add({ assetId, at, facts }: EventFacts): void {
		for (const fact of facts) {
			if (fact.about !== 'sent' || fact.isResponse || fact.messageId === undefined) continue;
			this.#assetIds.push(assetId);
			this.#messageIds.push(fact.messageId);
			this.#times.push(at);
			this.#senders.push(fact.by);
			this.#places = undefined;
		}
	}

	named(assetId: string, messageId: string): SentCall[] {
		this.#places ??= Map.groupBy(this.#times.keys(), (n) =>
			keyOf(this.#assetIds[n], this.#messageIds[n]),
		);
		const places = this.#places.get(keyOf(assetId, messageId)) ?? [];
		return places.map((n) => ({ at: this.#times[n] ?? 0, by: this.#senders[n] }));
	}
}

const keyOf = (assetId = '', messageId = '') => `${assetId} ${messageId}`;
