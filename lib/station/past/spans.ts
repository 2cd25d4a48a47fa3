/** Stretches of time: what is in force at each moment of a period, and its days or months. Times are in Unix milliseconds. */
import { HOUR_MS, inZone, offsetMs } from '../../shared/time';

export interface Span {
	readonly from: number;
	readonly to: number;
}

/** Sorted, without overlaps. */
export function merged(spans: Iterable<Span>): Span[] {
	// Most are in order: of a million that adjoin, one is kept.
	return joined(joined(spans).sort((a, b) => a.from - b.from));
}

/** Those that follow each other are one, if they adjoin or overlap. */
function joined(spans: Iterable<Span>): Span[] {
	const result: { from: number; to: number }[] = [];
	for (const { from, to } of spans) {
		const last = result.at(-1);
		if (from >= to) continue;
		const isNext = last !== undefined && last.from <= from && from <= last.to;
		if (isNext) last.to = Math.max(last.to, to);
		else result.push({ from, to });
	}
	return result;
}

/** The parts of a period in which nothing changes: which of the layers, each merged, are in force. */
export function* sweep(
	layers: readonly (readonly Span[])[],
	{ from, to }: Span,
): Generator<Span & { readonly isIn: readonly boolean[] }> {
	const next = layers.map((layer) => layer.findIndex((span) => span.to > from));
	const current = (n: number) => layers[n]?.[next[n] ?? -1];
	for (let at = from; at < to;) {
		const isIn = layers.map((_layer, n) => (current(n)?.from ?? Infinity) <= at);
		const edges = layers.map((_layer, n) => {
			const span = current(n);
			return span === undefined ? to : isIn[n] === true ? span.to : span.from;
		});
		const end = Math.min(to, ...edges);
		yield { from: at, to: end, isIn };
		for (const n of next.keys()) {
			if ((current(n)?.to ?? Infinity) <= end) next[n] = (next[n] ?? 0) + 1;
		}
		at = end;
	}
}

export type SplitBy = 'none' | 'quarterHour' | 'hour' | 'day' | 'month';

/** Cuts a period at the quarters of hours, the hours, days or months of a time zone. */
export function split({ from, to }: Span, by: SplitBy, timeZone: string): Span[] {
	const parts: Span[] = [];
	for (let at = from; at < to;) {
		const end = by === 'none' ? to : Math.min(to, nextOf(at, by, timeZone));
		parts.push({ from: at, to: end });
		at = end;
	}
	return parts;
}

/** When the next part begins. */
function nextOf(at: number, by: Exclude<SplitBy, 'none'>, timeZone: string): number {
	const offset = offsetMs(at, timeZone);
	// Clocks change at full hours, or half ones: so each part has its length, also on days of 23 or 25 hours.
	if (by === 'hour' || by === 'quarterHour') {
		const length = by === 'hour' ? HOUR_MS : HOUR_MS / 4;
		return at + length - ((at + offset) % length);
	}
	const shown = new Date(at + offset);
	const [year, month, day] = [shown.getUTCFullYear(), shown.getUTCMonth(), shown.getUTCDate()];
	const next = by === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
	return inZone(next, timeZone);
}
