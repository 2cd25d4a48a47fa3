import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseEnvironment, type RunningProcess, startProcess } from '../../support/process';
import { waitFor } from '../../support/wait';
import { receiver, send } from './world';

const ROOT = join(__dirname, '../../..');
const STARTED = /Ctrl-C ends it/;
/** Starting compiles the simulator, on a machine that may be busy. */
const TIMEOUT_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'simulator-'));
const processes: RunningProcess[] = [];

afterEach(async () => {
	await Promise.all(processes.splice(0).map(async (each) => await each.kill()));
});
afterAll(() => {
	rmSync(folder, { recursive: true });
});

const start = async (args: string[]) => {
	const running = await startProcess({
		command: process.execPath,
		// One process: tsx's own kills its child when that is slow to tell it of a signal.
		args: ['--import', 'tsx', 'simulator/main.ts', ...args],
		cwd: ROOT,
		env: baseEnvironment(folder),
		outputFile: join(folder, `${processes.length}-${performance.now()}.log`),
	});
	processes.push(running);
	const until = async (pattern: RegExp) => {
		await waitFor(() => (pattern.test(running.output()) ? true : undefined), {
			what: String(pattern),
			timeoutMs: TIMEOUT_MS,
			everyMs: 20,
			detail: () => running.output(),
		});
	};
	const exitCode = async () => {
		const { code } = await waitFor(() => running.exit, {
			what: 'the end',
			timeoutMs: TIMEOUT_MS,
			everyMs: 20,
		});
		return code;
	};
	const value = (label: string) =>
		new RegExp(`^ {2}${label} +(\\S+)$`, 'm').exec(running.output())?.[1] ?? '';
	return { running, until, exitCode, value };
};

describe('npm run simulator', () => {
	it(
		'prints what is needed to use it, and ends with Ctrl-C',
		async () => {
			const { running, until, value } = await start([]);
			await until(STARTED);
			const token = await send(`${value('Auth URL')}/oauth/token`, {
				body: {
					client_id: value('Client ID'),
					client_secret: value('Client secret'),
					audience: value('Audience'),
					grant_type: 'client_credentials',
				},
			});
			expect(token.status).toBe(200);
			const authorization = `Bearer ${String(token.body['access_token'])}`;
			const path = `/webhooks/v1/webhook-endpoints/${value('Endpoint ID')}/deliveries`;
			const answer = await send(`${value('Base URL')}${path}`, { headers: { authorization } });
			expect(answer.status).toBe(200);
			expect(value('Signing secret')).toMatch(/^whsec_/);

			const stopped = await running.stop({ signal: 'SIGINT', graceMs: TIMEOUT_MS });
			expect(stopped).toEqual({ code: 0, signal: null });
			expect(running.output()).toContain('The simulator has ended.');
		},
		TIMEOUT_MS,
	);

	it(
		'sends an event every so often to the given endpoint',
		async () => {
			const { url, received } = await receiver();
			const args = ['--endpoint-url', url, '--signing-secret', 'chosen', '--every', '0.1'];
			const { until, value } = await start(args);
			await until(/Sent ocpp\.message whevt_\w+: 200/);
			expect(value('Endpoint URL')).toBe(url);
			expect(value('Signing secret')).toBe('chosen');
			expect(received.length).toBeGreaterThan(0);
		},
		TIMEOUT_MS,
	);

	it.each([
		['a port that is none', ['--port', '70000'], '65535'],
		['an endpoint on plain http elsewhere', ['--endpoint-url', 'http://x.example'], 'https'],
	])(
		'refuses %s with a message and exit code 1',
		async (_what, args, message) => {
			const { running, exitCode } = await start(args);
			expect(await exitCode()).toBe(1);
			expect(running.output()).toContain(message);
			expect(running.output()).not.toContain('    at ');
		},
		TIMEOUT_MS,
	);

	it(
		'says when the port is taken',
		async () => {
			const { url } = await receiver();
			const { running, exitCode } = await start(['--port', new URL(url).port]);
			expect(await exitCode()).toBe(1);
			expect(running.output()).toContain('EADDRINUSE');
		},
		TIMEOUT_MS,
	);
});
