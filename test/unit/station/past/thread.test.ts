/** Questions in a real thread, with the compiled modules: the same items as inline, and what happens when it ends. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type * as Source from '../../../../lib/station/past/ask';
import { incidentsIn } from '../../../../lib/station/past/ask';
import { DEFAULTS, MINUTE, message, time } from '../stationWorld';
import { askPast, OWNER } from './pastWorld';

const ROOT = join(__dirname, '..', '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'asset-service-past-'));
const worker = join(folder, 'worker.js');
let compiled: typeof Source;

beforeAll(() => {
	const files = ['station/past/ask', 'station/past/worker', 'shared/threadEntry'];
	buildSync({
		entryPoints: Object.fromEntries(
			files.map((file) => [file.split('/').at(-1) ?? '', join(ROOT, 'lib', `${file}.ts`)]),
		),
		...{ outdir: folder, bundle: true, platform: 'node', format: 'cjs', target: 'node22' },
	});
	copyFileSync(worker, join(folder, 'right.js'));
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- Its path is known only now.
	compiled = require(join(folder, 'ask.js')) as typeof Source;
});
afterEach(() => {
	copyFileSync(join(folder, 'right.js'), worker);
});
afterAll(() => {
	rmSync(folder, { recursive: true, force: true });
});

const SETTINGS = { ...DEFAULTS, kind: 'connectorFault', forMs: 0, resolveAfterMs: 0 } as const;
const STATIONS = 250;

async function asked() {
	const events = Array.from({ length: 2 * STATIONS }, (_unused, n) =>
		message(time('10:00') + Math.floor(n / STATIONS) * MINUTE, `s${n % STATIONS}`, [
			'StatusNotification',
			{ connectorId: 1, errorCode: 'OtherError', status: n < STATIONS ? 'Faulted' : 'Available' },
		]),
	);
	const { past } = await askPast(events, { connections: true, states: true });
	return { past, owner: OWNER, assetIds: undefined };
}

it('a question gets the same items from a thread as inline', async () => {
	const question = await asked();
	const inline = await incidentsIn(question, SETTINGS);
	expect(inline).toHaveLength(STATIONS);
	expect(await compiled.incidentsIn(question, SETTINGS)).toEqual(inline);
});

it('a thread that ends fails the question, and the next question starts another one', async () => {
	const question = await asked();
	// A thread that runs keeps what it has loaded.
	await stopped(question);
	writeFileSync(worker, 'exports.serve = () => () => process.exit(1);');
	await expect(compiled.incidentsIn(question, SETTINGS)).rejects.toMatchObject({
		message: expect.stringContaining('the thread that evaluates them ended') as string,
		hint: expect.stringContaining('choose a shorter period') as string,
	});
	copyFileSync(join(folder, 'right.js'), worker);
	expect(await compiled.incidentsIn(question, SETTINGS)).toHaveLength(STATIONS);
});

/** A question that is cancelled at once ends a thread that nobody else uses. */
async function stopped(question: Awaited<ReturnType<typeof asked>>): Promise<void> {
	const cancel = new AbortController();
	const found = compiled.incidentsIn({ ...question, signal: cancel.signal }, SETTINGS);
	cancel.abort(new Error('cancelled'));
	await expect(found).rejects.toThrow('cancelled');
}

it('a cancelled question ends the thread that works for it, whatever it is doing', async () => {
	const question = await asked();
	await stopped(question);
	writeFileSync(worker, 'exports.serve = () => () => { for (;;); };');
	await stopped(question);
	copyFileSync(join(folder, 'right.js'), worker);
	expect(await compiled.incidentsIn(question, SETTINGS)).toHaveLength(STATIONS);
	const before = new AbortController();
	before.abort(new Error('cancelled before'));
	await expect(
		compiled.incidentsIn({ ...question, signal: before.signal }, SETTINGS),
	).rejects.toThrow('cancelled before');
});
