/**
 * Which events a trigger wants: those of its types that meet its conditions; and the parameters that all triggers have.
 * Read by hand and not by a schema, because this runs for every delivery, even a forged one.
 */
import { printable } from '../shared/text';
import { asNumber, asTexts, numberOf, own } from '../shared/values';
import { readConditions } from './conditions';
import type { ParsedEvent } from './event';

export interface Wanted {
	readonly isWantedType: EventTypeFilter;
	readonly conditions: ReturnType<typeof readConditions>;
}

/** Whether the event starts the workflow. `Survey` says why not. */
export function isWanted({ type, record }: ParsedEvent, wanted: Wanted): boolean {
	return wanted.isWantedType(type) && wanted.conditions.unmet(record) === undefined;
}

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
type EventTypeFilter = (type: string | undefined) => boolean;

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

export type ReadParameter = (name: string, fallback: unknown) => unknown;

/** An execution holds at most this much, unless a single event is larger. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** The patterns of both fields for event types. */
export function readEventTypes(read: ReadParameter): string[] {
	return [...asTexts(read('eventTypes', [])), ...asTexts(read('otherEventTypes', ''))];
}

/** By the parameters `eventTypes`, `otherEventTypes` and `conditions`. */
export function readWanted(read: ReadParameter): Wanted {
	return {
		isWantedType: eventTypeFilter(readEventTypes(read)),
		conditions: readConditions(read('conditions', {})),
	};
}

/** A setting that a trigger has among its options, or in a field of its own: the option comes first. */
export function readOption(read: ReadParameter, name: string, fallback: unknown): unknown {
	return own(read('options', {}), name) ?? read(name, fallback);
}

/** By the setting `acknowledge`: whether an event counts once an execution is stored, or once one has succeeded. */
export function readAcknowledge(read: ReadParameter): 'stored' | 'succeeded' {
	return readOption(read, 'acknowledge', 'stored') === 'succeeded' ? 'succeeded' : 'stored';
}

/** A number among the settings of a trigger: its parameter, its label on the screen, its default and its bounds. */
interface NumberSetting {
	readonly name: string;
	readonly label: string;
	readonly fallback: number;
	readonly least: number;
	readonly most: number;
}

/** How many events an execution gets with batched delivery. */
export const BATCH_SIZE: NumberSetting = {
	name: 'batchSize',
	label: 'Batch Size',
	fallback: 100,
	least: 1,
	most: 1000,
};

/** A value out of bounds becomes the nearest bound, one of the wrong kind the default. */
export function readNumber(
	read: ReadParameter,
	{ name, fallback, least, most }: NumberSetting,
): number {
	return asNumber(readOption(read, name, fallback), fallback, least, most);
}

/** Which of these are not applied as entered, and what is applied instead: completes a log line. */
export function notApplied(
	read: ReadParameter,
	settings: Readonly<Record<string, NumberSetting>>,
): string[] {
	return Object.values(settings).flatMap((setting) => {
		const { name, label, fallback, least, most } = setting;
		const entered = readOption(read, name, fallback);
		const applied = readNumber(read, setting);
		if (numberOf(entered) === applied) return [];
		const shown = printable(JSON.stringify(entered), 50);
		return [
			`'${label}' must be a number from ${least} to ${most}, but is ${shown}: ${applied} is used`,
		];
	});
}

/** By the settings `delivery` and `batchSize`; 1 if each event starts its own execution. */
export function readBatchSize(read: ReadParameter): number {
	if (readOption(read, 'delivery', 'immediate') !== 'batched') return 1;
	return Math.trunc(readNumber(read, BATCH_SIZE));
}
