/** Makes a release: the version in package.json and package-lock.json, its section in the changelog, a commit and a tag. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' }).trim();
const fail = (message) => {
  console.error(message);
  process.exit(1);
};

const [version] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(version ?? ''))
  fail('Say which version: npm run release -- 1.2.3');
if (run('git', 'status', '--porcelain') !== '') fail('Commit or remove your changes first.');
if (run('git', 'tag', '--list', `v${version}`) !== '')
  fail(`The tag v${version} is there already.`);

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const today = new Date().toISOString().slice(0, 10);
const [, unreleased = ''] = /^## \[Unreleased\]\n([\s\S]*?)(?=^## \[)/m.exec(changelog) ?? [];
if (unreleased.trim() === '') fail('CHANGELOG.md has nothing under "## [Unreleased]".');
writeFileSync(
  'CHANGELOG.md',
  changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${today}\n`),
);
run('npm', 'version', version, '--no-git-tag-version');
run('git', 'add', 'CHANGELOG.md', 'package.json', 'package-lock.json');
run('git', 'commit', '--quiet', '--message', `Release ${version}`);
run('git', 'tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
console.log(`Version ${version} is ready. Publish it: git push --follow-tags`);
