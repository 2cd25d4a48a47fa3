/** Runs scripts of npm side by side: `node sideBySide.mjs lint test:jest -- <arguments of the last one>`. Each runs to its end; fails if any of them does. */
import { spawn } from 'node:child_process';

const [names, further] = [process.argv.slice(2), []];
const end = names.indexOf('--');
if (end >= 0) further.push(...names.splice(end));

const run = (name) =>
  new Promise((resolve) => {
    const more = name === names.at(-1) ? further : [];
    const script = spawn('npm', ['run', '--silent', name, ...more], {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    script.on('close', (code) => resolve(code === 0 ? [] : [name]));
  });

const failed = (await Promise.all(names.map(run))).flat();
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
}
