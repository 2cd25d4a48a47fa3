/** Errors, hints, descriptions and log lines quote labels as the screen shows them. */
import ts from 'typescript';
import { FILES, textOf } from './markdown';
import { LABELS } from './screen';

const SOURCES = FILES.filter((file) => /^(lib|n8n|nodes|credentials)\/.*\.ts$/.test(file));

/** The texts of a source, each part of a template by itself. */
function* textsIn(node: ts.Node): Generator<string> {
	if (ts.isStringLiteralLike(node) || ts.isTemplateMiddleOrTemplateTail(node)) yield node.text;
	if (ts.isTemplateHead(node)) yield node.text;
	const children: ts.Node[] = [];
	node.forEachChild((child) => {
		children.push(child);
	});
	for (const child of children) yield* textsIn(child);
}

/** What a text quotes that looks like a label; not a word of another language, such as SQL. */
const quotedIn = (text: string): string[] =>
	[...text.matchAll(/(?<![\w'])'([A-Z][a-z][\w ()]*)'/g)].map(([, label = '']) => label);

/** A value of a response, and a node of an example. */
const NO_LABELS = ['Bearer', 'Maintenance'];

const quoted = SOURCES.flatMap((file) => {
	const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest);
	return [...textsIn(source)].flatMap(quotedIn).map((label) => ({ file, label }));
});

it('finds the labels', () => {
	expect(quoted.length).toBeGreaterThan(80);
});

it('quotes only labels of the screen', () => {
	const unknown = quoted.filter(({ label }) => !LABELS.has(label) && !NO_LABELS.includes(label));
	expect(unknown).toEqual([]);
});
