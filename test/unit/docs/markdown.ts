/** Reads the docs, the notes of the examples and the forms for issues: links, headings, bold labels, code and tables. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';

export const ROOT = join(__dirname, '../../..');

/** Every file of the repository, as a path from its root. */
export const FILES: readonly string[] = execFileSync(
	'git',
	['ls-files', '--cached', '--others', '--exclude-standard'],
	{ cwd: ROOT, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 },
)
	.split('\n')
	.filter(Boolean);

const matches = (text: string, pattern: RegExp): string[] =>
	[...text.matchAll(pattern)].map(([, found = '']) => found);

/** The docs of users and developers, without the changelog, which also names removed things. */
export const DOCS = FILES.filter(
	(file) => /^(docs\/.*|simulator\/)?[\w-]+\.md$/.test(file) && file !== 'CHANGELOG.md',
);

/** All texts of the repository that its users read, apart from those of the nodes. */
export const TEXTS = [
	...DOCS,
	'CHANGELOG.md',
	...FILES.filter((file) =>
		/^(examples\/[\w-]+\.json|\.github\/(?!workflows).*\.(md|yml))$/.test(file),
	),
];

const Workflow = z.object({
	nodes: z.array(z.object({ parameters: z.looseObject({ content: z.string().optional() }) })),
});

/** What a user reads of a file: the notes of a workflow, what a form says, otherwise all of it. */
export function textOf(file: string): string {
	const text = readFileSync(join(ROOT, file), 'utf8');
	if (/^examples\/[\w-]+\.json$/.test(file)) {
		const { nodes } = Workflow.parse(JSON.parse(text));
		return nodes.map(({ parameters }) => parameters.content ?? '').join('\n\n');
	}
	if (/^\.github\/.*\.yml$/.test(file))
		return matches(text, /^ *(?:name|description|label|placeholder): (.*)$/gm).join('\n\n');
	return text;
}

/** The text without fenced code. */
export const proseOf = (file: string): string =>
	textOf(file).replace(/^```[^\n]*\n[\s\S]*?^```$/gm, '');

/** The targets of links and pictures. */
export const linksOf = (file: string): string[] =>
	matches(proseOf(file), /(?:\]\(|<(?:img|a)[^>]* (?:src|href)=")([^)"\s]+)/g);

/** Code within a line. */
export const codeOf = (file: string): string[] => matches(proseOf(file), /`([^`\n]+)`/g);

/** The sentences outside of tables, headings and code, each with its links as their texts. */
export function sentencesOf(file: string): string[] {
	const paragraphs = proseOf(file)
		.replace(/^ +```[^\n]*\n[\s\S]*?^ +```$/gm, '')
		.replace(/^(?:\||#).*$/gm, '')
		// An item of a list is a paragraph of its own.
		.replace(/^ *(?:[-*]|\d+\.) /gm, '\n')
		.split(/\n\s*\n/);
	return paragraphs.flatMap((paragraph) =>
		paragraph
			.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
			.replace(/`[^`\n]+`/g, 'Code')
			.split(/(?<=[.?!][*_"')]*)\s+(?=[*_"'(]*[\p{Lu}\d])/u)
			.map((sentence) => sentence.replace(/\s+/g, ' ').trim()),
	);
}

/** The anchors that GitHub makes of the headings. */
export const anchorsOf = (file: string): string[] =>
	matches(proseOf(file), /^#{1,6} (.+)$/gm).map((heading) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replace(/\s/g, '-'),
	);

/**
 * The bold texts that name something on the screen, each step of a path such as **Options > Retention (Days)** by itself.
 * A bold text that ends with a period or a colon begins a paragraph instead.
 */
export const labelsOf = (file: string): string[] =>
	matches(proseOf(file).replace(/`[^`\n]+`/g, ''), /\*\*([^*\n]+)\*\*/g)
		.filter((label) => !/[.:?]$/.test(label))
		.flatMap((label) => label.split(/ > |: /));

interface Table {
	/** The headings above the table, outermost first. */
	readonly headings: readonly string[];
	readonly columns: readonly string[];
	readonly rows: readonly (readonly string[])[];
}

const cellsOf = (line: string): string[] =>
	line
		.replace(/^\||\|$/g, '')
		.split(/(?<!\\)\|/)
		.map((cell) => cell.trim());

/** The tables of a file, each with the headings that it is under. */
export function tablesOf(file: string): Table[] {
	const tables: { headings: string[]; columns: string[]; rows: string[][] }[] = [];
	const headings: string[] = [];
	let isTable = false;
	for (const line of proseOf(file).split('\n')) {
		const [, level = '', heading = ''] = /^(#+) (.+)$/.exec(line) ?? [];
		if (level) headings.splice(level.length - 1, Infinity, heading);
		if (!line.startsWith('|')) isTable = false;
		else if (!isTable) {
			isTable = true;
			tables.push({ headings: [...headings], columns: cellsOf(line), rows: [] });
		} else if (!/^\|[\s:|-]+\|$/.test(line)) tables.at(-1)?.rows.push(cellsOf(line));
	}
	return tables;
}
