/** Cuts a period at the days or months of a time zone. */
import { HOUR_MS, inZone, offsetMs } from '../../shared/time';
import type { Span } from './spans';

export type SplitBy = 'none' | 'day' | 'month';

export function split({ from, to }: Span, by: SplitBy, timeZone: string): Span[] {
	const parts: Span[] = [];
	for (let at = from; at < to;) {
		const end = by === 'none' ? to : Math.min(to, nextOf(at, by, timeZone));
		parts.push({ from: at, to: end });
		at = end;
	}
	return parts;
}

/** When the next day or month begins. */
function nextOf(at: number, by: 'day' | 'month', timeZone: string): number {
	const shown = new Date(at + offsetMs(at, timeZone));
	const [year, month, day] = [shown.getUTCFullYear(), shown.getUTCMonth(), shown.getUTCDate()];
	const next = by === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
	const found = inZone(next, timeZone);
	// Where clocks are set forward at midnight, a day begins later.
	return found > at ? found : inZone(next + 2 * HOUR_MS, timeZone);
}
