/** `.ci/run`: runs every check, and fails with the first that fails. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import packageJson from '../../package.json';
import { makeScene, removeScenes, ROOT } from '../support/commands';

afterEach(removeScenes);

const CONFIG = z
	.object({
		projects: z.array(z.object({ displayName: z.string(), testMatch: z.array(z.string()) })),
	})
	.parse(jest.requireActual('../../jest.config.js'));

/** The calls of npm by the gate, whose command ends with status 3 if it begins like `failing`. */
function gate(failing = 'none') {
	const scene = makeScene();
	scene.copy('.ci');
	for (const tool of ['redis-server', 'openssl', 'chromium', 'apt-get', 'sudo'])
		scene.replace(tool);
	scene.replace('npm', `case "$*" in "${failing}"*) exit 3 ;; esac`);
	const { status } = scene.run('bash', ['.ci/run']);
	return { status, calls: scene.calls().filter((call) => call.startsWith('npm ')) };
}

const ALL = ['npm test', 'npm run scan', 'npm run test:long'];
const named = (calls: readonly string[]) => calls.map((call) => call.split(' -- ')[0]?.trim());

it('runs all tests', () => {
	const { status, calls } = gate();
	expect([status, named(calls)]).toEqual([0, ALL]);
});

it.each([
	['test', 1],
	['run scan', 2],
	['run test:long', 3],
])('fails and stops when `npm %s` fails', (failing, count) => {
	const { status, calls } = gate(failing);
	expect([status, named(calls)]).toEqual([3, ALL.slice(0, count)]);
});

it('leaves out only what the simulation covers, and the burst', () => {
	const [, pattern = ''] = /--testPathIgnorePatterns=(\S+)/.exec(gate().calls.join('\n')) ?? [];
	const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
	const left = tests.filter((file) => RegExp(pattern).test(`/test/${file}`)).sort();
	const names = [
		...['acknowledge', 'backlog', 'burst', 'failedBegin', 'kills', 'listing'],
		...['lostLedger', 'outages', 'replay', 'replaySoon', 'restart'],
	];
	expect(left).toEqual(names.map((name) => `faults/${name}.test.ts`));
});

it('reaches every project of Jest, and the linter with the types', () => {
	const { lint, test, 'test:jest': jest, 'test:long': long } = packageJson.scripts;
	const projects = [jest, long].flatMap((script) =>
		(/--selectProjects ((?:\w+ ?)+)/.exec(script)?.[1] ?? '').trim().split(' '),
	);
	const all = CONFIG.projects.map(({ displayName }) => displayName);
	expect(projects.sort()).toEqual(all.sort());
	expect(test).toMatch(/sideBySide\.mjs lint test:jest --$/);
	expect(lint).toMatch(/ && tsx scripts\/lint\/main\.ts && prettier --check /);
	expect([lint, test, jest, long].join()).not.toMatch(/\|\||;/);
});

it('tries in full what the unit tests try a few cases of', () => {
	const files = readdirSync(join(ROOT, 'test/unit'), { recursive: true, encoding: 'utf8' });
	const tryFew = files.filter(
		(file) =>
			file.endsWith('.test.ts') &&
			/\b(?:casesOf|isThorough)\b.*support\/cases'/.test(
				readFileSync(join(ROOT, 'test/unit', file), 'utf8'),
			),
	);
	const thorough = CONFIG.projects.find(({ displayName }) => displayName === 'thorough');
	const expected = tryFew.map((file) => `<rootDir>/test/unit/${file}`).sort();
	expect(thorough?.testMatch.toSorted()).toEqual(expected);
});

it('begins with the longest files', () => {
	const { LONG } = jest.requireActual<{ readonly LONG: readonly string[] }>(
		'../support/longFirst.cjs',
	);
	const missing = LONG.filter((name) => !existsSync(join(ROOT, 'test', `${name}.test.ts`)));
	expect(missing).toEqual([]);
});
