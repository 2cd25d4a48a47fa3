/** Creates a release: sets the version in package.json and package-lock.json, dates its section in the changelog, commits and tags. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';

/** https (with or without credentials), ssh and the short form of ssh. */
const GITHUB =
  /^(?:https:\/\/(?:[^@/]+@)?github\.com\/|ssh:\/\/git@github\.com\/|git@github\.com:)([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/;

const run = (command, ...args) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    // On Windows, npm is a script, which only a shell starts.
    shell: command === 'npm' && process.platform === 'win32',
  }).trim();
const fail = (message) => {
  console.error(message);
  process.exit(1);
};

const [version] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(version ?? ''))
  fail('Enter the version: npm run release -- 1.2.3');
if (run('git', 'status', '--porcelain') !== '') fail('Commit or remove your changes first.');
if (run('git', 'branch', '--show-current') !== 'main') fail('Switch to the branch main first.');
if (run('git', 'tag', '--list', `v${version}`) !== '') fail(`The tag v${version} already exists.`);

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const today = new Date().toISOString().slice(0, 10);
const [, unreleased = ''] =
  /^## \[Unreleased\]\n([\s\S]*?)(?=^## \[|(?![\s\S]))/m.exec(changelog) ?? [];
if (unreleased.trim() === '') fail('CHANGELOG.md has nothing under "## [Unreleased]".');

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
if (manifest.version === version) fail(`package.json already has the version ${version}.`);

const remotes = run('git', 'remote').split('\n');
const remote = remotes.length === 1 ? remotes[0] : 'origin';
const url = remotes.includes(remote) && remote ? run('git', 'remote', 'get-url', remote) : '';
const [, owner, name] = GITHUB.exec(url) ?? [];
const address = `https://github.com/${owner}/${name}`;
const ofRemote = {
  repository: ['repository.type=git', `repository.url=git+${address}.git`],
  homepage: [`homepage=${address}#readme`],
  bugs: [`bugs.url=${address}/issues`],
};
const absent = Object.keys(ofRemote).filter((field) => !manifest[field]);

const { author = '' } = manifest;
const person = typeof author === 'string' ? author : `${author.name ?? ''} <${author.email ?? ''}>`;
const [, contact = ''] = /^Contact: (.*)$/m.exec(readFileSync('SECURITY.md', 'utf8')) ?? [];
const missing = [
  ...(owner ? [] : absent.map((field) => `${field}: in package.json, or by a remote on GitHub`)),
  ...(/^\S.*<\S+@\S+>/.test(person) ? [] : ['author: in package.json, with name and email']),
  ...(/\S@\S|https:\/\/\S/.test(contact)
    ? []
    : ['security contact: in SECURITY.md, an email address or https URL after "Contact:"']),
];
if (missing.length > 0)
  fail(`Fill in and commit these fields first:\n${missing.map((each) => `- ${each}`).join('\n')}`);

run('npm', 'version', version, '--no-git-tag-version');
const filled = absent.flatMap((field) => ofRemote[field]);
if (filled.length > 0) run('npm', 'pkg', 'set', ...filled);
linkHelp(manifest.homepage ?? `${address}#readme`);
const named = nameFile(manifest);
writeFileSync(
  'CHANGELOG.md',
  changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${today}\n`),
);
run('git', 'add', ...named, 'CHANGELOG.md', 'package.json', 'package-lock.json', 'credentials');
run('git', 'commit', '--quiet', '--message', `Release ${version}`);
run('git', 'tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
console.log(
  `Version ${version} is ready. Publish it: git push --follow-tags ${remote || 'origin'} main`,
);

/** Puts the new version into the name of the packed file where it is installed. Returns the files that it changed. */
function nameFile({ name, version: before }) {
  const files = ['README.md', 'examples/docker/Dockerfile'].filter((file) => existsSync(file));
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(`${name}-${before}.tgz`, `${name}-${version}.tgz`));
  }
  return files;
}

/** Adds the help link to each credential without one. For nodes, n8n finds it by the name of the package. */
function linkHelp(homepage) {
  const files = readdirSync('credentials')
    .filter((name) => name.endsWith('.credentials.ts'))
    .map((name) => `credentials/${name}`);
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    if (/^\tdocumentationUrl =/m.test(source)) continue;
    const link = `\tdocumentationUrl = '${homepage}';\n\n`;
    writeFileSync(file, source.replace(/^(?=\tproperties:)/m, link));
  }
  run('npx', '--no-install', 'prettier', '--write', ...files);
}
