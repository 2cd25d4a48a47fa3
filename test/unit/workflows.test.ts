/** GitHub's workflows, as texts: rules that keep others from publishing, and that each job tests what it says. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod/v4';
import packageJson from '../../package.json';
import { makeScene, removeScenes } from '../support/commands';

afterEach(removeScenes);

const ROOT = resolve(__dirname, '..', '..');
const FOLDER = join(ROOT, '.github', 'workflows');

const workflow = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const files = readdirSync(FOLDER);

/** The text of each job by its name; what stands above them is under the empty name. */
function jobsOf(file: string): Readonly<Record<string, string>> {
	const [head = '', body = ''] = workflow(file).split(/^jobs:\n/m);
	const [, ...parts] = body.split(/^ {2}([\w-]+):\n/m);
	const jobs = new Map([['', head]]);
	for (let at = 0; at + 1 < parts.length; at += 2) jobs.set(parts[at] ?? '', parts[at + 1] ?? '');
	return Object.fromEntries(jobs);
}

/** The commands of a job, each with its lines. */
function commandsOf(text: string): string[] {
	const steps = [...text.matchAll(/^( *)(?:- )?run: (?:\|\n((?:\1 +.*\n?)+)|(.*))/gm)];
	return steps.map(([, , block, line]) => (block ?? line ?? '').trim());
}

/** What starts a workflow. */
function triggersOf(file: string): string[] {
	const [, triggers = ''] = /^on:\n((?: .*\n)+)/m.exec(workflow(file)) ?? [];
	return [...triggers.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name);
}

it('finds the workflows and their jobs', () => {
	expect(files.sort()).toEqual([...['ci.yml', 'newest-n8n.yml', 'nightly.yml', 'publish.yml']]);
	expect(Object.keys(jobsOf('ci.yml'))).toEqual(['', 'test', 'oldest-node', 'e2e', 'scan']);
	expect(Object.keys(jobsOf('publish.yml'))).toEqual([
		...['', 'ci', 'simulation', 'test', 'publish'],
	]);
});

describe.each(files)('%s', (file) => {
	it('pins each action by the SHA of a commit, with its version next to it', () => {
		const uses = [...workflow(file).matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action]) => action);
		expect(uses.length).toBeGreaterThan(1);
		for (const action of uses)
			expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
	});

	it('may only read, except for the job that publishes', () => {
		const writers = Object.entries(jobsOf(file)).filter(([, text]) => text.includes(': write'));
		expect(writers.map(([name]) => name)).toEqual(file === 'publish.yml' ? ['publish'] : []);
		expect(jobsOf(file)['']).toContain('permissions:\n  contents: read\n');
	});
});

it('publishes nothing that has not passed all tests, those on a real n8n and 10,000 seeds included', () => {
	const { ci, simulation, test = '' } = jobsOf('publish.yml');
	expect(ci).toBe('    uses: ./.github/workflows/ci.yml\n');
	expect(simulation).toContain('run: npm run simulate -- --seeds 10000\n');
	expect(simulation).toContain('run: npm run simulate -- --redis --seeds 1000\n');
	expect(test).toContain('needs: [ci, simulation]\n');
	expect(workflow('ci.yml')).toContain('workflow_call:\n');
	expect(jobsOf('ci.yml')['e2e']).toContain('run: .ci/run\n');
});

it('runs the end-to-end tests where a small disk can be mounted and PostgreSQL 15 can be installed', () => {
	const { e2e } = jobsOf('ci.yml');
	expect(e2e).toContain('image: debian:12\n      options: --privileged\n');
});

it('publishes the tested file only, from a protected environment, without a cache or code of others', () => {
	const { publish = '', test = '' } = jobsOf('publish.yml');
	expect(publish).toContain('needs: test\n');
	expect(publish).toContain('environment: npm\n');
	expect(publish).toContain('id-token: write\n');
	expect(publish).toContain('git merge-base --is-ancestor HEAD origin/main');
	// Files that the test job restores would also end up in the package.
	for (const job of [test, publish]) {
		expect(job).not.toMatch(/(^|\s)cache:/);
		expect(job).toContain('package-manager-cache: false');
	}
	expect(publish.match(/^ +(- run: )?(npm|npx|node) .*/gm)?.map((line) => line.trim())).toEqual([
		'npm publish ./*.tgz --provenance --access public --tag "$tag"',
	]);
});

it('tests on the oldest Node that package.json allows, and not on that of node_modules', () => {
	const Manifest = z.object({ engines: z.object({ node: z.string() }) });
	const { engines } = Manifest.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
	const oldest = jobsOf('ci.yml')['oldest-node'] ?? '';
	expect(oldest).toContain(`node-version: '${engines.node.replace('>=', '')}.0'`);
	const commands = [...oldest.matchAll(/run: (.*)/g)].map(([, command]) => command);
	expect(commands).toEqual([
		'npm ci',
		'node node_modules/jest/bin/jest.js --selectProjects unit integration',
	]);
});

