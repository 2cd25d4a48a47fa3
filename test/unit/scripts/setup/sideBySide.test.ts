/** `scripts/setup/sideBySide.mjs`, which `npm test` runs: all scripts to their end, and one that fails is enough. */
import { getPriority } from 'node:os';
import { makeScene, removeScenes } from '../../../support/commands';

afterEach(removeScenes);

function sideBySide(failing: string, ...args: string[]) {
	const scene = makeScene();
	scene.copy('scripts/setup/sideBySide.mjs');
	scene.replace('npm', `case "$*" in *"${failing}") exit 3 ;; esac`);
	const { status, output } = scene.run(process.execPath, ['scripts/setup/sideBySide.mjs', ...args]);
	return { status, output: output.trim(), calls: scene.calls().toSorted() };
}

const CALLS = ['npm run --silent lint', 'npm run --silent types'];

it('runs all scripts, with the further arguments for the last one', () => {
	expect(sideBySide('none', 'lint', 'types')).toEqual({ status: 0, output: '', calls: CALLS });
	const { calls } = sideBySide('none', 'lint', 'types', '--', 'a', 'b');
	expect(calls).toEqual(['npm run --silent lint', 'npm run --silent types -- a b']);
});

it('gives way to the others with the last one, which uses all cores', () => {
	const scene = makeScene();
	scene.copy('scripts/setup/sideBySide.mjs');
	scene.replace('npm', 'sleep 0.2; echo "$3 $(nice)"');
	const { output } = scene.run(process.execPath, ['scripts/setup/sideBySide.mjs', 'lint', 'jest']);
	expect(output.trim().split('\n').sort()).toEqual([
		`jest ${Math.min(19, getPriority() + 5)}`,
		`lint ${getPriority()}`,
	]);
});

it.each(['lint', 'types'])('fails if %s fails, after the other one', (name) => {
	const output = `Failed: ${name}.`;
	expect(sideBySide(name, 'lint', 'types')).toEqual({ status: 1, output, calls: CALLS });
});
