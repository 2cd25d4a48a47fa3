/** The ledger as it is published: compiled, so that SQLite's part runs in a thread. */
import { join } from 'node:path';
import { buildSync, type BuildOptions } from 'esbuild';
import type * as ledger from '../../lib/ledger';
import type { EventLedger } from '../../lib/ledger/eventLedger';
import type { SqliteStore } from '../../lib/ledger/sqlite/store';

const LIB = join(__dirname, '..', '..', 'lib');

type Compiled = typeof ledger & {
	readonly EventLedger: typeof EventLedger;
	readonly SqliteStore: typeof SqliteStore;
};

/** Compiles it into the folder, as `ledger.js`. `footer` is added to the module of the thread. */
export function compileLedger(folder: string, footer = ''): Compiled {
	const compile = (name: string, options: BuildOptions) => {
		buildSync({
			...{ bundle: true, platform: 'node', format: 'cjs', target: 'node22', logLevel: 'error' },
			outfile: join(folder, `${name}.js`),
			...options,
		});
	};
	compile('threadEntry', { entryPoints: [join(LIB, 'shared', 'threadEntry.ts')] });
	const entryPoints = [join(LIB, 'ledger', 'sqlite', 'ledgerFile.ts')];
	compile('ledgerFile', { entryPoints, footer: { js: footer } });
	compile('ledger', {
		stdin: {
			contents: `
export * from './ledger';
export { EventLedger } from './ledger/eventLedger';
export { SqliteStore } from './ledger/sqlite/store';`,
			resolveDir: LIB,
			loader: 'ts',
		},
	});
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- Its path is known only now.
	return require(join(folder, 'ledger.js')) as Compiled;
}
