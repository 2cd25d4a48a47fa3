/** The files of undici that are imported one by one: as long as this holds, they are what its entry exports. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json';

const ROOT = join(__dirname, '../..');
const source = readFileSync(join(ROOT, 'lib/vendor/undici.ts'), 'utf8');
const imported = new Map(
	Array.from(
		source.matchAll(/^import (\w+) from '(undici\/lib\/[^']+)'/gm),
		([, name = '', file = '']) => [name, file],
	),
);

/** What a new process prints, since undici changes what belongs to the whole process. */
function printed(code: string): string {
	const loader = ['--import', 'tsx'];
	const { stdout, stderr } = spawnSync(process.execPath, [...loader, '--eval', code], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	return stderr === '' ? stdout.trim() : stderr;
}

const DISPATCHERS = `[1, 2].map((version) => typeof globalThis[Symbol.for('undici.globalDispatcher.' + version)])`;

it('the version is exact, since undici does not promise these files', () => {
	expect(packageJson.devDependencies.undici).toMatch(/^\d+\.\d+\.\d+$/);
	expect([...imported.keys()].sort()).toEqual(['Agent', 'Dispatcher', 'Pool', 'ProxyAgent', 'api']);
});

it.each([...imported].filter(([name]) => name !== 'api'))(
	'%s is the one that the entry exports',
	(name, file) => {
		expect(printed(`console.log(require('undici').${name} === require('${file}'))`)).toBe('true');
	},
);

it('the entry gives its dispatchers the same methods', () => {
	const methods = `
		const { Dispatcher } = require('undici');
		const api = Object.entries(require('${imported.get('api') ?? ''}'));
		console.log(api.map(([name, method]) => [name, Dispatcher.prototype[name] === method].join()).sort().join(' '));`;
	expect(printed(methods)).toBe('connect,true pipeline,true request,true stream,true upgrade,true');
});

it('loading the entry would set the dispatcher of fetch, and loading the parts does not', () => {
	expect(printed(`require('undici'); console.log(${DISPATCHERS}.join())`)).toBe('object,object');
	expect(printed(`require('./lib/vendor/undici.ts'); console.log(${DISPATCHERS}.join())`)).toBe(
		'undefined,undefined',
	);
});
