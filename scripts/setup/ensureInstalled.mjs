/** Installs the development dependencies if they are missing or older than the lock file, so every command works on a fresh clone. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const lock = join(root, 'package-lock.json');
const installed = join(root, 'node_modules', '.package-lock.json');

/** For the set-up; everything after it runs on the Node of the development dependency `node`, as n8n needs it. */
const OLDEST = '20.19';

const [major, minor] = process.versions.node.split('.').map(Number);
const [oldestMajor, oldestMinor] = OLDEST.split('.').map(Number);
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  fail(`Node ${OLDEST} or newer is required; this is ${process.version}.`);
}

// A link points to the installation of another checkout, which npm would empty.
const modules = lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false });
const isStale = () =>
  !existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs;

if (!modules?.isSymbolicLink() && isStale()) {
  const ownNode = isOwnNodeNeeded();
  console.error('Installing the development dependencies (about a minute, once) ...');
  const { status } = spawnSync(
    'npm',
    [
      ...['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
      // The script of `node` would bring that Node, and the other scripts would then find it first.
      ...(ownNode ? ['--ignore-scripts'] : []),
    ],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) {
    fail('npm ci failed: see its messages above.', status ?? 1);
  }
}

/** Whether the Node of the registry does not run here: it is built for glibc, and Alpine, for example, has musl. */
function isOwnNodeNeeded() {
  if (process.platform !== 'linux') return false;
  // Otherwise the report looks up the names of open connections.
  process.report.excludeNetwork = true;
  if (process.report.getReport().header.glibcVersionRuntime !== undefined) return false;
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [needed] = devDependencies.node.split('.');
  if (major < Number(needed)) {
    fail(
      `Node ${needed} or newer is required on this system; this is ${process.version}. The one that npm would install needs glibc.`,
    );
  }
  return true;
}

function fail(message, status = 1) {
  console.error(message);
  process.exit(status);
}
