/** The report at the end of the demo: the figures, the expected values, and links to the workflows. */
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

/** The workflows to open. The one whose executions were counted comes first; n8n asks for the sign-in. */
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
