/** Starts processes that run `child.ts`, and ends them with the test. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Order } from './child';

const CHILD = join(__dirname, 'child.ts');

export class Children {
	readonly #children: ChildProcess[] = [];

	async start(path: string): Promise<ChildProcess> {
		const child = fork(CHILD, [path], { execArgv: ['--import', 'tsx'] });
		this.#children.push(child);
		expect(await message(child)).toBe('ready');
		return child;
	}

	async stop(): Promise<void> {
		for (const child of this.#children) await kill(child);
	}
}

export async function tell(child: ChildProcess, order: Order): Promise<unknown> {
	const answer = message(child);
	child.send(order);
	return answer;
}

async function message(child: ChildProcess): Promise<unknown> {
	const [answer] = (await once(child, 'message')) as [unknown];
	return answer;
}

export async function kill(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const exited = once(child, 'exit');
	child.kill('SIGKILL');
	await exited;
}
