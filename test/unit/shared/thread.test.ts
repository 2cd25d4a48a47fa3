/** Threads of the package: the compiled helper with real threads, and the same inline, as tests run it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import * as source from '../../../lib/shared/thread';

const ROOT = join(__dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'asset-service-thread-'));
/** What the modules of the test do with a request. */
const PROGRAM = `
exports.serve = (data) => {
	let calls = 0;
	return async (request) => {
		calls += 1;
		if (request === 'throw') throw new Error('refused');
		if (request === 'crash') setImmediate(() => { throw new Error('crashed'); });
		if (request === 'exit') setImmediate(() => process.exit(0));
		if (request === 'function') return () => 1;
		if (request === 'loop') for (;;) {}
		if (['crash', 'exit', 'wait'].includes(request)) await new Promise(() => undefined);
		return [data, calls, request, require('node:worker_threads').isMainThread];
	};
};`;

type Answer = readonly [string, number, string, boolean];
type Tested = source.Thread<string, string, Answer>;
let compiled: typeof source;
const started: Tested[] = [];

beforeAll(() => {
	buildSync({
		entryPoints: ['thread', 'threadEntry'].map((name) => join(ROOT, 'lib/shared', `${name}.ts`)),
		...{ outdir: folder, bundle: true, platform: 'node', format: 'cjs', target: 'node20' },
	});
	writeFileSync(join(folder, 'program.js'), PROGRAM);
	writeFileSync(join(folder, 'broken.js'), "throw new Error('no such module');");
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- Its path is known only now.
	compiled = require(join(folder, 'thread.js')) as typeof source;
});
afterEach(async () => {
	for (const thread of started.splice(0)) await thread.stop();
});
afterAll(() => {
	rmSync(folder, { recursive: true, force: true });
});

const serve = (): never => {
	throw new Error('not here');
};
function threadOf(module: string, clock?: () => number): Tested {
	const options = { module: join(folder, module), serve, data: 'data', ...(clock && { clock }) };
	const thread = new compiled.Thread<string, string, Answer>(options);
	started.push(thread);
	return thread;
}
const messageOf = async (call: Promise<unknown>) =>
	await call.then(
		() => 'none',
		(error: unknown) => (error as Error).message,
	);

describe('a thread', () => {
	it('serves requests in order with the data it was started with, and keeps what it knows', async () => {
		const thread = threadOf('program');
		const answers = await Promise.all(['a', 'b', 'c'].map((request) => thread.call(request)));
		expect(answers).toEqual([
			['data', 1, 'a', false],
			['data', 2, 'b', false],
			['data', 3, 'c', false],
		]);
	});

	it('rejects a call with what its module throws, and serves the next', async () => {
		const thread = threadOf('program');
		expect(await messageOf(thread.call('throw'))).toBe('refused');
		expect((await thread.call('a'))[1]).toBe(2);
	});

	it.each(['crash', 'exit', 'function'])(
		'that ends with %s rejects everything that waits, and the next call starts another one',
		async (how) => {
			const thread = threadOf('program');
			await thread.call('a');
			const waiting = [thread.call('wait'), thread.call(how), thread.call('wait')];
			const ends = await Promise.allSettled(waiting);
			for (const end of ends) {
				expect(end).toMatchObject({
					status: 'rejected',
					reason: { message: 'A thread of the package ended' },
				});
			}
			expect(await thread.call('a')).toEqual(['data', 1, 'a', false]);
		},
	);

	it('that is busy is stopped all the same', async () => {
		const thread = threadOf('program');
		const busy = messageOf(thread.call('loop'));
		await thread.stop();
		expect(await busy).toBe('The thread was stopped');
		expect(await thread.call('a')).toEqual(['data', 1, 'a', false]);
	});

	it('that keeps ending is started again after pauses that grow up to 10 s', async () => {
		let now = 0;
		const thread = threadOf('broken', () => now);
		const ends: number[] = [];
		for (; now < 40_000; now += 50) {
			const message = await messageOf(thread.call('a'));
			if (message === 'A thread of the package ended') ends.push(now);
			else expect(message).toMatch('keeps ending and is started again soon');
		}
		const pauses = ends.slice(1).map((end, n) => end - (ends[n] ?? 0));
		expect(pauses).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
	});

	it('keeps its process alive only while somebody waits', () => {
		const program = `
			const { Thread } = require(${JSON.stringify(join(folder, 'thread.js'))});
			const thread = new Thread({ module: ${JSON.stringify(join(folder, 'program'))}, data: 'd' });
			thread.call('a').then((answer) => console.log(answer.join()));`;
		const options = { encoding: 'utf8', timeout: 30_000 } as const;
		expect(execFileSync(process.execPath, ['-e', program], options).trim()).toBe('d,1,a,false');
	});
});

it('without a compiled module runs inline, and begins again after a stop', async () => {
	let starts = 0;
	const thread = new source.Thread({
		...{ module: join(ROOT, 'lib/shared/text'), data: 'data' },
		serve: (data: string) => {
			starts += 1;
			return (request: number) => {
				if (request === 0) throw new Error('refused');
				return `${data} ${starts} ${request}`;
			};
		},
	});
	expect(await Promise.all([thread.call(1), thread.call(2)])).toEqual(['data 1 1', 'data 1 2']);
	expect(await messageOf(thread.call(0))).toBe('refused');
	await thread.stop();
	expect(await thread.call(3)).toBe('data 2 3');
});
