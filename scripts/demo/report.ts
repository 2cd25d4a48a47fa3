/** The figures that the demo ends with: what was seen beside what the nodes promise. */
export interface Figure {
	readonly name: string;
	readonly seen: number;
	readonly expected: number;
}

export function isRight({ seen, expected }: Figure): boolean {
	return seen === expected;
}

/** A table with one line for each figure; what is not as promised stands out. */
export function table(figures: readonly Figure[]): string {
	const rows = [
		['', 'seen', 'expected', ''],
		...figures.map((figure) => [
			figure.name,
			String(figure.seen),
			String(figure.expected),
			isRight(figure) ? 'ok' : 'WRONG',
		]),
	];
	const width = (column: number): number =>
		Math.max(...rows.map((row) => row[column]?.length ?? 0));
	const [name, seen, expected] = [width(0), width(1), width(2)];
	return rows
		.map(([first = '', second = '', third = '', last = '']) =>
			[first.padEnd(name), second.padStart(seen), third.padStart(expected), last]
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}
