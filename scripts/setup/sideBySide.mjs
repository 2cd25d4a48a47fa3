/** Runs scripts of npm side by side: `node sideBySide.mjs lint test:jest -- <arguments of the last one>`. Each runs to its end; fails if any of them does. */
import { spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';

const [names, further] = [process.argv.slice(2), []];
const end = names.indexOf('--');
if (end >= 0) further.push(...names.splice(end));

/** Below that of the others: the larger, the lower. */
const LAST_PRIORITY = Math.min(19, getPriority() + 5);

const run = (name) =>
  new Promise((resolve) => {
    const more = name === names.at(-1) ? further : [];
    const script = spawn('npm', ['run', '--silent', name, ...more], {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    // It uses all cores, and the others one: with an equal share of them they would end minutes after it.
    if (name === names.at(-1) && script.pid !== undefined) setPriority(script.pid, LAST_PRIORITY);
    script.on('close', (code) => resolve(code === 0 ? [] : [name]));
  });

const failed = (await Promise.all(names.map(run))).flat();
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
}
