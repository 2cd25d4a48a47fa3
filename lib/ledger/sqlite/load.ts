/** Loads Node's own SQLite without its warning. */

export type Sqlite = typeof import('node:sqlite');

/**
 * Node's own SQLite; undefined if Node has none.
 * Node 22 warns on loading that it is experimental; only that warning is kept out of n8n's log, and only during loading.
 */
export function loadSqlite(): Sqlite | undefined {
	const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning');
	const emit = process.emitWarning.bind(process) as (...warning: unknown[]) => void;
	process.emitWarning = (...warning: unknown[]) => {
		const [text, type] = warning;
		const isKnown = type === 'ExperimentalWarning' && String(text).startsWith('SQLite ');
		if (!isKnown) emit(...warning);
	};
	try {
		return process.getBuiltinModule('node:sqlite');
	} finally {
		if (emitWarning) Object.defineProperty(process, 'emitWarning', emitWarning);
	}
}
