/** Evaluates the expressions of an example's nodes without n8n, in the time zone of luxon's settings. */
import { createHash } from 'node:crypto';
import { compileFunction, createContext, runInContext } from 'node:vm';
import { DateTime } from 'luxon';
import { z } from 'zod/v4';
import { example } from '../../support/n8n/examples';

export type Json = Readonly<Record<string, unknown>>;

const Nodes = z.object({
	nodes: z.array(z.looseObject({ name: z.string(), parameters: z.looseObject({}) })),
});
const itemsOf = (all: readonly Json[]) => all.map((json) => ({ json }));

const nodesByFile = new Map<string, z.infer<typeof Nodes>['nodes']>();

/** The parameters of a node. */
export function parametersOf(file: string, name: string): Record<string, unknown> {
	const nodes = nodesByFile.get(file) ?? Nodes.parse(example(file)).nodes;
	nodesByFile.set(file, nodes);
	const node = nodes.find((each) => each.name === name);
	if (!node) throw new Error(`${file} has no node ${name}`);
	return node.parameters;
}

/** The parameter `options` of a node. */
export function optionsOf(file: string, name: string): Readonly<Record<string, unknown>> {
	return z.looseObject({}).parse(parametersOf(file, name)['options'] ?? {});
}

// What n8n's own extension of texts does.
const hash = (value: string) => createHash('md5').update(value).digest('hex');
const realm = createContext({ hash });
runInContext('String.prototype.hash = function () { return hash(String(this)); };', realm);

const NAMES = ['$json', '$input', '$', '$now', 'DateTime'] as const;
type Names = Readonly<Record<(typeof NAMES)[number], unknown>>;
const compiled = new Map<string, (...values: unknown[]) => unknown>();

/** The value of an expression. Compiled once: tests evaluate the same ones for thousands of items. */
function valueOf(code: string, names: Names): unknown {
	const run =
		compiled.get(code) ??
		(compileFunction(`return (${code})`, [...NAMES], { parsingContext: realm }) as () => unknown);
	compiled.set(code, run);
	return run(...NAMES.map((name) => names[name]));
}

/** What n8n makes of a text with expressions: the value itself if the whole text is one expression. */
export function evaluate(text: string, input: readonly Json[], others: Others = {}): unknown {
	const names = {
		$json: input[0],
		$input: { all: () => itemsOf(input) },
		$: (name: string) => {
			const all = itemsOf(listOf(others[name] ?? {}));
			const [item] = all;
			return { item, first: () => item, all: () => all };
		},
		$now: DateTime.now(),
		DateTime,
	};
	const [, whole] = /^=\{\{((?:(?!\}\})[\s\S])*)\}\}$/.exec(text) ?? [];
	if (whole !== undefined) return valueOf(whole, names);
	return text
		.replace(/^=/, '')
		.replaceAll(/\{\{(.*?)\}\}/gs, (_all, code: string) => String(valueOf(code, names)));
}

/** The item, or the items, of each other node that an expression names. */
type Others = Readonly<Record<string, Json | readonly Json[]>>;

/** What an Edit Fields node makes of its first item: by its assignments, or by the one expression of its JSON. */
export function assigned(
	file: string,
	node: string,
	input: Json | readonly Json[],
	others: Others = {},
): Json {
	const Assignments = z.object({
		assignments: z.array(z.object({ name: z.string(), value: z.string() })),
	});
	const items = listOf(input);
	const parameters = parametersOf(file, node);
	if (parameters['mode'] === 'raw') {
		const made = evaluate(z.string().parse(parameters['jsonOutput']), items, others);
		return z.record(z.string(), z.unknown()).parse(JSON.parse(JSON.stringify(made)));
	}
	const { assignments } = Assignments.parse(parameters['assignments']);
	return Object.fromEntries(
		assignments.map(({ name, value }) => [name, evaluate(value, items, others)]),
	);
}

const listOf = (input: Json | readonly Json[]): readonly Json[] =>
	isList(input) ? input : [input];
const isList = (input: Json | readonly Json[]): input is readonly Json[] => Array.isArray(input);

const Condition = z.looseObject({
	leftValue: z.string(),
	rightValue: z.unknown(),
	operator: z.looseObject({ type: z.string(), operation: z.string() }),
});

/** What n8n's operators do, of those that the examples use. */
const OPERATORS: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
	'boolean true': (left) => left === true,
	'string equals': (left, right) => left === right,
	'string notEmpty': (left) => left !== '',
	'number gt': (left, right) => Number(left) > Number(right),
	'number lt': (left, right) => Number(left) < Number(right),
};

/** Whether the conditions of an If or a Filter node hold for an item. */
export function chooses(file: string, node: string, json: Json): boolean {
	const { conditions, combinator } = z
		.object({ combinator: z.enum(['and', 'or']), conditions: z.array(Condition) })
		.parse(parametersOf(file, node)['conditions']);
	const holds = ({ leftValue, rightValue, operator }: z.infer<typeof Condition>) => {
		const decide = OPERATORS[`${operator.type} ${operator.operation}`];
		if (!decide) throw new Error(`${file}: unknown operator in ${node}`);
		return decide(evaluate(leftValue, [json]), rightValue);
	};
	return combinator === 'and' ? conditions.every(holds) : conditions.some(holds);
}
