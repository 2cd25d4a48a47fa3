/** Makes small changes to the code, one at a time, and counts those that the tests notice: `npm run test:mutation`, or `npm run test:mutation -- station` (one area), followed by any options of Stryker. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Area, AREAS, present } from './areas';

/** Percent of the mutants of an area that its tests must kill. */
const LEAST_KILLED = 90;

const ROOT = join(__dirname, '..', '..');
/** Output of a run: Stryker's sandbox, and per area one report for people and one for this script. */
const FOLDER = join(ROOT, 'coverage', 'mutation');
const STRYKER = join(
	dirname(require.resolve('@stryker-mutator/core/package.json')),
	'bin/stryker.js',
);

/** Files with texts that n8n shows. */
const DESCRIPTIONS = /^(nodes|credentials|n8n)$/;

interface Report {
	readonly files: Readonly<
		Record<string, { readonly mutants: readonly { readonly status: string }[] }>
	>;
}

interface Count {
	killed: number;
	survived: number;
}

function optionsOf(name: string, { mutate, tests }: Area) {
	return {
		mutate: present(mutate).map((folder) => `${folder}/**/*.ts`),
		testRunner: 'jest',
		coverageAnalysis: 'perTest',
		jest: {
			configFile: 'scripts/mutation/jest.config.js',
			config: {
				testMatch: present(tests).map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
			},
		},
		// ts-jest does not check types here.
		disableTypeChecks: false,
		// A slow test on a busy machine must not count as a mutant that never ends.
		timeoutMS: 10_000,
		ignorePatterns: ['/coverage', '/dist', '/docs/pictures', '/examples'],
		...(mutate.some((folder) => DESCRIPTIONS.test(folder)) && {
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

/** Results for the mutants of an area. Mutants without a result are not counted. */
function mutantsOf(name: string, area: Area, more: readonly string[]): Count {
	const options = optionsOf(name, area);
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

function rowOf(area: string, folders: Area, more: readonly string[]) {
	const { killed, survived } = mutantsOf(area, folders, more);
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
	const areas = Object.entries(AREAS).filter(
		([name, { mutate }]) => (only ?? name) === name && present(mutate).length > 0,
	);
	if (areas.length === 0) throw new Error(`Enter one of ${Object.keys(AREAS).join(', ')}.`);
	mkdirSync(FOLDER, { recursive: true });
	const rows = areas.map(([name, area]) => rowOf(name, area, more));
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
