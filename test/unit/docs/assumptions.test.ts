/** The table of open points names each setting for them once, and no setting that does not exist. */
import { FIELD_LABELS, SERVICE_INTERFACE } from '../../../lib/service';
import { tablesOf } from './markdown';
import { LABELS } from './screen';

const FILE = 'docs/api-assumptions.md';
const COLUMNS = ['Open point', 'Default', 'Source', 'Setting'];

const [table] = tablesOf(FILE).filter(({ columns }) => columns.join() === COLUMNS.join());
const rows = table?.rows ?? [];
const labelsIn = (cell = '') =>
	[...cell.matchAll(/\*\*([^*]+)\*\*/g)].map(([, label = '']) => label.split(' > ').at(-1) ?? '');
const named = rows.flatMap(([, , , setting]) => labelsIn(setting));

it('has a row for each open point', () => {
	expect(rows.length).toBeGreaterThan(15);
});

it.each(rows.map((row) => [row[0], row] as const))(
	'%s: has a default, its source, and settings that exist, or none',
	(_point, [, byDefault, source, setting]) => {
		expect(byDefault).not.toBe('');
		expect(source === '' ? byDefault : source).toMatch(/^(none|docs|inferred|assumed)/);
		const labels = labelsIn(setting);
		expect(labels.filter((label) => !LABELS.has(label))).toEqual([]);
		expect(labels.length > 0).toBe(setting !== 'none');
	},
);

it.each(Object.keys(SERVICE_INTERFACE) as (keyof typeof SERVICE_INTERFACE)[])(
	'names the setting %s of the credential in one row',
	(name) => {
		const inCredential = named.filter((label) => label === FIELD_LABELS[name]);
		// An operation has a field of the same name.
		expect(inCredential).toHaveLength(name === 'itemsPath' ? 2 : 1);
	},
);

it.each([
	'limitParameter',
	'cursorParameter',
	'endpointsPath',
	'succeededWords',
	'failedWords',
] as const)('gives the default of %s that the code has', (name) => {
	const row = rows.find(([, , , setting]) => labelsIn(setting).includes(FIELD_LABELS[name]));
	expect(row?.[1]).toContain(`\`${SERVICE_INTERFACE[name]}\``);
});
