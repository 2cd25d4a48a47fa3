import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeScene, removeScenes } from '../../../support/commands';

afterEach(removeScenes);

const MANIFEST = {
	name: 'n8n-nodes-a',
	...{ version: '0.1.0', author: 'Ann Author <ann@example.com>', repository: 'r' },
	...{ homepage: 'https://example.com', bugs: 'b' },
};

/** A clean clone on `main` that may be released, with a stand-in for npm that sets the version. */
function clone() {
	const scene = makeScene();
	scene.copy('scripts/setup/release.mjs');
	scene.write('package.json', JSON.stringify(MANIFEST));
	scene.write('package-lock.json', '{}');
	scene.write('SECURITY.md', 'Contact: security@example.com\n');
	scene.write(
		'CHANGELOG.md',
		'# Changelog\n\n## [Unreleased]\n\n- News\n\n## [0.1.0] - 2026-01-01\n',
	);
	scene.write('README.md', 'npm install ~/n8n-nodes-a-0.1.0.tgz\n');
	scene.write('credentials/A.credentials.ts', 'class A {\n\tproperties: [];\n}\n');
	scene.replace(
		'npm',
		`if [ "$1" = version ]; then
			echo '{ "version": "'$2'" }' > package.json; echo '{ "new": true }' > package-lock.json
		fi`,
	);
	scene.replace('npx');
	const git = (...args: string[]) =>
		scene
			.run('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args])
			.output.trim();
	const commitAll = () => {
		git('add', '--all');
		git('commit', '--quiet', '--message=All');
	};
	git('init', '--quiet', '--initial-branch=main');
	git('config', 'user.name', 'Ann');
	git('config', 'user.email', 'ann@example.com');
	commitAll();
	const release = (version = '1.2.3') => scene.run('node', ['scripts/setup/release.mjs', version]);
	return { ...scene, git, commitAll, release };
}

it('commits and tags everything that it has changed', () => {
	const { git, release, folder } = clone();
	expect(release()).toMatchObject({ status: 0 });
	expect(git('status', '--short')).toBe('');
	expect(git('describe', '--exact-match')).toBe('v1.2.3');
	expect(git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual([
		...['CHANGELOG.md', 'README.md', 'credentials/A.credentials.ts'],
		...['package-lock.json', 'package.json'],
	]);
	expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain('n8n-nodes-a-1.2.3.tgz');
	const changes = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
	expect(changes).toMatch(/## \[Unreleased\]\n\n## \[1\.2\.3\] - \d{4}-\d\d-\d\d\n\n- News\n/);
});

const unchanged = (scene: ReturnType<typeof clone>, version?: string) => {
	const state = () => [
		scene.git('rev-parse', 'HEAD'),
		scene.git('tag'),
		scene.git('status', '--short'),
	];
	const before = state();
	expect(scene.release(version).status).toBe(1);
	expect(state()).toEqual(before);
	expect(scene.calls()).toEqual([]);
};

it.each(['1.2', '', '0.1.0'])('changes nothing for the version %j', (version) => {
	unchanged(clone(), version);
});

it.each<[string, (scene: ReturnType<typeof clone>) => void]>([
	[
		'changes that are not committed',
		({ write }) => {
			write('new', '');
		},
	],
	['another branch', ({ git }) => void git('switch', '--quiet', '--create', 'other')],
	['a tag that exists', ({ git }) => void git('tag', 'v1.2.3')],
	[
		'nothing under Unreleased',
		({ write, commitAll }) => {
			write('CHANGELOG.md', '## [Unreleased]\n\n## [0.1.0]\n\n- Old\n');
			commitAll();
		},
	],
	[
		'no email of the author',
		({ write, commitAll }) => {
			write('package.json', JSON.stringify({ ...MANIFEST, author: 'Ann' }));
			commitAll();
		},
	],
])('changes nothing with %s', (_what, prepare) => {
	const scene = clone();
	prepare(scene);
	unchanged(scene);
});
