/** Runs the code of an example's Code nodes without n8n. */
import { runInNewContext } from 'node:vm';
import { DateTime } from 'luxon';
import { z } from 'zod/v4';
import { createRandom } from '../../../simulator/data/random';
import { example } from '../../support/n8n/examples';

export type Json = Readonly<Record<string, unknown>>;

const Nodes = z.object({
	nodes: z.array(
		z.object({ name: z.string(), parameters: z.object({ jsCode: z.string().optional() }) }),
	),
});
const Items = z.array(z.object({ json: z.record(z.string(), z.unknown()) }));
const itemsOf = (all: readonly Json[]) => all.map((json) => ({ json }));

/** Runs a Code node with its input and the output of other nodes. */
export function run(
	file: string,
	node: string,
	input: readonly Json[],
	others: Readonly<Record<string, readonly Json[]>>,
): Record<string, unknown>[] {
	const { nodes } = Nodes.parse(example(file));
	const code = nodes.find(({ name }) => name === node)?.parameters.jsCode ?? '';
	const result: unknown = runInNewContext(`(() => { ${code} })()`, {
		DateTime,
		$: (name: string) => ({
			all: () => itemsOf(others[name] ?? []),
			first: () => itemsOf(others[name] ?? [])[0],
		}),
		$input: { all: () => itemsOf(input) },
	});
	return Items.parse(result).map(({ json }) => json);
}

const NOW = Date.now();

/** A time as the service writes it. */
export const at = (minutesAgo: number) => new Date(NOW - minutesAgo * 60_000).toISOString();

export function shuffled<T>(items: readonly T[], seed: number): T[] {
	const random = createRandom(seed);
	const keys = new Map(items.map((item) => [item, random.int(1_000_000)]));
	return items.toSorted((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
}

export const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);
