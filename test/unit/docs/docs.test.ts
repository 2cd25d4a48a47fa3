/** Links, files, commands, variables, labels and defaults in the docs exist. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { REASONS } from '../../../lib/receiver';
import packageJson from '../../../package.json';
import {
	anchorsOf,
	codeOf,
	DOCS,
	FILES,
	labelsOf,
	linksOf,
	proseOf,
	ROOT,
	sentencesOf,
	tablesOf,
	TEXTS,
	textOf,
} from './markdown';
import { defaultsOf, LABELS } from './screen';

const LONGEST_SENTENCE = 35;

const wordsIn = (text: string) => text.match(/\S*[\p{L}\d]\S*/gu)?.length ?? 0;

/** A path within the repository that only exists after a build, or that GitHub adds. */
const isBuilt = (path: string) => path.startsWith('dist/') || path.startsWith('node_modules/');

const source = FILES.filter((file) =>
	/^(lib|n8n|nodes|credentials|scripts|test)\/.*\.(ts|mjs)$/.test(file),
)
	.map(textOf)
	.join('\n');

const product = FILES.filter((file) => /^(lib|n8n|nodes)\/.*\.ts$/.test(file))
	.map(textOf)
	.join('\n');

it('reads the docs', () => {
	expect(DOCS).toEqual(
		expect.arrayContaining(['README.md', 'docs/nodes.md', 'docs/dev/measured.md']),
	);
	expect(labelsOf('docs/nodes.md').length).toBeGreaterThan(50);
	expect(DOCS.flatMap(tablesOf).length).toBeGreaterThan(10);
});

describe.each(DOCS)('%s', (file) => {
	it('links to files and headings that exist', () => {
		const dead = linksOf(file).filter((link) => {
			if (/^(https?|mailto):/.test(link)) return false;
			const [path = '', anchor] = link.split('#');
			const target = path === '' ? file : normalize(join(dirname(file), path));
			if (!existsSync(join(ROOT, target))) return true;
			return anchor !== undefined && !anchorsOf(target).includes(anchor);
		});
		expect(dead).toEqual([]);
	});

	it('names files that exist', () => {
		const paths = codeOf(file)
			.map((code) => code.replace(/^\.\//, '').replace(/\/$/, ''))
			.filter((code) =>
				/^[\w.*/-]+\.(ts|mjs|md|json|ya?ml)$|^(examples|docs|lib|test|scripts|simulator|n8n|nodes|credentials)\/[\w/.-]+$/.test(
					code,
				),
			);
		const missing = paths.filter(
			(path) =>
				!isBuilt(path) &&
				!path.includes('*') &&
				!FILES.some(
					(each) => each === path || each.endsWith(`/${path}`) || each.startsWith(`${path}/`),
				),
		);
		expect(missing).toEqual([]);
	});

	it('names commands that package.json has', () => {
		const commands = [...textOf(file).matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(
			([, name = '']) => name,
		);
		expect(commands.filter((name) => !(name in packageJson.scripts))).toEqual([]);
	});

	it('names environment variables that the code reads', () => {
		const variables = proseOf(file).match(/\b(ASSET_SERVICE|ACKNOWLEDGE|REPLAY)_[A-Z_]+\b/g) ?? [];
		expect(variables.filter((name) => !source.includes(name))).toEqual([]);
	});

	it('quotes lines of the log as the code writes them', () => {
		const quoted = codeOf(file).filter((code) =>
			/^[A-Za-z][a-z']*(?: [a-z']+){4,}$|^[A-Z]?[a-z]+ [a-z]+:$/.test(code),
		);
		expect(quoted.filter((line) => !product.includes(line))).toEqual([]);
	});

	it('gives the defaults that the fields have', () => {
		const wrong = tablesOf(file).flatMap(({ headings, columns, rows }) => {
			const at = columns.indexOf('Default');
			if (at < 0 || !['Field', 'Parameter'].includes(columns[0] ?? '')) return [];
			return rows.flatMap((cells) => {
				const [labels = ''] = cells;
				const label = labels.split(' > ').at(-1)?.replace(/\*\*/g, '') ?? '';
				const given = (cells[at] ?? '').replace(/[`*]/g, '');
				const expected = defaultsOf(label, headings);
				return expected.includes(given) ? [] : [`${label}: ${given}, not ${expected.join(' or ')}`];
			});
		});
		expect(wrong).toEqual([]);
	});
});

describe.each(TEXTS)('%s', (file) => {
	it('writes labels in bold as the editor shows them', () => {
		expect(labelsOf(file).filter((label) => !LABELS.has(label))).toEqual([]);
	});

	it('has no sentence of over 35 words outside of tables', () => {
		const long = sentencesOf(file).filter((sentence) => wordsIn(sentence) > LONGEST_SENTENCE);
		expect(long).toEqual([]);
	});
});

/** The most words that a page of users may have. Longer is not clearer: say it once, or say it in `docs/dev`. */
const BUDGET = {
	'README.md': 764,
	'SECURITY.md': 720,
	'docs/api-assumptions.md': 400,
	'docs/comparison.md': 380,
	'docs/examples.md': 1_015,
	'docs/nodes.md': 1_950,
	'docs/promises.md': 1_020,
	'docs/rotation.md': 320,
	'docs/run.md': 1_209,
	'docs/start.md': 505,
	'docs/station-trigger.md': 1_144,
	'docs/troubleshooting.md': 710,
	'docs/uptime.md': 745,
};

/** Made of the samples. */
const GENERATED = 'docs/sample-events.md';

it('has one glossary of code, of at most 40 words, and one of six for users', () => {
	const [words] = tablesOf('docs/dev/architecture.md').filter(
		({ columns }) => columns[0] === 'Word',
	);
	expect(words?.rows.length).toBeGreaterThan(20);
	expect(words?.rows.length).toBeLessThanOrEqual(40);
	const [, six = ''] = /six words:\n\n((?:- .*\n)+)/.exec(textOf('docs/start.md')) ?? [];
	expect(six.trim().split('\n')).toHaveLength(6);
});

it('says it in few words', () => {
	const pages = DOCS.filter((file) => /^(docs\/)?[\w-]+\.md$/.test(file));
	const written = pages.filter((file) => ![GENERATED, 'CONTRIBUTING.md'].includes(file));
	expect(written.sort()).toEqual(Object.keys(BUDGET).sort());
	const over = Object.entries(BUDGET).flatMap(([file, most]) => {
		const words = wordsIn(proseOf(file));
		return words > most ? [`${file}: ${words} words, of which ${most} may be`] : [];
	});
	expect(over).toEqual([]);
});

it('explains every reason of the log', () => {
	const [codes] = tablesOf('docs/troubleshooting.md').filter(
		({ columns }) => columns[0] === 'Code',
	);
	const explained = codes?.rows.map(([code = '']) => code.replaceAll('`', ''));
	// An ignored delivery leaves no line in the log.
	expect(explained).toEqual(Object.keys(REASONS).filter((reason) => reason !== 'ignored'));
});
