import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { baseEnvironment, type RunningProcess, startProcess } from '../../support/process';
import { waitFor } from '../../support/wait';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'asset-service-process-'));
});
afterEach(() => {
	rmSync(folder, { recursive: true, force: true });
});

/** A shell with a child of its own; both live until they are ended. */
const SHELL = 'sleep 600 & echo "child $!"; wait';

async function start(script: string): Promise<RunningProcess> {
	return await startProcess({
		command: '/bin/sh',
		args: ['-c', script],
		cwd: folder,
		env: baseEnvironment(folder),
		outputFile: join(folder, 'output.log'),
	});
}

describe('a child process', () => {
	it('is ended together with the processes that it started', async () => {
		for (const end of ['stop', 'kill'] as const) {
			const child = await start(SHELL);
			const grandchild = await childOf(child.output.bind(child));
			expect(isAlive(grandchild)).toBe(true);
			expect((await child[end]()).signal).toBe(end === 'stop' ? 'SIGTERM' : 'SIGKILL');
			await ended(grandchild);
			rmSync(join(folder, 'output.log'));
		}
	});

	it('sees only the environment that it is given', async () => {
		process.env.N8N_ENCRYPTION_KEY = 'of the developer';
		try {
			const child = await start('env');
			await waitFor(() => child.exit, { what: 'the child to end' });
			expect(child.output()).toContain(`HOME=${folder}`);
			expect(child.output()).not.toContain('N8N_');
		} finally {
			delete process.env.N8N_ENCRYPTION_KEY;
		}
	});

	it('does not outlive the process that started it, even when that is killed', async () => {
		const support = resolve(__dirname, '..', '..', 'support', 'process');
		const script = `
			const { startProcess } = require(${JSON.stringify(support)});
			const run = (name) => startProcess({
				command: '/bin/sh', args: ['-c', ${JSON.stringify(SHELL)}], cwd: '.',
				env: { PATH: process.env.PATH }, outputFile: name + '.log',
			});
			run('ended').then((one) => one.kill()).then(() => run('left')).then(() => console.log('ready'));
			setInterval(() => undefined, 60_000);
		`;
		const args = ['--require', require.resolve('tsx/cjs'), '-e', script];
		const parent = spawn(process.execPath, args, {
			cwd: folder,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const exited = once(parent, 'exit');
		await once(parent.stdout, 'data');
		const grandchild = await childOf(() => readFileSync(join(folder, 'left.log'), 'utf8'));
		expect(isAlive(grandchild)).toBe(true);
		parent.kill('SIGKILL');
		// It lived until then: had it ended by itself, this would prove nothing.
		expect(await exited).toEqual([null, 'SIGKILL']);
		await ended(grandchild);
	});
});

async function childOf(output: () => string): Promise<number> {
	return await waitFor(() => Number(/child (\d+)/.exec(output())?.[1]) || undefined, {
		what: 'the shell to start its child',
		everyMs: 10,
	});
}

async function ended(pid: number): Promise<void> {
	await waitFor(() => !isAlive(pid), { what: `process ${pid} to end`, everyMs: 10 });
}

/** One that has ended and was not yet reaped still takes signals, but has the state Z; macOS reaps at once. */
function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return !existsSync('/proc') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
	} catch {
		return false;
	}
}
