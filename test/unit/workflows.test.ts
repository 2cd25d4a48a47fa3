/** GitHub's workflows, as texts: rules that keep others from publishing, and that each job tests what it says. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod/v4';

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

it('finds the workflows and their jobs', () => {
	expect(files.sort()).toEqual(['ci.yml', 'newest-n8n.yml', 'publish.yml']);
	expect(Object.keys(jobsOf('ci.yml'))).toEqual(['', 'test', 'oldest-node', 'e2e', 'scan']);
	expect(Object.keys(jobsOf('publish.yml'))).toEqual(['', 'ci', 'test', 'publish']);
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

it('publishes nothing that has not passed all tests, those on a real n8n included', () => {
	const { ci, test = '' } = jobsOf('publish.yml');
	expect(ci).toBe('    uses: ./.github/workflows/ci.yml\n');
	expect(test).toContain('needs: ci\n');
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
