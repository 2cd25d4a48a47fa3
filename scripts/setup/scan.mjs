/**
 * `npm run scan`: n8n's community-package scan, on these sources and on the packed package. Its own command takes only
 * what is on the registry with provenance; the function behind it takes a folder.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SCAN = '@n8n/scan-community-package';
const VERSION = '0.32.0';

/** Nobody has decided who publishes the package: `npm run release` asks for these, and fills in the repository. */
const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const NOT_YET = repository
  ? []
  : [
      '@n8n/community-nodes/valid-author',
      'n8n-nodes-base/community-package-json-author-missing',
      'n8n-nodes-base/cred-class-field-documentation-url-missing',
    ];

/** What the scan is expected to find, and why each finding stays. Anything else fails. */
const EXPECTED = {
  sources: [
    ...NOT_YET,
    // The defaults are spread into the parameter from where all the nodes share them.
    'n8n-nodes-base/node-param-default-missing',
    // The poll trigger's `limit` counts events per request, not results.
    'n8n-nodes-base/node-param-default-wrong-for-limit',
    'n8n-nodes-base/node-param-description-wrong-for-limit',
  ],
  package: [
    ...NOT_YET,
    // Files, sockets and the environment: docs/n8n-cloud.md says what they are for.
    '@n8n/community-nodes/no-restricted-imports',
    '@n8n/community-nodes/no-restricted-globals',
    // In the bundle of undici.
    'no-console',
  ],
};

const folder = mkdtempSync(join(tmpdir(), 'asset-service-scan-'));
const at = (...names) => join(folder, ...names);
try {
  const npm = (...args) =>
    execFileSync('npm', [...args, '--loglevel=error'], { stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(at('package.json'), '{ "private": true }');
  // One of its parts has an install script that asks for another package manager.
  npm('install', '--prefix', folder, '--ignore-scripts', '--no-audit', `${SCAN}@${VERSION}`);
  npm('pack', `--pack-destination=${folder}`);
  const [tgz] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(at('unpacked'));
  execFileSync('tar', ['-xzf', at(tgz), '-C', at('unpacked'), '--strip-components=1']);

  const scanner = at('node_modules', SCAN, 'scanner', 'scanner.mjs');
  const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(pathToFileURL(scanner).href);
  const scan = async (what, where, patterns) => {
    const { passed, message, details } = await analyzePackage(where, patterns);
    // The last word of ESLint's lines with a finding.
    const rules = [...(details ?? '').matchAll(/^ +\d+:\d+ +error .* (\S+)$/gm)].map(
      ([, rule]) => rule,
    );
    const isRight = passed || (rules.length > 0 && rules.every((r) => EXPECTED[what].includes(r)));
    console.log(`${what}: ${rules.length} findings, ${isRight ? 'all expected' : message}`);
    if (isRight) return;
    console.log(details);
    process.exitCode = 1;
  };
  await scan('sources', process.cwd(), SOURCE_FILE_PATTERNS);
  await scan('package', at('unpacked'), ['**/*.js', 'package.json']);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
