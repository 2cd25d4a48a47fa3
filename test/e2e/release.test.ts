/** A release up to the step that needs the registry, in a separate checkout with a remote that is never contacted. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { type Checkout, makeCheckout } from '../support/checkout';

const MINUTES = 60_000;
jest.setTimeout(5 * MINUTES);

const VERSION = '99.0.0';
const ADDRESS = 'https://github.com/example/n8n-nodes-asset-service';
/** Nothing listens there, so a release that contacts the registry would fail. */
const NO_REGISTRY = ['--registry=http://127.0.0.1:9/', '--fetch-retries=0'];

let checkout: Checkout;

beforeEach(() => {
	checkout = makeCheckout();
});
afterEach(() => {
	checkout.remove();
});

const read = (file: string): string => readFileSync(join(checkout.folder, file), 'utf8');
const release = (version = VERSION) =>
	checkout.run('node', join('scripts', 'setup', 'release.mjs'), version);
const git = (...args: readonly string[]): string => checkout.run('git', ...args).output.trim();
const state = (): string => [git('rev-parse', 'HEAD'), git('tag'), git('status', '-s')].join('\n');

/** Fields that only a person can decide. */
function decide(): void {
	checkout.run('npm', 'pkg', 'set', 'author.name=Ann Author', 'author.email=ann@example.com');
	const security = read('SECURITY.md').replace(/^Contact: .*$/m, 'Contact: security@example.com');
	writeFileSync(join(checkout.folder, 'SECURITY.md'), security);
	git('commit', '--quiet', '--all', '--message=Say who publishes');
}

it('stops without a remote, lists the fields to fill, and changes nothing', () => {
	const before = state();
	const { status, output } = release();
	expect(status).toBe(1);
	expect([...output.matchAll(/^- ([\w ]+):/gm)].map(([, field]) => field)).toEqual([
		...['repository', 'homepage', 'bugs', 'author', 'security contact'],
	]);
	expect(state()).toBe(before);
});

it.each([
	['a remote elsewhere', 'https://git.example.com/example/n8n-nodes-asset-service.git'],
	['a remote that only looks like GitHub', 'https://github.com.example.com/example/x.git'],
	['a folder', '/srv/git/n8n-nodes-asset-service'],
])('asks for the addresses with %s', (_, url) => {
	decide();
	git('remote', 'add', 'origin', url);
	const before = state();
	const { status, output } = release();
	expect([status, output.match(/^- /gm)?.length]).toEqual([1, 3]);
	expect(state()).toBe(before);
});

it.each([
	['a version that is there already', () => undefined, 'already'],
	['another branch', () => git('switch', '--quiet', '--create', 'other'), 'branch main'],
	[
		'changes that are not committed',
		() => {
			writeFileSync(join(checkout.folder, 'LICENSE'), '');
		},
		'Commit or remove',
	],
])('refuses %s, and changes nothing', (title, prepare, message) => {
	decide();
	git('remote', 'add', 'origin', ADDRESS);
	prepare();
	const before = state();
	const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));
	const { status, output } = release(title.includes('version') ? version : VERSION);
	expect([status, output]).toEqual([1, expect.stringContaining(message)]);
	expect(state()).toBe(before);
});

it.each([
	['https', `${ADDRESS}.git`],
	['https with a token', 'https://ann:s3cret@github.com/example/n8n-nodes-asset-service'],
	['ssh', 'ssh://git@github.com/example/n8n-nodes-asset-service.git'],
	['the short form of ssh', 'git@github.com:example/n8n-nodes-asset-service.git'],
])('takes the addresses from a remote by %s', (_, url) => {
	decide();
	git('remote', 'add', 'origin', url);
	expect(release()).toMatchObject({ status: 0 });
	expect(JSON.parse(read('package.json'))).toMatchObject({
		version: VERSION,
		repository: { type: 'git', url: `git+${ADDRESS}.git` },
		homepage: `${ADDRESS}#readme`,
		bugs: { url: `${ADDRESS}/issues` },
		author: { name: 'Ann Author', email: 'ann@example.com' },
	});
});

it('commits and tags what `npm publish` accepts, as far as possible without the registry', () => {
	decide();
	git('remote', 'add', 'origin', `${ADDRESS}.git`);
	const notes = read('CHANGELOG.md').split('## [')[1]?.replace('Unreleased]', '').trim() ?? '';

	expect(release()).toMatchObject({ status: 0 });

	expect(git('log', '-1', '--format=%s')).toBe(`Release ${VERSION}`);
	expect(git('rev-list', '-1', `v${VERSION}`)).toBe(git('rev-parse', 'HEAD'));
	expect(git('cat-file', '-t', `v${VERSION}`)).toBe('tag');
	expect(git('status', '--short')).toBe('');
	expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version: VERSION });
	const [, , section = ''] = read('CHANGELOG.md').split('## [');
	expect(section).toMatch(new RegExp(`^${VERSION}\\] - \\d{4}-\\d\\d-\\d\\d\n`));
	expect(section.replace(/^.*/, '').trim()).toBe(notes);

	// n8n's rules for published packages, including the two that need a URL.
	const files = git('show', '--format=', '--name-only', 'HEAD').split('\n');
	const format = ['prettier', '--check', '--ignore-unknown', ...files];
	expect(checkout.run('npx', ...format)).toMatchObject({ status: 0 });
	for (const file of ['README.md', 'examples/docker/Dockerfile'])
		expect(read(file)).toContain(`n8n-nodes-asset-service-${VERSION}.tgz`);
	const credentials = files.filter((file) => file.endsWith('.credentials.ts'));
	expect(credentials).toHaveLength(2);
	for (const file of credentials) expect(read(file)).toContain(`'${ADDRESS}#readme'`);
	const lint = ['eslint', '--max-warnings=0', 'package.json', ...credentials];
	expect(checkout.run('npx', ...lint)).toMatchObject({ status: 0 });

	const publish = checkout.run('npm', 'publish', '--dry-run', '--access=public', ...NO_REGISTRY);
	expect(publish.output).toContain(`+ n8n-nodes-asset-service@${VERSION}`);
	expect(publish.status).toBe(0);
	expect(publish.output).toContain('dist/nodes/AssetService/AssetService.node.js');
});
