/** Stretches of time, and what is in force at each moment of a period. Times are in Unix milliseconds. */

export interface Span {
	readonly from: number;
	readonly to: number;
}

/** Sorted, without overlaps. */
export function merged(spans: readonly Span[]): Span[] {
	const result: { from: number; to: number }[] = [];
	for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
		const last = result.at(-1);
		if (from >= to) continue;
		if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
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
