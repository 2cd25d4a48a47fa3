/** What the demo ends with: the figures, next to what the nodes promise, and where to look. */
export interface Figure {
	readonly name: string;
	readonly seen: number;
	readonly expected: number;
}

interface Shown {
	readonly id: string;
	readonly name: string;
}

interface Place extends Readonly<
	Record<'eventWorkflow' | 'assetsWorkflow' | 'catchUpWorkflow', Shown>
> {
	readonly world: {
		readonly url: string;
		readonly owner: { readonly email: string; readonly password: string };
	};
}

/** The workflows to open, the one with the executions that were counted first; n8n asks for the sign-in on the way. */
export function signIn({ world, eventWorkflow, assetsWorkflow, catchUpWorkflow }: Place): string[] {
	const { url, owner } = world;
	return [
		`Open                ${url}/workflow/${eventWorkflow.id}/executions`,
		`Sign in             ${owner.email}  ${owner.password}`,
		'',
		'The workflows:',
		...[eventWorkflow, catchUpWorkflow, assetsWorkflow].map(
			({ id, name }) => `${url}/workflow/${id}  ${name}`,
		),
	];
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
