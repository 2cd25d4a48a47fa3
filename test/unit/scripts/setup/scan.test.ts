import { makeScene, removeScenes } from '../../../support/commands';

afterEach(removeScenes);

/** A scan that finds this in the sources and in the package. */
function scan(
	found: {
		readonly sources?: readonly string[];
		readonly package?: readonly string[];
	},
	documented = 'This is 2 findings in the published JavaScript, 1 of them in the bundled libraries.',
) {
	const scene = makeScene();
	scene.copy('scripts/setup/scan.mjs');
	scene.write('docs/dev/n8n-cloud.md', documented);
	scene.write('package.json', '{ "repository": "somewhere" }');
	scene.write(
		'scanner.mjs',
		`export const SOURCE_FILE_PATTERNS = ['sources'];
		export const analyzePackage = async (folder, [first]) => {
			const rules = ${JSON.stringify(found)}[first === 'sources' ? 'sources' : 'package'] ?? [];
			const findings = rules.map((rule) => '  1:1  error  What is wrong  ' + rule);
			const details = ['/x/dist/lib/vendor/undici.js', ...findings.slice(1), '/x/dist/a.js', ...findings.slice(0, 1)].join('\\n');
			return { passed: rules.length === 0, message: 'Security scan failed', details };
		};`,
	);
	const scanner = 'node_modules/@n8n/scan-community-package/scanner';
	scene.replace(
		'npm',
		`case "$1" in
			install) mkdir -p "$3/${scanner}" && cp scanner.mjs "$3/${scanner}" ;;
			pack) touch "\${2#--pack-destination=}/package.tgz" ;;
		esac`,
	);
	scene.replace('tar');
	return scene.run('node', ['scripts/setup/scan.mjs']);
}
const EXPECTED = '@n8n/community-nodes/no-restricted-globals';

it('passes with nothing found, and with expected findings', () => {
	const nothing = '0 findings in the published JavaScript, 0 of them in the bundled libraries';
	expect(scan({}, nothing).status).toBe(0);
	const { status, output } = scan({ package: [EXPECTED, EXPECTED] });
	expect([status, output]).toEqual([
		0,
		expect.stringContaining('package: 2 findings, all expected') as string,
	]);
});

it('fails if the docs give other numbers, and shows those found', () => {
	const { status, output } = scan({ package: [EXPECTED, EXPECTED] }, '3 findings');
	const found = '2 findings in the published JavaScript, 1 of them in the bundled libraries';
	expect([status, output]).toEqual([1, expect.stringContaining(found) as string]);
});

it.each([
	['next to an expected one', { package: [EXPECTED, '@n8n/community-nodes/no-eval'] }],
	['in the sources that is expected only in the package', { sources: [EXPECTED] }],
])('fails for a finding %s, and shows it', (_where, found) => {
	const { status, output } = scan(found);
	expect(status).toBe(1);
	expect(output).toContain(Object.values(found).flat().at(-1));
});
