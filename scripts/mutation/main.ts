/**
 * Makes small changes to the code, one at a time, and counts those that the tests notice: `npm run test:mutation`, or
 * `npm run test:mutation -- station` (one area), followed by any options of Stryker. `--sample 80` tries only so many per folder:
 * minutes in place of hours.
 */
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

/** Of a folder, or of a whole area. */
interface Count {
	readonly killed: number;
	readonly survived: number;
	/** Those left out of the sample too. */
	readonly mutants: number;
}

/** `sampleSize`: how many mutants to try per folder; undefined for all. */
function optionsOf(name: string, { mutate, tests }: Area, sampleSize: number | undefined) {
	const hasTexts = mutate.some((folder) => DESCRIPTIONS.test(folder));
	const plugins = [
		...(hasTexts ? [join(__dirname, 'screenText.mjs')] : []),
		...(sampleSize === undefined ? [] : [join(__dirname, 'sample.mjs')]),
	];
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
		plugins: ['@stryker-mutator/*', ...plugins],
		...(hasTexts && { ignorers: ['screen-text'] }),
		...(sampleSize !== undefined && { checkers: ['sample'], sampleSize }),
		tempDirName: join(FOLDER, 'sandbox'),
		cleanTempDir: 'always',
		reporters: ['progress', 'clear-text', 'html', 'json'],
		clearTextReporter: { allowEmojis: false, reportTests: false, reportScoreTable: false },
		htmlReporter: { fileName: join(FOLDER, `${name}.html`) },
		jsonReporter: { fileName: join(FOLDER, `${name}.json`) },
	};
}

/** Results for the mutants of an area, by folder. */
function mutantsOf(
	name: string,
	options: ReturnType<typeof optionsOf>,
	more: readonly string[],
): Map<string, Count> {
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
	const folders = new Map<string, Count>();
	for (const [file, { mutants }] of Object.entries(files)) {
		const folder = dirname(file);
		const before = folders.get(folder) ?? { killed: 0, survived: 0, mutants: 0 };
		const count = (...wanted: string[]) =>
			mutants.filter((each) => wanted.includes(each.status)).length;
		folders.set(folder, {
			killed: before.killed + count('Killed', 'Timeout'),
			survived: before.survived + count('Survived', 'NoCoverage'),
			mutants: before.mutants + mutants.length - count('Ignored'),
		});
	}
	return folders;
}

/** How many percent of the mutants of the folders are killed, and how far off that may be with a certainty of 95 %. */
function scoreOf(folders: readonly Count[]) {
	const all = folders.reduce((sum, { mutants }) => sum + mutants, 0);
	let percent = 0;
	let variance = 0;
	for (const { killed, survived, mutants } of folders) {
		const tried = killed + survived;
		if (tried === 0) continue;
		const weight = mutants / all;
		percent += (100 * weight * killed) / tried;
		// Agresti and Coull: with two more killed and two more that survived, it holds near 100 % too.
		const share = (killed + 2) / (tried + 4);
		const left = (mutants - tried) / Math.max(1, mutants - 1);
		variance += (weight ** 2 * share * (1 - share) * left) / (tried + 4);
	}
	return { percent, margin: 196 * Math.sqrt(variance) };
}

function rowOf(name: string, folders: readonly Count[]) {
	const sum = (of: keyof Count) => folders.reduce((total, each) => total + each[of], 0);
	const { percent, margin } = scoreOf(folders);
	return {
		name,
		...{ mutants: sum('mutants'), killed: sum('killed'), survived: sum('survived') },
		score: `${percent.toFixed(1)} %`,
		...(margin > 0 && { 'give or take': margin.toFixed(1) }),
		enough: percent >= LEAST_KILLED,
	};
}

function main(): void {
	const [only, ...more] = process.argv.slice(2);
	const place = more.indexOf('--sample');
	const [, size] = place < 0 ? [] : more.splice(place, 2);
	const sampleSize = size === undefined ? undefined : Number(size);
	const areas = Object.entries(AREAS).filter(
		([name, { mutate }]) => (only ?? name) === name && present(mutate).length > 0,
	);
	if (areas.length === 0) throw new Error(`Enter one of ${Object.keys(AREAS).join(', ')}.`);
	mkdirSync(FOLDER, { recursive: true });
	const rows = areas.flatMap(([name, area]) => {
		const folders = mutantsOf(name, optionsOf(name, area, sampleSize), more);
		const parts = [...folders].map(([folder, count]) => rowOf(folder, [count]));
		return [...(parts.length > 1 ? parts : []), rowOf(name, [...folders.values()])];
	});
	console.table(rows);
	const isEnough = rows.every(({ name, enough }) => enough || !(name in AREAS));
	if (!isEnough) {
		throw new Error(`Below ${LEAST_KILLED} %. See ${FOLDER} for the surviving mutants.`);
	}
}

try {
	main();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
