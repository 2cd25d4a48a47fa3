import { mkdirSync, renameSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { makeScene, removeScenes } from '../../../support/commands';

afterEach(removeScenes);

/** A clone whose lock file is an hour old. */
function clone() {
	const scene = makeScene();
	scene.copy('scripts/setup/ensureInstalled.mjs');
	scene.write('package-lock.json', '{}');
	scene.write('package.json', '{ "devDependencies": { "node": "24.21.0" } }');
	scene.replace('npm', 'exit ${NPM_STATUS:-0}');
	const age = (file: string, hours: number) => {
		const at = Date.now() / 1000 - hours * 3600;
		utimesSync(join(scene.folder, file), at, at);
	};
	age('package-lock.json', 1);
	const install = (hours: number) => {
		scene.write('node_modules/.package-lock.json', '{}');
		age('node_modules/.package-lock.json', hours);
	};
	const ensure = (environment = {}) =>
		scene.run('node', ['scripts/setup/ensureInstalled.mjs'], environment);
	return { ...scene, install, ensure };
}
const CI = expect.stringMatching(/^npm ci --include=dev /) as string;

it('installs in a fresh clone, and where the lock file is newer', () => {
	const { ensure, calls, install } = clone();
	expect(ensure().status).toBe(0);
	expect(calls()).toEqual([CI]);
	install(2);
	ensure();
	expect(calls()).toEqual([CI, CI]);
});

it('installs nothing that is there', () => {
	const { ensure, calls, install } = clone();
	install(0);
	expect(ensure()).toEqual({ status: 0, output: '' });
	expect(calls()).toEqual([]);
});

it('leaves the installation of another checkout as it is', () => {
	const { ensure, calls, install, folder } = clone();
	install(2);
	renameSync(join(folder, 'node_modules'), join(folder, 'elsewhere'));
	symlinkSync(join(folder, 'elsewhere'), join(folder, 'node_modules'), 'junction');
	expect(ensure().status).toBe(0);
	expect(calls()).toEqual([]);
});

it('fails if the installation fails', () => {
	const { ensure, folder } = clone();
	mkdirSync(join(folder, 'node_modules'));
	const { status, output } = ensure({ NPM_STATUS: '7' });
	expect([status, output]).toEqual([7, expect.stringContaining('npm ci failed') as string]);
});

describe('on a system without glibc, where the Node of the registry does not run', () => {
	const onMusl = (version: string) => {
		const scene = clone();
		scene.write(
			'musl.cjs',
			`process.report.getReport = () => ({ header: {} });
			Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`,
		);
		const result = scene.ensure({ NODE_OPTIONS: `--require ${join(scene.folder, 'musl.cjs')}` });
		return { ...result, calls: scene.calls() };
	};

	it('leaves it out if the own one is new enough', () => {
		const { status, calls } = onMusl('24.3.0');
		expect([status, calls]).toEqual([0, [expect.stringMatching(/^npm ci .* --ignore-scripts$/)]]);
	});

	it('says which one is needed otherwise, and installs nothing', () => {
		const { status, calls, output } = onMusl('22.16.0');
		expect([status, calls]).toEqual([1, []]);
		expect(output).toContain('Node 24 or newer is required on this system');
	});
});
