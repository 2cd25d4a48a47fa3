/** Stretches of time: what is in force at each moment of a period, and its days or months. Times are in Unix milliseconds. */
import { countBefore } from '../../shared/sorted';
import { HOUR_MS, inZone, offsetMs } from '../../shared/time';
import { Numbers } from './numbers';

export interface Span {
	readonly from: number;
	readonly to: number;
}

/** In columns: a station that never rests has hundreds of thousands. */
export class Spans implements Iterable<Span> {
	/** When each begins and ends. */
	readonly #edges = new Numbers();

	get length(): number {
		return this.#edges.length / 2;
	}

	/** Infinity beyond the last one, as for `toOf`. */
	fromOf(index: number): number {
		return this.#edges.get(2 * index) ?? Infinity;
	}

	toOf(index: number): number {
		return this.#edges.get(2 * index + 1) ?? Infinity;
	}

	add(from: number, to: number): void {
		this.#edges.push(from);
		this.#edges.push(to);
	}

	/** Adds it, as a part of the last one if they adjoin or overlap. */
	join(from: number, to: number): void {
		if (from >= to) return;
		const last = this.length - 1;
		const isNext = last >= 0 && this.fromOf(last) <= from && from <= this.toOf(last);
		if (!isNext) this.add(from, to);
		else if (to > this.toOf(last)) this.#edges.set(2 * last + 1, to);
	}

	/** Their numbers by their beginning. */
	get order(): Uint32Array {
		return Uint32Array.from({ length: this.length }, (_, n) => n).sort(
			(a, b) => this.fromOf(a) - this.fromOf(b),
		);
	}

	get isSorted(): boolean {
		for (let n = 1; n < this.length; n++) if (this.fromOf(n) < this.fromOf(n - 1)) return false;
		return true;
	}

	/** The last that has begun by then, of those that are sorted. */
	begunBy(at: number): Span | undefined {
		const last = countBefore(this.length, (n) => this.fromOf(n) <= at) - 1;
		return last < 0 ? undefined : { from: this.fromOf(last), to: this.toOf(last) };
	}

	*[Symbol.iterator](): Generator<Span, void> {
		for (let n = 0; n < this.length; n++) yield { from: this.fromOf(n), to: this.toOf(n) };
	}
}

/** Sorted, without overlaps. */
export function merged(spans: Iterable<Span>): Spans {
	const joined = new Spans();
	for (const { from, to } of spans) joined.join(from, to);
	// Most are: of a million that adjoin, one is kept.
	if (joined.isSorted) return joined;
	const sorted = new Spans();
	for (const n of joined.order) sorted.join(joined.fromOf(n), joined.toOf(n));
	return sorted;
}

/** The parts of a period in which nothing changes: which of the layers, each merged, are in force. */
export function* sweep(
	layers: readonly Spans[],
	{ from, to }: Span,
): Generator<Span & { readonly isIn: readonly boolean[] }> {
	const next = layers.map((layer) => {
		let first = 0;
		while (layer.toOf(first) <= from) first++;
		return first;
	});
	for (let at = from; at < to;) {
		let end = to;
		const isIn = layers.map((layer, n) => {
			const index = next[n] ?? 0;
			const begin = layer.fromOf(index);
			end = Math.min(end, begin <= at ? layer.toOf(index) : begin);
			return begin <= at;
		});
		yield { from: at, to: end, isIn };
		for (const [n, layer] of layers.entries()) {
			if (layer.toOf(next[n] ?? 0) <= end) next[n] = (next[n] ?? 0) + 1;
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