it('starts for each change, each week and each tag', () => {
	expect(triggersOf('ci.yml')).toEqual(['push', 'pull_request', 'workflow_call']);
	expect(triggersOf('nightly.yml')).toEqual(['schedule', 'workflow_dispatch']);
	expect(triggersOf('newest-n8n.yml')).toEqual(['schedule', 'workflow_dispatch']);
	expect(triggersOf('publish.yml')).toEqual(['push']);
	const [, cron = ''] = /cron: '(.*)'/.exec(workflow('newest-n8n.yml')) ?? [];
	expect(cron).toMatch(/^\d+ \d+ \* \* (?:\d|\*)$/);
});

it.each(files)('%s hides no failure, and calls only scripts that there are', (file) => {
	expect(workflow(file)).not.toMatch(/\|\||continue-on-error|^ +(?:- )?if:/m);
	const commands = Object.values(jobsOf(file)).flatMap(commandsOf);
	expect(commands.length).toBeGreaterThan(0);
	const called = commands.flatMap((command) => [...command.matchAll(/npm run ([\w:]+)/g)]);
	for (const [, script] of called) expect(packageJson.scripts).toHaveProperty([script ?? '']);
});

it('tries more histories of stations each night than on each push, by the variable that each test reads', () => {
	const commands = commandsOf(jobsOf('nightly.yml')['stations'] ?? '').slice(1);
	const tried = commands.flatMap((command) => {
		const [, variable = '', count = ''] = /^(\w+)=(\d+) npx jest /.exec(command) ?? [];
		return [...command.matchAll(/test\/\S+/g)].map(([path]) => {
			const text = readFileSync(join(ROOT, path), 'utf8');
			const [, own] = RegExp(`\\['${variable}'\\] \\?\\? (\\d+)\\)`).exec(text) ?? [];
			const [, all, named = 'RUNS'] = /\ball: (\d+)(?:, variable: '(\w+)')?/.exec(text) ?? [];
			const fewer = own ?? (named === variable ? all : undefined) ?? NaN;
			return [basename(path, '.test.ts'), Number(count) / Number(fewer) >= 5];
		});
	});
	const names = [
		...['anyOrder', 'fieldHistories', 'asReported', 'folds', 'sessionsAnyOrder', 'uptimeTruth'],
	];
	expect(tried).toEqual(names.map((name) => [name, true]));
});

/** Runs the command of a job that has this text, as GitHub does. */
function runStep(
	[file, job, text]: readonly [file: string, job: string, text: string],
	{
		replaced = {},
		environment = {},
	}: {
		readonly replaced?: Readonly<Record<string, string>>;
		readonly environment?: Readonly<Record<string, string>>;
	},
) {
	const command = commandsOf(jobsOf(file)[job] ?? '').find((each) => each.includes(text)) ?? '';
	expect(command).not.toBe('');
	const scene = makeScene();
	for (const [name, script] of Object.entries(replaced)) scene.replace(name, script);
	scene.write('package.json', '{ "version": "1.2.3" }');
	return { ...scene.run('bash', ['-e', '-c', command], environment), calls: scene.calls() };
}

it.each([
	['v1.2.3', 'latest'],
	['v1.2.3-beta.1', 'next'],
])('publishes %s as %s, with provenance', (GITHUB_REF_NAME, tag) => {
	const replaced = { npm: '' };
	const step = ['publish.yml', 'publish', 'npm publish'] as const;
	const { status, calls } = runStep(step, { replaced, environment: { GITHUB_REF_NAME } });
	expect([status, calls]).toEqual([
		0,
		[`npm publish ./*.tgz --provenance --access public --tag ${tag}`],
	]);
});

it.each([
	['v1.2.3', 0],
	['v1.2.4', 1],
	['1.2.3', 1],
])('checks that the tag %s is the version 1.2.3', (GITHUB_REF_NAME, expected) => {
	const step = ['publish.yml', 'test', 'GITHUB_REF_NAME'] as const;
	expect(runStep(step, { environment: { GITHUB_REF_NAME } }).status).toBe(expected);
});

it('hands over a package only if there is one', () => {
	expect(jobsOf('publish.yml')['test']).toContain(
		"path: '*.tgz'\n          if-no-files-found: error\n",
	);
});

it.each([
	['2.45.0', '2.41.1', 0],
	['3.0.0', '2.41.1', 1],
])('with an image of n8n %s and %s on npm, the weekly test ends with %s', (image, npm, status) => {
	const replaced = { docker: `echo ${image}`, npm: `echo ${npm}` };
	const step = ['newest-n8n.yml', 'main-job', 'docker'] as const;
	expect(runStep(step, { replaced }).status).toBe(status);
});

it('the weekly test runs the main scenario on the version that npm has', () => {
	const replaced = { npm: 'echo 2.45.0' };
	const { calls } = runStep(['newest-n8n.yml', 'main-job', 'test:versions'], { replaced });
	expect(calls).toEqual(['npm view n8n version', 'npm run test:versions -- 2.45.0']);
});
