/** What the demo prints: the sign-in, the figures and the expected values. */
export interface Figure {
	readonly name: string;
	readonly seen: number;
	readonly expected: number;
}

interface World {
	readonly url: string;
	readonly owner: { readonly email: string; readonly password: string };
}

export function signIn({ url, owner }: World): string[] {
	return [`Open     ${url}`, `Sign in  ${owner.email}  ${owner.password}`];
}

/** Where the editor shows the executions of a workflow. */
export const executionsUrl = ({ url }: Pick<World, 'url'>, { id }: { readonly id: string }) =>
	`${url}/workflow/${id}/executions`;

export function isRight({ seen, expected }: Figure): boolean {
	return seen === expected;
}

/** A table with one line per figure; wrong figures are marked. */
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
