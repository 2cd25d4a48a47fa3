/** The event types of the service, and which of them a trigger wants. */

/** Published (event types): the known types, with their editor descriptions. There may be others, so any text is accepted. */
export const EVENT_TYPES = [
	{
		name: 'Asset Connectivity',
		value: 'asset.connectivity',
		action: 'On asset connectivity change',
		description: 'An asset went online or offline',
	},
	{
		name: 'OCPP Message',
		value: 'ocpp.message',
		action: 'On OCPP message',
		description: 'A charging station and its network exchanged a message',
	},
] as const;

/**
 * The option for types that are entered in a separate field, `otherEventTypes`. It is harmless among the patterns,
 * since no event has this type: if the field is empty, no event is wanted, rather than every event.
 */
export const OTHER_EVENT_TYPES = '__other__';

/** Whether an event of this type is wanted; the type is undefined for an event without one. */
export type EventTypeFilter = (type: string | undefined) => boolean;

/**
 * Compiles the patterns of `eventTypes`: `*` matches any text, even an empty one; case matters; blank patterns are ignored.
 * Without a pattern every event is wanted; with one, an event without a type is not.
 */
export function eventTypeFilter(patterns: readonly string[]): EventTypeFilter {
	const wanted = patterns.map((pattern) => pattern.trim()).filter((pattern) => pattern !== '');
	if (wanted.length === 0) return () => true;
	const matchers = wanted.map(matcherOf);
	return (type) => type !== undefined && matchers.some((matches) => matches(type));
}

/** Finds the first match of each part between wildcards: linear time, while a regular expression could be made to backtrack. */
function matcherOf(pattern: string): (type: string) => boolean {
	const [first = '', ...middle] = pattern.split('*');
	const last = middle.pop();
	if (last === undefined) return (type) => type === first;
	return (type) => {
		if (type.length < first.length + last.length) return false;
		if (!type.startsWith(first) || !type.endsWith(last)) return false;
		let from = first.length;
		const end = type.length - last.length;
		for (const part of middle) {
			const at = type.indexOf(part, from);
			if (at === -1 || at + part.length > end) return false;
			from = at + part.length;
		}
		return true;
	};
}
