/**
 * `npm run scan`: n8n's community-package scan, on these sources and on the packed package. Its own command only accepts
 * packages on the registry with provenance; the function behind it accepts a folder.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SCAN = '@n8n/scan-community-package';
const VERSION = '0.32.0';

/** The publisher is not decided yet: `npm run release` requires these fields and fills in the repository. */
const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const NOT_YET = repository
  ? []
  : [
      '@n8n/community-nodes/valid-author',
      'n8n-nodes-base/community-package-json-author-missing',
      'n8n-nodes-base/cred-class-field-documentation-url-missing',
    ];

/** Expected findings, and why each one stays. Any other finding fails the scan. */
const EXPECTED = {
  sources: [
    ...NOT_YET,
    // The defaults are spread into the parameter from a place that all nodes share.
    'n8n-nodes-base/node-param-default-missing',
    // The poll trigger's `limit` counts events per request, not results.
    'n8n-nodes-base/node-param-default-wrong-for-limit',
    'n8n-nodes-base/node-param-description-wrong-for-limit',
  ],
  package: [
    ...NOT_YET,
    // Files, sockets and the environment: docs/dev/n8n-cloud.md explains their use.
    '@n8n/community-nodes/no-restricted-imports',
    '@n8n/community-nodes/no-restricted-globals',
    // In the bundle of undici.
    'no-console',
  ],
};

/** ESLint's output has the path of a file, then a line for each finding, whose last word is the rule. */
function findingsIn(details) {
  let file = '';
  return details.split('\n').flatMap((line) => {
    if (/^\S/.test(line)) file = line;
    const rule = /^ +\d+:\d+ +error .* (\S+)$/.exec(line)?.[1];
    return rule === undefined ? [] : [{ file, rule }];
  });
}

/** docs/dev/n8n-cloud.md gives users the numbers of findings. */
function checkDocs(findings) {
  const inCode = findings.filter(({ file }) => file.endsWith('.js'));
  const inLibraries = inCode.filter(({ file }) =>
    /\/lib\/vendor\/(undici|ioredis)\.js$/.test(file),
  );
  const text = `${inCode.length} findings in the published JavaScript, ${inLibraries.length} of them in the bundled libraries`;
  if (readFileSync('docs/dev/n8n-cloud.md', 'utf8').includes(text)) return;
  console.log(`docs/dev/n8n-cloud.md does not say: ${text}`);
  process.exitCode = 1;
}

const folder = mkdtempSync(join(tmpdir(), 'asset-service-scan-'));
const at = (...names) => join(folder, ...names);
try {
  const npm = (...args) =>
    execFileSync('npm', [...args, '--loglevel=error'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      // There npm is a script, which only a shell starts.
      shell: process.platform === 'win32',
    });
  writeFileSync(at('package.json'), '{ "private": true }');
  // One of its dependencies has an install script that asks for another package manager.
  npm('install', '--prefix', folder, '--ignore-scripts', '--no-audit', `${SCAN}@${VERSION}`);
  npm('pack', `--pack-destination=${folder}`);
  const [tgz] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(at('unpacked'));
  execFileSync('tar', ['-xzf', at(tgz), '-C', at('unpacked'), '--strip-components=1']);

  const scanner = at('node_modules', SCAN, 'scanner', 'scanner.mjs');
  const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(pathToFileURL(scanner).href);
  const scan = async (what, where, patterns) => {
    const { passed, message, details } = await analyzePackage(where, patterns);
    const findings = findingsIn(details ?? '');
    const isRight =
      passed ||
      (findings.length > 0 && findings.every(({ rule }) => EXPECTED[what].includes(rule)));
    console.log(`${what}: ${findings.length} findings, ${isRight ? 'all expected' : message}`);
    if (!isRight) {
      console.log(details);
      process.exitCode = 1;
    }
    return findings;
  };
  await scan('sources', process.cwd(), SOURCE_FILE_PATTERNS);
  checkDocs(await scan('package', at('unpacked'), ['**/*.js', 'package.json']));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
