/** Evaluates the expressions of an example's nodes without n8n, in the time zone of luxon's settings. */
import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { DateTime } from 'luxon';
import { z } from 'zod/v4';
import { example } from '../../support/n8n/examples';

export type Json = Readonly<Record<string, unknown>>;

const Nodes = z.object({
	nodes: z.array(z.looseObject({ name: z.string(), parameters: z.looseObject({}) })),
});
const itemsOf = (all: readonly Json[]) => all.map((json) => ({ json }));

/** The parameters of a node. */
export function parametersOf(file: string, name: string): Record<string, unknown> {
	const { nodes } = Nodes.parse(example(file));
	const node = nodes.find((each) => each.name === name);
	if (!node) throw new Error(`${file} has no node ${name}`);
	return node.parameters;
}

/** What n8n makes of a text with expressions: the value itself if the whole text is one expression. */
export function evaluate(text: string, input: readonly Json[], others: Others = {}): unknown {
	// What n8n's own extension of texts does.
	const hash = (value: string) => createHash('md5').update(value).digest('hex');
	const context = {
		$json: input[0],
		$input: { all: () => itemsOf(input) },
		$: (name: string) => ({ item: itemsOf([others[name] ?? {}])[0] }),
		$now: DateTime.now(),
		DateTime,
		hash,
	};
	const run = (code: string): unknown =>
		runInNewContext(`String.prototype.hash = function () { return hash(String(this)); }; ${code}`, {
			...context,
		});
	const [, whole] = /^=\{\{((?:(?!\}\})[\s\S])*)\}\}$/.exec(text) ?? [];
	if (whole !== undefined) return run(`(${whole})`);
	return text
		.replace(/^=/, '')
		.replaceAll(/\{\{(.*?)\}\}/gs, (_all, code: string) => String(run(`(${code})`)));
}

/** The item of each other node that an expression names. */
type Others = Readonly<Record<string, Json>>;

/** The assignments of an Edit Fields node. */
export function assigned(file: string, node: string, json: Json, others: Others = {}): Json {
	const Assignments = z.object({
		assignments: z.array(z.object({ name: z.string(), value: z.string() })),
	});
	const { assignments } = Assignments.parse(parametersOf(file, node)['assignments']);
	return Object.fromEntries(
		assignments.map(({ name, value }) => [name, evaluate(value, [json], others)]),
	);
}

/** Whether a Filter node lets an item pass; all its conditions are expressions that have to be true. */
export function passes(file: string, node: string, json: Json): boolean {
	const Conditions = z.object({
		combinator: z.literal('and'),
		conditions: z.array(
			z.looseObject({
				leftValue: z.string(),
				operator: z.looseObject({ type: z.literal('boolean'), operation: z.literal('true') }),
			}),
		),
	});
	const { conditions } = Conditions.parse(parametersOf(file, node)['conditions']);
	return conditions.every(({ leftValue }) => evaluate(leftValue, [json]) === true);
}
