/** The way of a spectator of the demo: does only what `npm run demo` prints, in its words and with time to read them, in a real browser. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../test/support/log';
import { openEditor } from '../../test/support/n8n/browser';
import { waitFor } from '../../test/support/wait';
import { secondsToRead } from './readme';
import type { Step } from './walk';

const ROOT = join(__dirname, '..', '..');
const START_MS = 10 * 60_000;
const INCIDENT_MS = 3 * 60_000;

/** What the demo printed, by its own words. */
const OPEN = /^Open +(\S+)$/m;
const SIGN_IN = /^Sign in +(\S+) +(\S+)$/m;
const FIRST_STOP = /^ +1 {2}.*\n +(\S+)$/m;
const END = 'Ctrl-C ends the demo';
const HAPPENED = /s {2}(.+) is offline\./;
const FOUND = /There it is: (\S+)/;

/** Includes the time that a user needs to read, and for each click and value. */
export async function walkDemo(secondsPerAction: number, log: Log): Promise<Step[]> {
	const steps: Step[] = [];
	const timed = async <T>(name: string, actions: number, work: () => Promise<T>): Promise<T> => {
		const began = performance.now();
		const result = await work();
		await sleep(actions * secondsPerAction * 1000);
		steps.push({ name, seconds: (performance.now() - began) / 1_000, actions });
		log(name);
		return result;
	};
	const demo = spawn(
		process.execPath,
		[join(ROOT, 'node_modules/.bin/tsx'), 'scripts/demo/main.ts'],
		{
			...{ cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] },
		},
	);
	const endings: (() => unknown)[] = [() => stopped(demo)];
	try {
		let printed = '';
		demo.stdout.setEncoding('utf8').on('data', (text: string) => {
			printed += text;
		});
		const read = async (wanted: RegExp, timeoutMs: number) => {
			const look = () => wanted.exec(printed) ?? undefined;
			return await waitFor(look, { what: `the demo to print ${String(wanted)}`, timeoutMs });
		};
		await timed('npm run demo: until it says where to look', 1, () =>
			read(new RegExp(END), START_MS),
		);
		await timed('Read what it prints', 0, () => sleep(secondsToRead(printed) * 1000));
		const [, url = ''] = await read(OPEN, 0);
		const [, email = '', password = ''] = await read(SIGN_IN, 0);
		const [, workflow = ''] = await read(FIRST_STOP, 0);
		const editor = await timed('Open n8n and sign in', 4, () =>
			openEditor({ url, owner: { email, password } }),
		);
		endings.push(() => editor.close());
		const { page } = editor;
		await timed('Look at the executions of the workflow', 1, async () => {
			await page.goto(workflow);
			await page.getByTestId('current-executions-list').waitFor();
		});
		await timed('Type 1: a station goes offline, and the incident is in the list', 1, async () => {
			demo.stdin.write('1\n');
			await page.getByText('Succeeded in').first().waitFor({ timeout: INCIDENT_MS });
		});
		await timed('Open it: the trigger shows the station', 2, async () => {
			const [, station = ''] = await read(HAPPENED, INCIDENT_MS);
			const [, execution = ''] = await read(FOUND, INCIDENT_MS);
			await page.goto(execution);
			const preview = page.getByTestId('execution-preview-host');
			await preview.getByTestId('canvas-node').first().dblclick();
			await page.getByTestId('output-panel').getByText(station).first().waitFor();
		});
		return steps;
	} finally {
		for (let end = endings.pop(); end; end = endings.pop()) await end();
	}
}

async function stopped(demo: ChildProcess): Promise<void> {
	if (demo.exitCode !== null) return;
	const exited = new Promise((resolve) => demo.once('exit', resolve));
	demo.kill('SIGINT');
	await exited;
}
