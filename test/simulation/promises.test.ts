/** The rules of the checker and the promises in the docs belong together, one to one; and each fault still fits the sources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULES } from '../history/checker/rules';
import { withFault } from './bundle';
import { FAULTS } from './faults';

const ROOT = join(__dirname, '..', '..');
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The first cells of the table that follows the text. */
function rowsAfter(file: string, heading: string): string[] {
	const [, after = ''] = textOf(file).split(`${heading}\n`);
	const lines = after.split('\n');
	const from = lines.findIndex((line) => line.startsWith('|'));
	const rows = lines.slice(from + 2);
	const end = rows.findIndex((line) => !line.startsWith('|'));
	return rows.slice(0, end).map((line) => (line.split(' | ')[0] ?? '').replace('| ', '').trim());
}

const guarantees = rowsAfter('README.md', '## What you can rely on');
const acknowledge = rowsAfter('docs/promises.md', '## If the execution fails');
const promised = RULES.flatMap((rule) => rule.promised);

it('reads both tables', () => {
	expect(guarantees.length).toBeGreaterThan(4);
	expect(acknowledge.length).toBeGreaterThan(8);
});

it.each(promised)('finds what a rule stands for in $in: $text', (promise) => {
	expect(textOf(promise.in)).toContain(promise.text);
});

it.each([
	...guarantees.map((row) => ['README.md', row] as const),
	...acknowledge.map((row) => ['docs/promises.md', row] as const),
])('has one rule for the promise in %s: %s', (file, row) => {
	const rules = RULES.filter((rule) =>
		rule.promised.some((each) => each.in === file && row.includes(each.text)),
	);
	expect(rules.map(({ name }) => name)).toHaveLength(1);
});

it('has rules of different names, each with a promise', () => {
	expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length);
	expect(RULES.filter((rule) => rule.promised.length === 0)).toEqual([]);
});

it('has at least 20 faults', () => {
	expect(new Set(FAULTS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(20);
});

it.each(FAULTS.map((fault) => [fault.name, fault] as const))(
	'can put in the fault: %s',
	(_name, fault) => {
		for (const { file } of fault.changes) expect(withFault(fault, file)).not.toBe(textOf(file));
	},
);
