/** Makes small changes to the code, one at a time, and counts those that the tests notice: `npm run test:mutation`, or `npm run test:mutation -- paging` (one area) or `-- paging-2` (one part of it), followed by any options of Stryker. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AREAS, type Part } from './areas';

/** Percent of the mutants of an area that its tests must kill. */
const LEAST_KILLED = 90;

const ROOT = join(__dirname, '..', '..');
/** Output of a run: Stryker's sandbox, and per part one report for people and one for this script. */
const FOLDER = join(ROOT, 'coverage', 'mutation');
const STRYKER = join(
	dirname(require.resolve('@stryker-mutator/core/package.json')),
	'bin/stryker.js',
);

/** Files with texts that n8n shows. */
const DESCRIPTIONS = /^(nodes|credentials)\/|Properties/;

interface Report {
	readonly files: Readonly<
		Record<string, { readonly mutants: readonly { readonly status: string }[] }>
	>;
}

interface Count {
	killed: number;
	survived: number;
}

function optionsOf(name: string, { mutate, tests }: Part) {
	return {
		mutate,
		testRunner: 'jest',
		coverageAnalysis: 'perTest',
		jest: {
			configFile: 'scripts/mutation/jest.config.js',
			config: { testMatch: tests.map((pattern) => `<rootDir>/${pattern}`) },
		},
		// ts-jest does not check types here.
		disableTypeChecks: false,
		// A slow test on a busy machine must not count as a mutant that never ends.
		timeoutMS: 10_000,
		ignorePatterns: ['/coverage', '/dist', '/docs/pictures', '/examples'],
		...(mutate.some((file) => DESCRIPTIONS.test(file)) && {
			plugins: ['@stryker-mutator/*', join(__dirname, 'screenText.mjs')],
			ignorers: ['screen-text'],
		}),
		tempDirName: join(FOLDER, 'sandbox'),
		cleanTempDir: 'always',
		reporters: ['progress', 'clear-text', 'html', 'json'],
		clearTextReporter: { allowEmojis: false, reportTests: false, reportScoreTable: false },
		htmlReporter: { fileName: join(FOLDER, `${name}.html`) },
		jsonReporter: { fileName: join(FOLDER, `${name}.json`) },
	};
}

/** Results for the mutants of a part. Mutants without a result are not counted. */
function mutantsOf(name: string, part: Part, more: readonly string[]): Count {
	const options = optionsOf(name, part);
	const report = options.jsonReporter.fileName;
	const config = join(FOLDER, `${name}.config.json`);
	rmSync(report, { force: true });
	writeFileSync(config, JSON.stringify(options));
	const { status } = spawnSync(process.execPath, [STRYKER, 'run', config, ...more], {
		cwd: ROOT,
		stdio: 'inherit',
	});
	if (status !== 0) throw new Error(`Stryker failed for ${name}: see its messages above.`);
	const { files } = JSON.parse(readFileSync(report, 'utf8')) as Report;
	const statuses = Object.values(files).flatMap(({ mutants }) =>
		mutants.map((each) => each.status),
	);
	const count = (...wanted: string[]) => statuses.filter((each) => wanted.includes(each)).length;
	return { killed: count('Killed', 'Timeout'), survived: count('Survived', 'NoCoverage') };
}

interface NamedPart extends Part {
	readonly name: string;
}

/** All parts, those of one area, or one of them: `paging-2`. */
function partsOf(area: string, only: string | undefined): NamedPart[] {
	const parts = (AREAS[area] ?? []).map((part, index) => ({
		name: `${area}-${index + 1}`,
		...part,
	}));
	return only === undefined || only === area ? parts : parts.filter(({ name }) => name === only);
}

function rowOf(area: string, parts: readonly NamedPart[], more: readonly string[]) {
	const counts = parts.map((part) => mutantsOf(part.name, part, more));
	const killed = counts.reduce((sum, count) => sum + count.killed, 0);
	const survived = counts.reduce((sum, count) => sum + count.survived, 0);
	const percent = (100 * killed) / (killed + survived);
	return {
		area,
		killed,
		survived,
		share: `${percent.toFixed(1)} %`,
		enough: percent >= LEAST_KILLED,
	};
}

function main(): void {
	const [only, ...more] = process.argv.slice(2);
	const areas = Object.keys(AREAS)
		.map((area) => [area, partsOf(area, only)] as const)
		.filter(([, parts]) => parts.length > 0);
	if (areas.length === 0) throw new Error(`Enter one of ${Object.keys(AREAS).join(', ')}.`);
	mkdirSync(FOLDER, { recursive: true });
	const rows = areas.map(([name, parts]) => rowOf(name, parts, more));
	console.table(rows);
	if (rows.some(({ enough }) => !enough)) {
		throw new Error(`Below ${LEAST_KILLED} %. See ${FOLDER} for the surviving mutants.`);
	}
}

try {
	main();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
