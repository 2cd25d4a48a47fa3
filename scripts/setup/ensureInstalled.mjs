/** Installs the development dependencies if they are missing or older than the lock file, so every command works on a fresh clone. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const lock = join(root, 'package-lock.json');
const installed = join(root, 'node_modules', '.package-lock.json');

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node 20.19 or newer is required; this is ${process.version}.`);
  process.exit(1);
}

// A link points to the installation of another checkout, which npm would empty.
const modules = lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false });
const isStale = () =>
  !existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs;

if (!modules?.isSymbolicLink() && isStale()) {
  console.error('Installing the development dependencies (about a minute, once) ...');
  const { status } = spawnSync(
    'npm',
    ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) {
    console.error('npm ci failed: see its messages above.');
    process.exit(status ?? 1);
  }
}
