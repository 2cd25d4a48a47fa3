/** The example workflows look alike, and are ready for anybody's n8n. */
import { z } from 'zod/v4';
import { readStationSettings } from '../../../n8n/polling/station/settings';
import { example, EXAMPLES } from '../../support/n8n/examples';
import { STATION_TRIGGER_TYPE } from '../../support/nodes';

const NOTE = 'n8n-nodes-base.stickyNote';
/** Nodes that notify someone or change something elsewhere. */
const MAIL = 'n8n-nodes-base.emailSend';
const SENDING = [MAIL, 'n8n-nodes-base.httpRequest'];
/** Size of a node on the canvas, with its name below, and the space between nodes. */
const NODE = { width: 96, height: 150 };
const GRID = { x: 220, y: 100 };

const Parameters = z.looseObject({
	content: z.string().optional(),
	width: z.number().optional(),
	height: z.number().optional(),
	jsCode: z.string().optional(),
});
const Node = z.looseObject({
	name: z.string(),
	type: z.string(),
	position: z.tuple([z.number(), z.number()]),
	disabled: z.boolean().optional(),
	parameters: Parameters,
	executeOnce: z.boolean().optional(),
});
const linksOf = (type: z.ZodType<string>) =>
	z.array(z.array(z.object({ node: z.string(), type, index: z.number() })));
const Example = z.looseObject({
	name: z.string(),
	nodes: z.array(Node),
	connections: z.record(
		z.string(),
		// What serves an AI agent, such as a tool, leads to it in other ways.
		z.object({ main: linksOf(z.literal('main')).default([]) }).catchall(linksOf(z.string())),
	),
	active: z.literal(false),
});

const examples = EXAMPLES.map((file) => {
	const content = Example.parse(example(file));
	const notes = content.nodes.filter(({ type }) => type === NOTE);
	const nodes = content.nodes.filter(({ type }) => type !== NOTE);
	return { file, content, notes, nodes };
});

describe.each(examples)('$file', ({ content, notes, nodes }) => {
	const note = notes[0]?.parameters.content ?? '';

	it('is named after the service, and has one short note: title, set-up, what it does', () => {
		const [, first = '', rest = ''] = /^Asset Service: (.)(.+)$/.exec(content.name) ?? [];
		expect(notes).toHaveLength(1);
		const [title, steps = '', ...about] = note.split('\n\n');
		expect(title).toBe(`## ${first.toUpperCase()}${rest}`);
		expect(steps.split('\n').length).toBeGreaterThan(1);
		for (const [index, step] of steps.split('\n').entries()) {
			expect(step).toMatch(new RegExp(`^${index + 1}\\. [A-Z].*[.]$`));
		}
		expect(about.length).toBeGreaterThan(0);
		for (const paragraph of about) expect(paragraph).toMatch(/^[A-Z][^\n]*[.]$/);
		expect(note.split(/\s+/).length).toBeLessThanOrEqual(120);
	});

	it('names no file in its note: an importing user has none', () => {
		expect(note).not.toMatch(/\bdocs\/|\.md\b/);
	});

	it('names in its note only nodes that it has', () => {
		const named = [...note.matchAll(/ in \*([^*]+)\*/g)];
		const names = nodes.map(({ name }) => name);
		for (const [, name] of named) expect(names).toContain(name);
	});

	it('holds nothing of the n8n that it was made in', () => {
		expect(content).not.toHaveProperty('id');
		for (const node of content.nodes) {
			expect(node).not.toHaveProperty('credentials');
			expect(node).not.toHaveProperty('webhookId');
		}
	});

	it('sends mail and requests not before they are set up, and mail last', () => {
		for (const { name, type, disabled } of nodes.filter(({ type }) => SENDING.includes(type))) {
			expect(disabled).toBe(true);
			if (type === MAIL) expect(content.connections).not.toHaveProperty([name]);
		}
	});

	it('leads from left to right on a grid, with nothing over anything', () => {
		const at = new Map(nodes.map(({ name, position }) => [name, position]));
		for (const [x, y] of at.values())
			expect([Math.abs(x % GRID.x), Math.abs(y % GRID.y)]).toEqual([0, 0]);
		for (const [from, { main }] of Object.entries(content.connections)) {
			for (const { node } of main.flat()) {
				expect(at.get(node)?.[0]).toBeGreaterThan(at.get(from)?.[0] ?? Infinity);
			}
		}
		const boxes = content.nodes.map(({ position: [x, y], parameters }) => {
			const { width = NODE.width, height = NODE.height } = parameters;
			return { left: x, right: x + width, top: y, bottom: y + height };
		});
		for (const [index, one] of boxes.entries()) {
			for (const other of boxes.slice(index + 1)) {
				const isBeside = one.right <= other.left || other.right <= one.left;
				expect(isBeside || one.bottom <= other.top || other.bottom <= one.top).toBe(true);
			}
		}
	});
});

it('all of them together have hardly any code, and at most eight nodes each', () => {
	const lines = examples.flatMap(({ nodes }) =>
		nodes.flatMap(({ parameters: { jsCode } }) => jsCode?.split('\n') ?? []),
	);
	expect(lines.length).toBeLessThanOrEqual(60);
	const large = examples.filter(({ nodes }) => nodes.length > 8).map(({ file }) => file);
	// Two are about executions, not about stations; two keep tables for years, and sum them up; one has a tool for each question.
	const mayBe =
		/^(dead-letters|nightly-completeness|station-questions|uptime-ledger|uptime-report)/;
	expect(large.filter((file) => !mayBe.test(file))).toEqual([]);
});

const watching = examples.flatMap(({ file, nodes }) =>
	nodes
		.filter(({ type }) => type === STATION_TRIGGER_TYPE)
		.map(({ parameters }) => [file, parameters] as const),
);

it.each(watching)('%s uses the outputs that the station trigger has', (file, given) => {
	const { hasTwoOutputs } = readStationSettings((name, fallback) => given[name] ?? fallback);
	const { content } = examples.find((each) => each.file === file) ?? {};
	const main = content?.connections['Asset Service Station Trigger']?.main ?? [];
	expect(main).toHaveLength(hasTwoOutputs ? 2 : 1);
});
